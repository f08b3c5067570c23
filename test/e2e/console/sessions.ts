import { type Api, createApi } from '@infold/client/api';
import type { Client } from '@modelcontextprotocol/client';
import { answerOf, connectOverHttp } from '../../support/mcp-agent.mjs';

/** A tool of the host that was used in a session. */
export interface Used {
  tool: string;
  input: Record<string, unknown>;
  output: string;
  /** What stands in the place of its result from then on. */
  collapsesTo?: string;
}

export type Deed =
  | Used
  | {
      description: string;
      prompt: string;
      deeds: readonly Deed[];
      /** The summary that it is folded to; without one it stays open. */
      folds?: string;
      isDiscarded?: true;
    };

export interface WorkOptions {
  url: string;
  token?: string;
  /** The host's name for the session. */
  session: string;
  project: string;
  /** What the host calls itself. */
  host?: string;
}

/**
 * An agent at work: what it does reaches the server as a host's calls do, by MCP and by the report of what other tools did.
 * Deeds are done in order, and once something is left open nothing follows it in the same branch.
 */
export class WorkSession {
  readonly api: Api;
  readonly #options: WorkOptions;
  readonly #client: Client;
  #calls = 0;

  private constructor(options: WorkOptions, client: Client) {
    const { url, token } = options;
    this.#options = options;
    this.api = createApi({ url, ...(token !== undefined && { token }) });
    this.#client = client;
  }

  static async begin(options: WorkOptions): Promise<WorkSession> {
    const { url, token, host: name = 'claude-code' } = options;
    return new WorkSession(options, await connectOverHttp(`${url}/mcp`, { name, version: '2.1.0', token }));
  }

  /** Our id of it. */
  async id(): Promise<string> {
    return (await this.api.readSession({ id: this.#options.session })).id;
  }

  async do(...deeds: readonly Deed[]): Promise<void> {
    for (const deed of deeds) {
      if ('tool' in deed) await this.#use([deed]);
      else await this.#branch(deed);
    }
  }

  /** Many operations at once, in the branch that is open. */
  async #use(used: readonly Used[]): Promise<void> {
    const { session, project } = this.#options;
    const operations = used.map(({ tool, input, output }) => {
      this.#calls += 1;
      return { call_id: `${session}-${this.#calls}`, tool, input, output };
    });
    const report = { id: session, project };
    await this.api.reportOperations({ ...report, operations });
    const collapsed = used.flatMap(({ collapsesTo }, place) =>
      collapsesTo === undefined ? [] : [{ call_id: operations[place]!.call_id, summary: collapsesTo }],
    );
    if (collapsed.length > 0) await this.api.reportOperations({ ...report, collapsed });
  }

  /** As many as a report takes at a time. */
  async useMany(used: readonly Used[], most = 100): Promise<void> {
    for (let from = 0; from < used.length; from += most) await this.#use(used.slice(from, from + most));
  }

  async #branch(deed: Exclude<Deed, Used>): Promise<void> {
    const { description, prompt, deeds, folds, isDiscarded } = deed;
    const { branch_id } = await this.call('context_branch', { description, prompt });
    await this.do(...deeds);
    if (folds !== undefined) await this.call('context_return', { message: folds, branch_id });
    else if (isDiscarded) await this.call('context_rollback', { branch_id, abandon: true });
  }

  async call(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { session, project } = this.#options;
    return answerOf(this.#client, name, { project_path: project, session_id: session, ...input });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
