import { setTimeout as wait } from 'node:timers/promises';

const VERSION = '2026-07-28';
const CALL_TIME = 15_000;
const PAUSE = 100;

/**
 * An MCP client over HTTP that branches and folds. Whatever fails, it asks another node: its session is the same everywhere.
 */
export class Agent {
  #nodes;
  #node;
  #isStopped = false;
  /** Branches whose folding was acknowledged. */
  folded = [];
  /** Calls that were not answered, or with an error: how often, by what was said. */
  failures = {};

  constructor(name, nodes, first) {
    this.name = name;
    this.#nodes = nodes;
    this.#node = first;
  }

  async work() {
    while (!this.#isStopped) {
      try {
        await this.#cycle();
      } catch (error) {
        const said = error.code ?? error.cause?.code ?? error.name;
        this.failures[said] = (this.failures[said] ?? 0) + 1;
        this.#node = (this.#node + 1) % this.#nodes.length;
        await wait(PAUSE * (1 + Math.random()));
      }
      await wait(PAUSE * Math.random());
    }
  }

  stop() {
    this.#isStopped = true;
  }

  /** An answer may be lost on its way: whoever asks first where the session stands does nothing twice. */
  async #cycle() {
    const { active_branch_id: open } = await this.#call('context_branch_status');
    const branch = open ?? (await this.#branch());
    const message = `${this.name} found nothing unusual, ${this.folded.length} searches in a row.`;
    await this.#call('context_return', { branch_id: branch, message });
    this.folded.push(branch);
  }

  async #branch() {
    const prompt = 'Find every error of the last hour.';
    const { branch_id: id } = await this.#call('context_branch', { description: 'Search the logs', prompt });
    return id;
  }

  async #call(tool, input = {}) {
    const response = await fetch(`${this.#nodes[this.#node].url}/mcp`, {
      method: 'POST',
      signal: AbortSignal.timeout(CALL_TIME),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
        'x-infold-session': this.name,
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: {
          name: tool,
          arguments: { project_path: '/example/cluster', ...input },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': VERSION,
            'io.modelcontextprotocol/clientInfo': { name: 'cluster-example', version: '1.0.0' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    const { result, error } = await response.json();
    if (error)
      throw Object.assign(new Error(error.message), { code: error.data?.code ?? String(error.code) });
    if (result.isError) {
      const code = result.structuredContent?.code ?? 'refused';
      throw Object.assign(new Error(result.content[0].text), { code });
    }
    return result.structuredContent;
  }
}
