import { isAbsolute } from 'node:path';
import { HOST_SESSION_ID } from '@infold/protocol';
import type { HostEvent } from './dialect.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object; anything else has no fields. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The first that is a text with something in it. */
export function textIn(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** A session's id as sessions may be named; a host whose ids look otherwise is not understood. */
export function sessionIn(...values: unknown[]): string | undefined {
  const id = textIn(...values);
  return id !== undefined && HOST_SESSION_ID.test(id) ? id : undefined;
}

/** The first that is an absolute path. Hosts on Windows write theirs as that system does. */
export function pathIn(...values: unknown[]): string | undefined {
  return values.find(
    (value): value is string =>
      typeof value === 'string' &&
      (isAbsolute(value) || /^[A-Za-z]:[\\/]/.test(value)) &&
      !value.includes('\0'),
  );
}

/** One of a few words, or what is meant where the host says another one. */
export function oneOf<Word extends string>(words: readonly Word[], value: unknown, otherwise: Word): Word {
  return words.find((word) => word === value) ?? otherwise;
}

/** The payload's own name for its event counts before the one in the hook's command: a configuration may be copied wrongly. */
export function eventOf(
  events: readonly HostEvent[],
  payload: Fields,
  eventName: string,
): HostEvent | undefined {
  const named = (name: unknown) => events.find((event) => event.name === name);
  return named(payload.hook_event_name) ?? named(payload.hookEventName) ?? named(eventName);
}

/** Without what is undefined: optional fields are absent, never empty. */
export function present<Given extends object>(
  given: Given,
): { [Key in keyof Given]: Exclude<Given[Key], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
