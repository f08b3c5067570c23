import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { openJournal } from '../../packages/server/dist/cli/services/journal.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { callTool } from '../../packages/server/dist/mcp/tools/call.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { resolveProject } from '../../packages/server/dist/trust/identity/projects.js';
import { Connection, sessionOrNew } from '../../packages/server/dist/trust/sessions/resolve.js';
import { temporaryFolder } from './server-process.mjs';

/** Everything that a call needs, in this process: on a folder of its own, or as it is configured. */
export async function startServices({ config } = loadConfig({ data: temporaryFolder() }, {})) {
  const journal = await openJournal(config);
  return createServices(config, journal, 'silent');
}

/** An agent of its own project on a server in this process: tool calls without a transport. */
export class Agent {
  #connection = new Connection();
  /** @type {import('../../packages/server/dist/trust/sessions/queries.js').Session | undefined} */
  session;

  /**
   * @param {import('../../packages/server/dist/cli/services/services.js').Services} services
   * @param {string} project
   */
  constructor(services, project) {
    this.services = services;
    this.project = project;
  }

  /** Begins the session. */
  async begin() {
    const { journal, clock } = this.services;
    const project = resolveProject(journal.database, localOwner, this.project);
    const sessionId = undefined;
    const question = { caller: localOwner, connection: this.#connection, project, sessionId, now: clock() };
    this.session = await sessionOrNew(journal, question);
    return this;
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} [input]
   */
  async call(name, input = {}) {
    const outcome = await callTool(this.services, {
      name,
      arguments: { project_path: this.project, ...input },
      caller: localOwner,
      connection: this.#connection,
      signal: new AbortController().signal,
    });
    if ('failure' in outcome) throw outcome.failure;
    if (outcome.result.isError) throw new Error(outcome.result.content[0]?.text);
    return outcome.result.structuredContent;
  }

  branch() {
    return this.call('context_branch', { description: 'Search the logs', prompt: 'Find every auth error.' });
  }

  fold() {
    return this.call('context_return', { message: 'Found three patterns of auth errors in the logs.' });
  }

  status() {
    return this.call('context_branch_status');
  }

  /** @param {number} [count] */
  operate(count = 1) {
    const operation = {
      tool: 'Grep',
      input: { pattern: '401' },
      output: 'auth failed for user 17',
      tokens: 12,
    };
    return this.services.meter.report(localOwner, this.session, Array(count).fill(operation));
  }
}
