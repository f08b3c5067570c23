import { type Collapser, type CollapserOptions, createCollapser, type Warning } from '../index.ts';

/** What servers of the protocol answer, and a conversation to send it through. */

export const FETCH = 'search_records';
export const STORE = 'store_analysis_memory';

export interface Answer {
  content: { type: string; text: string }[];
  isError?: boolean;
  _meta?: unknown;
}

export const text = (value: string): Answer => ({ content: [{ type: 'text', text: value }] });

/** The lines of a page are distinct words, so that a count of tokens means something. */
export const rows = (count: number, from = 72) =>
  Array.from(
    { length: count },
    (_, index) => `${from + index}: activity number ${from + index}, unsorted, 45 minutes`,
  ).join('\n');

export const summaryOf = (page: number) => `15 activity records (page ${page}/9, IDs: ${page}, ${page + 1}…)`;

export function page(number: number, more: Record<string, unknown> = {}): Answer {
  const context = { lifecycle: 'transient', summary: summaryOf(number) };
  return { ...text(rows(15, number * 100)), _meta: { context, ...more } };
}

export const stored = (...consumes: string[]): Answer => ({
  ...text('Stored 1 analysis finding.'),
  _meta: { context: { consumed: true }, ...(consumes.length > 0 && { 'infold/consumes': consumes }) },
});

export const hint = (tool = FETCH, consumedBy = STORE) => ({
  step: 2,
  tool,
  lifecycle: 'transient',
  consumedBy,
});

export const step = (...hints: unknown[]): Answer => ({
  ...text('## Steps 2–3 — loop'),
  _meta: { contextHints: hints.length > 0 ? hints : [hint()] },
});

/** A collapser with its history in OpenAI Chat's shape, the simplest of all. */
export class Conversation {
  readonly warnings: Warning[] = [];
  readonly messages: { role: string; tool_call_id?: string; content: unknown }[] = [];
  readonly collapser: Collapser;
  #next = 1;

  constructor(options: CollapserOptions = {}) {
    this.collapser = createCollapser({ onWarning: (warning) => this.warnings.push(warning), ...options });
  }

  /** A call and its result; answers the call id. */
  call(tool: string, result: unknown, server = 'infold', callId = `call_${this.#next++}`): string {
    this.collapser.observe({ server, tool, callId, result });
    const content = (result as Partial<Answer> | null)?.content?.[0]?.text ?? '';
    this.messages.push({ role: 'tool', tool_call_id: callId, content });
    return callId;
  }

  /** What the model would be sent for a call's result. */
  shown(callId: string): unknown {
    return this.collapser.project(this.messages).find((message) => message.tool_call_id === callId)?.content;
  }

  /** Whether it is shown in full. */
  full(callId: string): boolean {
    return this.shown(callId) === this.messages.find((message) => message.tool_call_id === callId)?.content;
  }

  get codes(): string[] {
    return this.warnings.map(({ code }) => code);
  }
}
