import { META, type OperationReport } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { VERSION } from '../../kernel/version.ts';
import { callTool } from '../../mcp/tools/call.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import type { Services } from '../services/services.ts';
import { SimulatedProvider } from './provider.ts';
import { QUESTION, type StoryStep } from './story.ts';

type Block = Record<string, unknown>;
interface Message {
  role: 'user' | 'assistant';
  content: Block[];
}

export interface AgentOptions {
  caller: Caller;
  project: string;
  /** The host's name of the session. */
  session: string;
  /** What a host's hook tells of the host's own tools. */
  report(operation: OperationReport): Promise<unknown>;
}

interface Page {
  handle: string;
  summary: string;
}

const HOST = 'sample';
/** Nobody has a price for it, so no money is claimed. */
const MODEL = 'sample-model';
const SYSTEM =
  'You are an agent that mends a shop. Branch off what is long, fold it when it is done, and say what you do in a sentence.';
const MARK = { cache_control: { type: 'ephemeral' } };

const text = (description: string) => ({ type: 'string', description });
const HOST_TOOLS = [
  {
    name: 'Bash',
    description: 'Run a command.',
    input_schema: { type: 'object', properties: { command: text('The command') } },
  },
  {
    name: 'Read',
    description: 'Read a file.',
    input_schema: { type: 'object', properties: { file_path: text('The file') } },
  },
  {
    name: 'Edit',
    description: 'Replace a text in a file.',
    input_schema: {
      type: 'object',
      properties: {
        file_path: text('The file'),
        old_string: text('What is there'),
        new_string: text('What will be'),
      },
    },
  },
];

/** An agent whose model is a script: its host speaks with this server as real ones do, and with a provider that is simulated. */
export class SampleAgent {
  readonly #services: Services;
  readonly #options: AgentOptions;
  readonly #connection: Connection;
  readonly #provider = new SimulatedProvider();
  /** Of nobody: a page that is closed meanwhile would leave half of it. */
  readonly #signal = new AbortController().signal;
  readonly #messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }];
  readonly #branches: string[] = [];
  /** Pages of records that were used up. */
  readonly used: Page[] = [];
  #page: Page | undefined;
  #steps = 0;

  constructor(services: Services, options: AgentOptions) {
    this.#services = services;
    this.#options = options;
    this.#connection = new Connection(options.project, { hostSession: options.session });
  }

  /** A turn: the model is asked, and does what the script says. A tool whose door is closed is left out. */
  async take(step: StoryStep): Promise<void> {
    const isOpen = 'tool' in step || this.#services.registry.find(step.calls) !== undefined;
    if (!isOpen) return;
    const id = `toolu_sample_${++this.#steps}`;
    const name = 'tool' in step ? step.tool : `mcp__infold__${step.calls}`;
    const input = this.#inputOf(step);
    const said = step.says === undefined ? [] : [{ type: 'text', text: step.says }];
    const answer = [...said, { type: 'tool_use', id, name, input }];
    await this.ask(JSON.stringify(answer));
    const output = 'tool' in step ? await this.#report(step, id) : await this.#call(step, input, id);
    this.#messages.push({ role: 'assistant', content: answer });
    this.#messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: output }],
    });
  }

  /** Sends the conversation to the model, by way of the window. */
  async ask(answer: string): Promise<void> {
    const { caller, session } = this.#options;
    const signal = this.#signal;
    const began = performance.now();
    const body = new TextEncoder().encode(JSON.stringify(this.#body()));
    const prepared = await this.#services.prepare({
      ...{ caller, body, signal, hostSession: session, upstream: HOST, dialect: 'anthropic' },
      ...{ method: 'POST', path: '/v1/messages', headers: { 'user-agent': `${HOST}/${VERSION}` } },
    });
    const own = performance.now() - began;
    const usage = this.#provider.answer(prepared.body ?? body, answer);
    await prepared.answered({
      status: 200,
      usage,
      milliseconds: { first: own, all: own, own },
      isComplete: true,
    });
  }

  #body() {
    const tools = this.#services.registry.list('portable').map(({ name, description, inputSchema }) => ({
      name: `mcp__infold__${name}`,
      description,
      input_schema: inputSchema,
    }));
    const last = this.#messages.at(-1)!;
    const marked = {
      ...last,
      content: last.content.map((block, place) =>
        place === last.content.length - 1 ? { ...block, ...MARK } : block,
      ),
    };
    return {
      model: MODEL,
      max_tokens: 4096,
      system: [{ type: 'text', text: SYSTEM, ...MARK }],
      tools: [...HOST_TOOLS, ...tools],
      messages: [...this.#messages.slice(0, -1), marked],
    };
  }

  #inputOf(step: StoryStep): Record<string, unknown> {
    if ('tool' in step) return step.input;
    const page = step.usesPage ? this.#page : undefined;
    const branch = step.inBranch ? this.#branches.at(-1) : undefined;
    return {
      ...step.input,
      ...(page && { sources: [page.handle] }),
      ...(branch !== undefined && { branch_id: branch }),
    };
  }

  async #report({ tool, input, output }: Extract<StoryStep, { tool: string }>, id: string): Promise<string> {
    await this.#options.report({ call_id: id, tool, input, output });
    return output;
  }

  async #call(
    step: Extract<StoryStep, { calls: string }>,
    input: Record<string, unknown>,
    callId: string,
  ): Promise<string> {
    const { caller, session } = this.#options;
    const signal = this.#signal;
    const outcome = await callTool(this.#services, {
      ...{ name: step.calls, arguments: input, caller, connection: this.#connection, callId, signal },
      ...{ client: { name: HOST, version: VERSION }, hostSession: session },
    });
    if ('failure' in outcome) throw outcome.failure;
    const { isError, content, structuredContent, _meta: meta = {} } = outcome.result;
    if (isError)
      throw new InfoldError('internal', `The sample cannot go on: ${step.calls}: ${content[0].text}`);
    if (step.calls === 'context_branch') this.#branches.push(String(structuredContent.branch_id));
    if (step.usesPage && this.#page) this.used.push(this.#page);
    const handle = meta[META.handle];
    const { summary } = (meta.context ?? {}) as { summary?: string };
    this.#page = typeof handle === 'string' && summary !== undefined ? { handle, summary } : undefined;
    return content[0].text;
  }
}
