import { ENVELOPE_PROTOCOL, type EnvelopeInput } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import { countTokensOf } from '../../kernel/tokens/count.ts';
import type { LiveContext } from '../contexts/context-index.ts';
import { Refusal } from '../errors.ts';
import { payloadText } from '../wire/payload-text.ts';
import type { Member } from './member.ts';

export function checkSize(bytes: number, most: number, id?: string): void {
  if (bytes <= most) return;
  throw new Refusal('message_size', `A message may have at most ${most} bytes; this one has ${bytes}`, id, {
    limit: most,
  });
}

/** Where no writer counts: after the receivers have got the message. */
export function countLater(context: LiveContext, payload: unknown): void {
  const text = payloadText(payload);
  counting += text.length;
  setImmediate(async () => {
    context.tokens += await countTokensOf(text);
    counting -= text.length;
  });
}

/** Characters that wait to be counted, of all pods whose history is not stored. */
let counting = 0;
const MOST_COUNTING = 8 * 1024 * 1024;
export const isCountingTooMuch = (): boolean => counting > MOST_COUNTING;

/** What the gateway fills in where the sender left it out. */
export function fill(envelope: EnvelopeInput, from: string, now: number): Record<string, unknown> {
  return {
    ...(envelope.protocol === undefined ? { protocol: ENVELOPE_PROTOCOL } : {}),
    ...(envelope.ts === undefined ? { ts: isoTime(now) } : {}),
    ...(envelope.from === undefined ? { from } : {}),
  };
}

/** What goes on record when somebody says what they may not. */
export function denialOf(pod: string, { caller: { org, principal } }: Member) {
  return { org, principal, action: 'send', resource: `pod ${pod}`, code: 'capability_violation' };
}
