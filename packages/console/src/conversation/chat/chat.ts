import type { Message } from '@infold/demo/script';
import { Batches } from '../../api/batches.ts';
import { Observable } from '../../design/hooks/observable.ts';
import { type Conversation, resultBlock } from '../conversation.ts';
import type { McpConnection, McpTool } from '../mcp/connection.ts';
import { sentenceOf } from '../sentence.ts';
import type { AskedCall, ModelAnswer } from './dialect.ts';

export interface ChatState {
  isBusy: boolean;
  /** The model has said all that it wanted to. */
  isAnswered: boolean;
  /** Why the last answer did not come; it can be asked for again. */
  problem: string | undefined;
}

/** Asks the model that is set up. */
export type Ask = (
  asked: { system: string; messages: readonly Message[]; tools: readonly McpTool[] },
  options: { signal: AbortSignal; onText: (text: string) => void },
) => Promise<ModelAnswer>;

const SYSTEM =
  'You help the person who looks at the console of Infold, a server that keeps the context of agents small. Use its tools where they help. Answer briefly; Markdown is shown.';
/** A model that only ever calls is stopped: nobody knows what it does. */
const MOST_TURNS = 60;

/** A conversation with a real model: its words as they come, its calls made and collapsed as any other. */
export class Chat {
  readonly state = new Observable<ChatState>({ isBusy: false, isAnswered: false, problem: undefined });
  readonly #conversation: Conversation;
  #stopping: AbortController | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Says something and lets the model answer. */
  async say(text: string, ask: Ask, connect: () => Promise<McpConnection>): Promise<void> {
    if (this.state.read().isBusy) return;
    this.#conversation.show('user', text);
    this.#conversation.history.push({ role: 'user', content: text });
    await this.again(ask, connect);
  }

  /** Lets the model answer to what was said last. */
  async again(ask: Ask, connect: () => Promise<McpConnection>): Promise<void> {
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.state.change(() => ({ isBusy: true, isAnswered: false, problem: undefined }));
    let problem: string | undefined;
    let isAnswered = false;
    try {
      await this.#answer(ask, await connect(), stopping.signal);
      isAnswered = true;
    } catch (error) {
      if (!stopping.signal.aborted) problem = sentenceOf(error);
      this.#conversation.dropUnanswered();
    }
    this.#stopping = undefined;
    this.state.change(() => ({ isBusy: false, isAnswered, problem }));
  }

  stop(): void {
    this.#stopping?.abort();
  }

  async #answer(ask: Ask, connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { history } = this.#conversation;
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const answer = await this.#spoken(ask, connection.tools, signal);
      if (answer.isCut) throw new Error('The model wrote an answer that was too long, and was stopped.');
      if (answer.calls.length === 0) return;
      const results = [];
      for (const call of answer.calls) results.push(await this.#called(connection, call, signal));
      history.push({ role: 'user', content: results });
    }
    throw new Error(`The model called tools ${MOST_TURNS} times without an answer, and was stopped.`);
  }

  /** One answer of the model, shown while it comes. What was said until something broke stays. */
  async #spoken(ask: Ask, tools: readonly McpTool[], signal: AbortSignal): Promise<ModelAnswer> {
    const conversation = this.#conversation;
    const { history } = conversation;
    let shown: string | undefined;
    let text = '';
    const show = (isOpen: boolean) => {
      shown ??= conversation.show('model', '', true);
      conversation.showMore(shown, text, isOpen);
    };
    // Words come faster than a page can be drawn.
    const batches = new Batches<string>(() => show(true));
    const onText = (whole: string) => {
      text = whole;
      batches.add(whole);
    };
    try {
      const answer = await ask(
        { system: SYSTEM, messages: conversation.project(), tools },
        { signal, onText },
      );
      const calls = answer.calls.map((call) => this.#named(call));
      history.push({ role: 'assistant', content: blocksOf(answer.text, calls) });
      return { ...answer, calls };
    } catch (error) {
      if (text !== '') history.push({ role: 'assistant', content: text });
      throw error;
    } finally {
      batches.stop();
      if (text !== '') show(false);
    }
  }

  /** Some servers give no ids, or the same again: results are told apart by them. */
  #named(call: AskedCall): AskedCall {
    const isKnown = this.#conversation.state.read().entries.some(({ id }) => id === call.id);
    return call.id === '' || isKnown ? { ...call, id: this.#conversation.nextId() } : call;
  }

  /** Whatever goes wrong with a call is for the model to read: it may try again. */
  async #called(connection: McpConnection, { id, name, input }: AskedCall, signal: AbortSignal) {
    if (!input) return resultBlock(id, failed('The arguments are not a JSON object'));
    try {
      const call = { callId: id, name, arguments: input };
      return resultBlock(id, await this.#conversation.call(connection, call, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      return resultBlock(id, failed(sentenceOf(error)));
    }
  }
}

function blocksOf(text: string, calls: readonly AskedCall[]): Message['content'] {
  if (calls.length === 0) return text === '' ? '…' : text;
  const said = text === '' ? [] : [{ type: 'text' as const, text }];
  return [
    ...said,
    ...calls.map(({ id, name, input = {} }) => ({ type: 'tool_use' as const, id, name, input })),
  ];
}

const failed = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
