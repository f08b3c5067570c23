import type { EventKind, HookAnswer, HookCall, HookEvent } from '../hook-call.ts';

/** One of a host's events, by the name under which it is registered. */
export interface HostEvent {
  name: string;
  kind: EventKind;
  /** What the host should ask about alone, in its own syntax; everything where there is none. */
  matcher?: string;
}

/** The few variables that say which host runs a hook; `PWD` is where it runs. */
export type HookEnvironment = Readonly<Record<string, string | undefined>>;

/** What a payload says. */
export interface ReadPayload {
  session: string;
  agent?: string;
  folder: string;
  transcript?: string;
  event: HookEvent;
}

/**
 * `foreign`: another host runs these hooks, and its own may be registered too. `unknown`: a shape that is not understood.
 * Both are answered with silence.
 */
export type PayloadReading = ReadPayload | 'foreign' | 'unknown';

/** How a host speaks to hooks, and how it wants to be answered. Neither direction ever throws. */
export interface HookDialect {
  /** What to register. */
  readonly events: readonly HostEvent[];
  read(payload: unknown, eventName: string, environment: HookEnvironment): PayloadReading;
  /** What goes to the hook's standard output; empty where the host has no place for the answer. */
  write(call: HookCall, answer: HookAnswer, payload: unknown): string;
}
