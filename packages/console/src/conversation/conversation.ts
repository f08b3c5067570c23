import { type Collapser, createCollapser, estimateTokens, type Reporter, resultText } from '@infold/client';
import { projectAnthropic } from '@infold/client/anthropic';
import { observed, type ToolCall } from '@infold/client/mcp';
import { type Message, promptTokens } from '@infold/demo/script';
import { Observable } from '../design/hooks/observable.ts';
import { type Called, type Entry, type Said, type ToolAnswer, withTracked } from './entries.ts';
import type { McpConnection } from './mcp/connection.ts';
import { sentenceOf } from './sentence.ts';

/** Tokens of one prompt, as the client estimates them: as it is sent, and as it would be if nothing collapsed. */
export interface Turn {
  sent: number;
  whole: number;
}

export interface ConversationState {
  entries: readonly Entry[];
  turns: readonly Turn[];
  /** How often a person asked for something: then they want to see what comes of it. */
  asked: number;
}

const NOTHING: ConversationState = { entries: [], turns: [], asked: 0 };
/** A conversation begins with a person: a model API takes it no other way. */
const BY_HAND = 'Tools are called by hand.';

/**
 * What was asked, called and answered, with the client library's collapser beside it. The history stays whole, in the
 * messages of Anthropic's API; `project` makes of it what is sent.
 */
export class Conversation {
  readonly state = new Observable(NOTHING);
  #history: Message[] = [];
  #collapser!: Collapser;
  #name!: string;
  #reporter: Reporter | undefined;
  readonly #reporterFor: ((session: string) => Reporter) | undefined;
  #calls = 0;
  readonly #counted = new Map<string, number>();

  /** @param reporterFor tells the server what collapses in a session; without it nobody is told */
  constructor(reporterFor?: (session: string) => Reporter) {
    this.#reporterFor = reporterFor;
    this.#begin();
  }

  /** How the server knows its calls to be of one session. */
  get name(): string {
    return this.#name;
  }

  get history(): Message[] {
    return this.#history;
  }

  /** Begins anew: nothing of what was said is sent again. */
  clear(): void {
    void this.#reporter?.close();
    this.#history = [];
    this.#begin();
    this.#counted.clear();
    this.state.change(() => NOTHING);
  }

  /** Tells the server at once what it has not been told yet. */
  async told(): Promise<void> {
    await this.#reporter?.flush();
  }

  readonly countTokens = (text: string): number => {
    const known = this.#counted.get(text);
    if (known !== undefined) return known;
    const tokens = estimateTokens(text);
    this.#counted.set(text, tokens);
    return tokens;
  };

  /** The prompt that a model is sent now; it counts as a turn. */
  readonly project = (history: readonly Message[] = this.#history): Message[] => {
    const prompt = projectAnthropic(this.#collapser, history) as Message[];
    const turn = {
      sent: promptTokens(prompt, this.countTokens),
      whole: promptTokens(history, this.countTokens),
    };
    this.state.change(({ turns, ...state }) => ({ ...state, turns: [...turns, turn] }));
    return prompt;
  };

  nextId(): string {
    return `console_${++this.#calls}`;
  }

  /** Shows something that was said; what is sent is the history's. */
  show(by: Said['by'], text: string, isOpen = false): string {
    const id = this.nextId();
    if (by === 'user') this.#noteAsked();
    this.#add({ kind: 'said', id, by, text, isOpen });
    return id;
  }

  showMore(id: string, text: string, isOpen: boolean): void {
    this.#change(id, (entry) => (entry.kind === 'said' ? { ...entry, text, isOpen } : entry));
  }

  /** Makes a call and shows it. What the server signals about earlier results is done at once. */
  async call(
    connection: McpConnection,
    { callId, name, arguments: input = {} }: ToolCall,
    signal?: AbortSignal,
  ) {
    const collapser = this.#collapser;
    const tools = observed<AbortSignal | undefined, ToolAnswer>(
      { callTool: (request, stop) => connection.call(request.name, request.arguments ?? {}, stop) },
      { collapser, server: 'infold' },
    );
    // A call that is made again takes the place of the one that failed.
    collapser.forget(callId);
    this.#add({ kind: 'called', id: callId, tool: name, input, ...UNANSWERED });
    try {
      const answer = await tools.callTool({ callId, name, arguments: input }, signal);
      if (collapser !== this.#collapser) return answer;
      this.#change(callId, (entry) => ({ ...entry, answer }) as Called);
      const { results } = collapser.state();
      this.state.change((state) => ({ ...state, entries: withTracked(state.entries, results) }));
      return answer;
    } catch (error) {
      const problem = sentenceOf(error);
      this.#change(callId, (entry) => ({ ...entry, problem }) as Called);
      throw error;
    }
  }

  /** A call that a person makes, with its place in the history. */
  async callByHand(
    connection: McpConnection,
    name: string,
    input: Record<string, unknown>,
  ): Promise<ToolAnswer> {
    const id = this.nextId();
    const history = this.#history;
    this.#noteAsked();
    const answer = await this.call(connection, { callId: id, name, arguments: input });
    // Another conversation has begun meanwhile: this is none of its own.
    if (history !== this.#history) return answer;
    if (history.length === 0) history.push({ role: 'user', content: BY_HAND });
    history.push(
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [resultBlock(id, answer)] },
    );
    this.project();
    return answer;
  }

  /** Takes the last message back where it asks for calls that nobody made: no API takes a call without its result. */
  dropUnanswered(): void {
    const last = this.#history.at(-1);
    if (last?.role !== 'assistant' || typeof last.content === 'string') return;
    if (last.content.some(({ type }) => type === 'tool_use')) this.#history.pop();
  }

  #begin(): void {
    this.#name = sessionName();
    this.#collapser = createCollapser({ onWarning: () => {} });
    this.#reporter = this.#reporterFor?.(this.#name);
    this.#reporter?.follow(this.#collapser);
  }

  #noteAsked(): void {
    this.state.change((state) => ({ ...state, asked: state.asked + 1 }));
  }

  #add(entry: Entry): void {
    this.state.change((state) => {
      const others = state.entries.filter(({ id }) => id !== entry.id);
      return { ...state, entries: [...others, entry] };
    });
  }

  #change(id: string, change: (entry: Entry) => Entry): void {
    this.state.change((state) => ({
      ...state,
      entries: state.entries.map((entry) => (entry.id === id ? change(entry) : entry)),
    }));
  }
}

const UNANSWERED = { answer: undefined, problem: undefined, tracked: undefined };

export function resultBlock(id: string, answer: ToolAnswer) {
  return {
    type: 'tool_result' as const,
    tool_use_id: id,
    content: resultText(answer),
    ...(answer.isError && { is_error: true }),
  };
}

/** Tells conversations apart; no secret. */
function sessionName(): string {
  return `console-${Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
