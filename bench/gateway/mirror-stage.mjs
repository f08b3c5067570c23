import { setTimeout as sleep } from 'node:timers/promises';
import { answerOf, connectOverHttp, connectOverStdio } from '../../test/support/mcp-agent.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';
import { connect, envelope } from './pods.mjs';

const PATIENCE = 10_000;
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

/** Works in a project, through the watched server or through a process of its own. */
class Agent {
  #client;
  #url;
  #project;
  session = '';

  /**
   * @param {import('@modelcontextprotocol/client').Client} client
   * @param {string} project
   * @param {string | undefined} url where operations are reported to
   */
  constructor(client, project, url) {
    this.#client = client;
    this.#project = project;
    this.#url = url;
  }

  /** @param {string} name @param {Record<string, unknown>} [input] */
  #call(name, input) {
    return answerOf(this.#client, name, input);
  }

  async branch() {
    const answer = await this.#call('context_branch', { project_path: this.#project, ...BRANCH });
    this.session = answer.session_id;
    return answer;
  }

  fold() {
    return this.#call('context_return', { project_path: this.#project, ...RETURN });
  }

  async operate() {
    // Over stdio there is nobody to report to; but calls of other doors are operations of the branch.
    if (this.#url === undefined) return this.#call('infold_status');
    const response = await fetch(`${this.#url}/api/sessions/${this.session}/operations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operations: [OPERATION] }),
    });
    if (!response.ok) throw new Error(`Reporting was answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  close() {
    return this.#client.close();
  }
}

/** A server, an agent, and who watches the pod of the agent's project. */
export class Stage {
  #server;
  #agent;
  #watcher;
  #speaker;
  /** @type {{ frame: any, at: number, wall: number }[]} */
  #frames = [];

  /**
   * @param {ServerProcess} server
   * @param {Agent} agent
   * @param {import('ws').WebSocket} watcher
   * @param {import('ws').WebSocket} speaker
   */
  constructor(server, agent, watcher, speaker) {
    this.#server = server;
    this.#agent = agent;
    this.#watcher = watcher;
    this.#speaker = speaker;
    watcher.on('message', (/** @type {Buffer} */ data) => {
      const [at, wall] = [performance.now(), Date.now()];
      this.#frames.push({ frame: JSON.parse(String(data)), at, wall });
    });
  }

  /** @param {'http' | 'stdio'} way of the agent: to the watched server, or to a process with the same data folder */
  static async open(way) {
    const [data, project] = [temporaryFolder(), temporaryFolder()];
    const values = ['--data', data, '--log-level', 'warn'];
    const server = await ServerProcess.start(PROGRAM, ['serve', '--port', '0', ...values]);
    try {
      const args = ['--log-level', 'warn', '--project', project];
      const client =
        way === 'http'
          ? await connectOverHttp(`${server.url}/mcp`, { name: 'bench' })
          : (await connectOverStdio(data, { name: 'bench', args, stderr: 'inherit' })).client;
      const agent = new Agent(client, project, way === 'http' ? server.url : undefined);
      // The first branch tells which session and project it is.
      await agent.branch();
      await agent.fold();
      const { project_id } = await (await fetch(`${server.url}/api/sessions/${agent.session}`)).json();
      const pod = `${server.url.replace('http', 'ws')}/ws?pod=${project_id}`;
      const watcher = await connect(`${pod}&participant=watcher`);
      const speaker = await connect(`${pod}&participant=speaker&contexts=main`);
      return new Stage(server, agent, watcher, speaker);
    } catch (error) {
      await server.stop();
      throw error;
    }
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
    const began = await this.#event('fold/branch', () => this.#agent.branch());
    const events = [began];
    for (let index = 0; index < operations; index++) {
      events.push(await this.#event('fold/operation', () => this.#agent.operate(), began.branch));
    }
    events.push(await this.#event('fold/return', () => this.#agent.fold(), began.branch));
    return events;
  }

  async close() {
    for (const socket of [this.#watcher, this.#speaker]) socket.terminate();
    await this.#agent.close();
    await this.#server.stop();
  }
}

function pause() {
  return sleep(PAUSE.least + Math.random() * PAUSE.more);
}
