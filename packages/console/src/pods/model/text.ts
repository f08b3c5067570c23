import type { Envelope } from '@infold/protocol';
import { milliseconds, plural } from '../../design/data/format.ts';

/** Where payloads usually say what they say. */
const SPEAKING = ['text', 'thought', 'conclusion', 'decision', 'summary', 'message', 'error', 'description'];
const MOST = 400;

/** What a message says, in one line. */
export function lineOf({ payload }: Pick<Envelope, 'payload'>): string {
  return textOf(payload).slice(0, MOST).replaceAll(/\s+/g, ' ').trim();
}

/** What a payload says as text: its own where it is one, its speaking field, else JSON. */
export function textOf(payload: unknown): string {
  if (payload === undefined || payload === null) return '';
  if (typeof payload === 'string') return payload;
  const spoken = spokenIn(payload);
  return spoken ?? JSON.stringify(payload);
}

/** The text of a payload that is made for people; undefined where it is data. */
export function spokenIn(payload: unknown): string | undefined {
  if (typeof payload === 'string') return payload;
  if (typeof payload !== 'object' || payload === null) return undefined;
  const fields = payload as Record<string, unknown>;
  const name = SPEAKING.find((one) => Object.hasOwn(fields, one) && typeof fields[one] === 'string');
  return name === undefined ? undefined : (fields[name] as string);
}

/** Whether nothing is left of a payload beside what it says. */
export function isSpokenWhole(payload: unknown): boolean {
  if (typeof payload === 'string') return true;
  return spokenIn(payload) !== undefined && Object.keys(payload as object).length === 1;
}

/** How long something may be unused: “5 minutes”. */
export function duration(value: number): string {
  if (value < 60_000) return milliseconds(value);
  const minutes = Math.round(value / 60_000);
  return minutes < 120 ? plural(minutes, 'minute') : plural(Math.round(minutes / 60), 'hour');
}
