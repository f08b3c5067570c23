import { createProvider, promptTokens } from '../../../packages/client/src/window/cache-model.suite.ts';
import {
  type Host,
  hostNamed,
  requestsOf,
  type Script,
  type Sent,
} from '../../../packages/client/src/window/histories.suite.ts';
import type { Dialect } from '../../../packages/client/src/window/types.ts';
import { openUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts';

/** Of each dialect: under which name its provider is asked. */
const UPSTREAMS: Partial<Record<Dialect, string>> = { anthropic: 'anthropic', gemini: 'gemini' };
const upstreamOf = (dialect: Dialect) => UPSTREAMS[dialect] ?? 'openai';

export interface Models extends ScriptedUpstream {
  /** For `infold serve`: every provider is this one. */
  args: string[];
}

/**
 * The models of all providers. Each answer tells what a provider would bill: what it had in its cache, what it wrote there,
 * what came new.
 */
export async function openModels(): Promise<Models> {
  const providers = new Map<Dialect, ReturnType<typeof createProvider>>();
  const upstream = await openUpstream(({ url, body }, response) => {
    const asked = JSON.parse(body.toString()) as Record<string, unknown>;
    const dialect = dialectOf(url);
    const provider = providers.get(dialect) ?? createProvider(dialect);
    providers.set(dialect, provider);
    const model = typeof asked.model === 'string' ? asked.model : '';
    const usage = provider.ask({ model, body: asked, at: Date.now(), answer: 'It is done. '.repeat(20) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told(dialect, usage)));
  });
  const args = ['anthropic', 'openai', 'gemini'].flatMap((name) => ['--upstream', `${name}=${upstream.url}`]);
  return { ...upstream, args };
}

function dialectOf(url: string): Dialect {
  if (url.includes('/messages')) return 'anthropic';
  if (url.includes('/responses')) return 'openai-responses';
  return url.includes('/chat/completions') ? 'openai-chat' : 'gemini';
}

type Usage = ReturnType<ReturnType<typeof createProvider>['ask']>;

/** As the provider writes it. */
function told(dialect: Dialect, usage: Usage): object {
  const { input, cache_read, cache_write, output } = usage;
  const all = promptTokens(usage);
  switch (dialect) {
    case 'anthropic':
      return {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'It is done.' }],
        usage: {
          input_tokens: input,
          cache_read_input_tokens: cache_read,
          cache_creation_input_tokens: cache_write,
          output_tokens: output,
        },
      };
    case 'openai-chat':
      return {
        usage: {
          prompt_tokens: all,
          completion_tokens: output,
          prompt_tokens_details: { cached_tokens: cache_read },
        },
      };
    case 'openai-responses':
      return {
        usage: {
          input_tokens: all,
          output_tokens: output,
          input_tokens_details: { cached_tokens: cache_read },
        },
      };
    case 'gemini':
      return {
        usageMetadata: {
          promptTokenCount: all,
          cachedContentTokenCount: cache_read,
          candidatesTokenCount: output,
        },
      };
  }
}

export interface TalkOptions {
  url: string;
  token?: string;
  script: Script;
  /** Such as `claude-code`, `codex`. */
  host?: string;
  /** What the host calls itself, where that is something else. */
  agent?: string;
}

/** A host's conversation with its model through the server, as fast or as slowly as a test wants it. */
export class WindowTalk {
  readonly #options: TalkOptions;
  readonly #requests: Sent[];
  #next = 0;

  constructor(options: TalkOptions) {
    this.#options = options;
    const host: Host = hostNamed(options.host ?? 'claude-code');
    this.#requests = requestsOf(options.script, host);
  }

  get turns(): number {
    return this.#requests.length;
  }

  /** What the host calls the session. */
  get session(): string {
    return this.#requests[0]!.session;
  }

  /** Asks so many times more; fewer where the conversation ends before. */
  async ask(times = 1): Promise<void> {
    for (const sent of this.#requests.slice(this.#next, this.#next + times)) await this.#post(sent);
    this.#next = Math.min(this.#requests.length, this.#next + times);
  }

  async finish(): Promise<void> {
    await this.ask(this.#requests.length);
  }

  async #post({ host, dialect, path, headers, text }: Sent): Promise<void> {
    const { url, token, agent = `${host}/2.1.0` } = this.#options;
    const who = token === undefined ? '' : `/~${token}`;
    const response = await fetch(`${url}/model/${upstreamOf(dialect)}${who}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': agent,
        ...headers,
      },
      body: text,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The model answered ${response.status}: ${answer.slice(0, 300)}`);
  }
}
