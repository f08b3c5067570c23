import type { Decision } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { WindowAnswered, WindowAsked, WindowCollapsed, WindowEvent, WindowOpened } from './events.ts';

type WindowDecision<Answer> = Decision<Answer> & { events: WindowEvent[] };

/** What a command has to know of a conversation. */
interface Known {
  id: string;
  /** How many requests it has had. */
  turns: number;
}

/** One that is there already is answered as it is: two requests of one host may come at once. */
export function openConversation(
  existing: Known | undefined,
  opened: WindowOpened,
): WindowDecision<{ id: string; turns: number }> {
  if (existing) return { events: [], answer: { id: existing.id, turns: existing.turns } };
  return {
    events: [{ type: 'window.opened', data: opened }],
    answer: { id: opened.conversation, turns: 0 },
  };
}

/** A request and what was decided for it, in one entry: neither is on record without the other. Also its answer, where it is there. */
export function recordAsked(
  { id, turns }: Known,
  asked: Omit<WindowAsked, 'conversation' | 'turn'>,
  decisions: readonly Omit<WindowCollapsed, 'conversation' | 'turn'>[],
  answered?: Omit<WindowAnswered, 'conversation' | 'turn'>,
): WindowDecision<number> {
  const place = { conversation: id, turn: turns + 1 };
  const collapsed = decisions.map(
    (decision): WindowEvent => ({ type: 'window.collapsed', data: { ...place, ...decision } }),
  );
  return {
    events: [
      { type: 'window.asked', data: { ...place, ...asked } },
      ...collapsed,
      ...(answered ? [{ type: 'window.answered' as const, data: { ...place, ...answered } }] : []),
    ],
    answer: place.turn,
  };
}

/** The first answer counts: a turn is one request. */
export function recordAnswered(
  turn: { answer: object | null } | undefined,
  answered: WindowAnswered,
): WindowDecision<boolean> {
  if (!turn) {
    const { conversation, turn: number } = answered;
    throw new InfoldError('not_found', `Conversation ${conversation} has no turn ${number} to answer`);
  }
  if (turn.answer) return { events: [], answer: false };
  return { events: [{ type: 'window.answered', data: answered }], answer: true };
}

/** Off: its requests pass as they come, but for what was decided before, which keeps the provider's cache warm. */
export function switchConversation(
  { id, is_enabled }: { id: string; is_enabled: boolean },
  enabled: boolean,
): WindowDecision<boolean> {
  if (is_enabled === enabled) return { events: [], answer: false };
  return {
    events: [{ type: 'window.switched', data: { conversation: id, enabled } }],
    answer: true,
  };
}
