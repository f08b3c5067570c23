import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connect, envelope } from './pods.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from './server-process.mjs';

const PATIENCE = 10_000;
/** The newest frames that are looked through for one that came before it was asked for. */
const RECENT = 50;
/**
 * Longer than what a message leaves behind takes (its history, the end of its context): while the server writes itself,
 * it sees what others wrote without looking for it. And uneven, so that no call falls into step with a timer.
 */
const PAUSE = { least: 60, more: 40 };
const BRANCH = { description: 'Search the logs', prompt: 'Find every auth error and count them by user.' };
const RETURN = { message: 'Found three patterns of auth errors in the logs; user 17 has most of them.' };
const OPERATION = { tool: 'Grep', input: { pattern: '401' }, output: 'auth failed for user 17', tokens: 12 };

/**
 * How one event came to the watcher, in milliseconds.
 *
 * @typedef {object} Seen
 * @property {number} since from the time that its entry carries to the frame's arrival, at most
 * @property {number} arrival from sending the call to the frame's arrival
 * @property {number} answer from sending the call to its answer
 * @property {number} plain from sending to arrival of a participant's message, right after
 */

/** A server, an agent that works in a project, and who watches the project's pod. */
export class Stage {
  #server;
  #client;
  #project;
  /** @type {import('ws').WebSocket} */
  #watcher;
  /** @type {import('ws').WebSocket} */
  #speaker;
  /** @type {() => Promise<unknown>} */
  #operate;
  /** @type {{ frame: any, at: number, wall: number }[]} */
  #frames = [];
  #session = '';

  /**
   * @param {ServerProcess} server
   * @param {Client} client
   * @param {string} project
   */
  constructor(server, client, project) {
    this.#server = server;
    this.#client = client;
    this.#project = project;
  }

  /** @param {'http' | 'stdio'} way of the agent to the journal: through the watched server, or through its own */
  static async open(way) {
    const [data, project] = [temporaryFolder(), temporaryFolder()];
    const values = ['--data', data, '--log-level', 'warn'];
    const server = await ServerProcess.start(PROGRAM, ['serve', '--port', '0', ...values]);
    const client = new Client({ name: 'bench', version: '1.0.0' });
    const transport =
      way === 'http'
        ? new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`))
        : new StdioClientTransport({
            command: process.execPath,
            args: [PROGRAM, 'stdio', ...values, '--project', project],
          });
    await client.connect(transport);
    const stage = new Stage(server, client, project);
    // Over stdio there is nobody to report to; but calls of other doors are operations of the branch.
    stage.#operate = way === 'http' ? () => stage.#report() : () => stage.#call('infold_status');
    await stage.#begin();
    return stage;
  }

  /** The first branch tells which session and project it is. */
  async #begin() {
    this.#session = (await this.#fold('context_branch', BRANCH)).session_id;
    await this.#fold('context_return', RETURN);
    const answer = await fetch(`${this.#server.url}/api/sessions/${this.#session}`);
    const { project_id } = await answer.json();
    const pod = `${this.#server.url.replace('http', 'ws')}/ws?pod=${project_id}`;
    this.#watcher = await connect(`${pod}&participant=watcher`);
    this.#watcher.on('message', (/** @type {Buffer} */ data) => {
      const [at, wall] = [performance.now(), Date.now()];
      this.#frames.push({ frame: JSON.parse(String(data)), at, wall });
      if (this.#frames.length > 2 * RECENT) this.#frames.splice(0, RECENT);
    });
    this.#speaker = await connect(`${pod}&participant=speaker&contexts=main`);
  }

  /** @param {string} name @param {object} [input] @returns {Promise<any>} */
  async #call(name, input = {}) {
    const result = await this.#client.callTool({ name, arguments: input });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  }

  /** @param {string} name @param {object} input */
  #fold(name, input) {
    return this.#call(name, { project_path: this.#project, ...input });
  }

  async #report() {
    const response = await fetch(`${this.#server.url}/api/sessions/${this.#session}/operations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operations: [OPERATION] }),
    });
    if (!response.ok) throw new Error(`Reporting was answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  /** @param {(frame: any) => boolean} fits */
  async #arrived(fits) {
    const deadline = performance.now() + PATIENCE;
    for (;;) {
      const found = this.#frames.find(({ frame }) => fits(frame));
      if (found) return found;
      if (performance.now() > deadline) throw new Error('What was said or done did not reach the pod');
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, PATIENCE);
        this.#watcher.once('message', () => {
          clearTimeout(timer);
          resolve(undefined);
        });
      });
    }
  }

  /**
   * @param {string} kind of the last message that the event is told with
   * @param {() => Promise<any>} work
   * @param {string} [branch] absent: the one that the answer names
   * @returns {Promise<Seen & { branch: string }>}
   */
  async #event(kind, work, branch) {
    this.#frames.length = 0;
    const [sent, sentWall] = [performance.now(), Date.now()];
    const arriving = this.#arrived((frame) => frame.kind === kind);
    const answer = await work();
    const [answered, answeredWall] = [performance.now(), Date.now()];
    const { frame, at, wall } = await arriving;
    const committed = Date.parse(frame.ts);
    const told = frame.correlation_id ?? frame.context.id;
    if (told !== (branch ?? answer.branch_id)) throw new Error(`${kind} of another branch was told`);
    if (committed < sentWall || committed > answeredWall) {
      throw new Error(`The entry's time is not within its call: ${sentWall}, ${committed}, ${answeredWall}`);
    }
    const plain = await this.#plain();
    // Both clocks leave out parts of a millisecond: one more is the most that it can have been.
    return { since: wall + 1 - committed, arrival: at - sent, answer: answered - sent, plain, branch: told };
  }

  async #plain() {
    await pause();
    const text = envelope({ from: 'speaker' });
    const { id } = JSON.parse(text);
    const sent = performance.now();
    this.#speaker.send(text);
    const { at } = await this.#arrived((frame) => frame.id === id);
    await pause();
    return at - sent;
  }

  /**
   * A branch from its beginning to its fold.
   *
   * @param {number} operations
   * @returns {Promise<Seen[]>}
   */
  async branch(operations) {
    const began = await this.#event('fold/branch', () => this.#fold('context_branch', BRANCH));
    const events = [began];
    for (let index = 0; index < operations; index++) {
      events.push(await this.#event('fold/operation', () => this.#operate(), began.branch));
    }
    const fold = () => this.#fold('context_return', RETURN);
    events.push(await this.#event('fold/return', fold, began.branch));
    return events;
  }

  async close() {
    for (const socket of [this.#watcher, this.#speaker]) socket.terminate();
    await this.#client.close();
    await this.#server.stop();
  }
}

function pause() {
  return sleep(PAUSE.least + Math.random() * PAUSE.more);
}
