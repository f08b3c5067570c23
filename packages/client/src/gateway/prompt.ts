import type { Envelope, GatewayFilter } from '@infold/protocol';
import { contextParents, matchesFilter } from './filters.ts';

export interface PromptOptions {
  /** The participant whose prompt it is: its own messages become the assistant's. */
  me: string;
  /** Which contexts go in; all by default. */
  contexts?: GatewayFilter['contexts'];
  /** What a context that is left out came to, in its place; true by default. */
  conclusions?: boolean;
  /** How a message reads; null leaves it out. */
  describe?: (message: Envelope) => string | null;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: string;
}

const CONCLUSIONS = ['conclusion', 'reasoning/conclusion', 'reasoning/end'];

/** What was said in a pod as messages for a model, with chosen contexts in or out. Turns of one role are joined. */
export function promptMessages(messages: readonly Envelope[], options: PromptOptions): PromptMessage[] {
  const { me, contexts = 'all', conclusions = true, describe = describeMessage } = options;
  const parents = contextParents(messages);
  const prompt: PromptMessage[] = [];
  for (const message of messages) {
    if (message.kind.startsWith('system/')) continue;
    const isIn = matchesFilter(message, { contexts }, { parents });
    if (!isIn && !(conclusions && message.context && CONCLUSIONS.includes(message.kind))) continue;
    const content = describe(message);
    if (content === null) continue;
    const role = message.from === me ? 'assistant' : 'user';
    const last = prompt.at(-1);
    if (last?.role === role) last.content += `\n${content}`;
    else prompt.push({ role, content });
  }
  return prompt;
}

const TELLING = ['text', 'conclusion', 'decision', 'summary', 'thought', 'content', 'message'];

/** `alice [reason-789] reflection: Starting security analysis` */
export function describeMessage({ from, kind, context, payload }: Envelope): string | null {
  const said = textOf(payload);
  if (said === null) return null;
  const where = context ? ` [${context.id}]` : '';
  return `${from}${where}${kind === 'chat' ? '' : ` ${kind}`}: ${said}`;
}

function textOf(payload: unknown): string | null {
  if (typeof payload === 'string') return payload;
  if (typeof payload !== 'object' || payload === null) return null;
  for (const key of TELLING) {
    const value = (payload as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return JSON.stringify(payload);
}
