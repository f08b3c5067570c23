import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callsOf } from '../../packages/server/dist/cli/services/calls.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { createToken } from '../../packages/server/dist/system/actions/tokens.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { importInto, ruleText, writeLibrary } from '../library/folder.mjs';
import { startServices } from '../support/agent.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

const PROJECT = '/bench/shop';

/** A hub in a process of its own, with a library of so many files. */
export class Team {
  #changes = 0;

  /**
   * @param {import('../../packages/server/dist/cli/services/services.js').Services} services on the hub's folder
   * @param {ServerProcess} hub
   * @param {string} token
   */
  constructor(services, hub, token) {
    this.services = services;
    this.hub = hub;
    this.token = token;
  }

  /** @param {number} files */
  static async start(files) {
    const data = temporaryFolder();
    const services = await startServices(loadConfig({ data }, {}));
    const { token } = await callsOf(services, localOwner)(createToken, {
      name: 'alice',
      scopes: ['read', 'write'],
    });
    const values = ['serve', '--port', '0', '--data', data, '--log-level', 'warn'];
    const team = new Team(services, await ServerProcess.start(PROGRAM, values), token);
    const folder = temporaryFolder();
    writeLibrary(folder, files);
    await importInto(services, PROJECT, folder);
    return team;
  }

  /**
   * Publishes so many of its files with another content, in one revision.
   *
   * @param {number} count
   */
  async change(count) {
    const folder = temporaryFolder();
    writeLibrary(folder, count);
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const path of paths.filter((one) => one.endsWith('.md'))) {
      writeFileSync(join(folder, path), ruleText(++this.#changes + 1_000_000));
    }
    await importInto(this.services, PROJECT, folder);
  }

  /** A member's machine, in this process. */
  async edge() {
    const services = await startServices();
    const { edge } = services.parts;
    return {
      services,
      edge,
      join: () => edge.join({ url: this.hub.url, token: this.token, project: PROJECT, to: undefined }),
      close: async () => {
        await services.settle();
        await services.journal.close();
      },
    };
  }

  /**
   * @param {string} path
   * @param {unknown} [body]
   */
  async ask(path, body) {
    const response = await fetch(`${this.hub.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async stop() {
    await this.hub.stop();
    await this.services.settle();
    await this.services.journal.close();
  }
}
