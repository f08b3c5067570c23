import { estimateTokens, resultText, type TokenCounter } from '@infold/client';
import type { ObservedTools } from '@infold/client/mcp';

interface TextBlock {
  type: 'text';
  text: string;
}
interface CallBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
}
interface ResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

/** A message of Anthropic's Messages API, as far as an agent without pictures and thinking writes them. */
export interface Message {
  role: 'user' | 'assistant';
  content: string | (TextBlock | CallBlock | ResultBlock)[];
}

/** What is used of a tool's answer. */
export interface Answer {
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

/** What a model reads of a conversation: no system prompt, no tool definitions, no framing. */
export function promptTokens(
  messages: readonly Message[],
  countTokens: TokenCounter = estimateTokens,
): number {
  const blocks = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  );
  return blocks.reduce((sum, block) => {
    if (block.type === 'tool_use') return sum + countTokens(`${block.name} ${JSON.stringify(block.input)}`);
    return sum + countTokens(block.type === 'text' ? block.text : block.content);
  }, 0);
}

export interface ConversationOptions {
  task: string;
  tools: ObservedTools<unknown, Answer>;
  /** What was said before, which this goes on; the task is added to it. */
  history?: Message[];
  countTokens?: TokenCounter;
  /** What of the history is sent to the model. */
  project?: (history: readonly Message[]) => Message[];
  onTurn?: (turn: number, tokens: number) => void;
}

/**
 * A conversation whose model is a script. Each turn counts the prompt that a model would be sent, then makes the calls
 * that the script says it answers with.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #history: Message[];
  #sent: Message[] = [];
  /** Tokens of each prompt so far. */
  readonly prompts: number[] = [];

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#history = options.history ?? [];
    this.#history.push({ role: 'user', content: options.task });
  }

  /** The prompt that was sent last. */
  get lastPrompt(): readonly Message[] {
    return this.#sent;
  }

  /** One turn with one call; answers its structured content. */
  async call<Answer>(name: string, input: Record<string, unknown>): Promise<Answer> {
    this.#send();
    const id = `call_${this.prompts.length}`;
    this.#history.push({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] });
    const answer = await this.#options.tools.callTool({ callId: id, name, arguments: input });
    const text = resultText(answer);
    // The script knows no way on: a failed call is a fault of the demo.
    if (answer.isError) throw new Error(`The demo cannot go on: ${name}: ${text}`);
    this.#history.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] });
    return answer.structuredContent as Answer;
  }

  /** The last turn, in which the model has nothing more to call. */
  finish(text: string): void {
    this.#send();
    this.#history.push({ role: 'assistant', content: text });
  }

  /** A place to fold back to: right after the call that was made last. */
  mark(): number {
    return this.#history.length;
  }

  /** Drops what came after the mark; the result before it says what became of it, so that every call keeps its result. */
  fold(mark: number, summary: string): void {
    const result = this.#history[mark - 1]!;
    const blocks = (result.content as ResultBlock[]).map((block) => ({ ...block, content: summary }));
    this.#history.splice(mark - 1, Number.POSITIVE_INFINITY, { ...result, content: blocks });
  }

  #send(): void {
    const { project, onTurn, countTokens } = this.#options;
    this.#sent = project ? project(this.#history) : this.#history.slice();
    const tokens = promptTokens(this.#sent, countTokens);
    this.prompts.push(tokens);
    onTurn?.(this.prompts.length, tokens);
  }
}
