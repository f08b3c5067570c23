import type { ContextStateHeader } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { Journal } from '../journal/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import type { Logger } from '../kernel/log.ts';
import type { DenialLog } from '../trust/access/denials.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { Turns } from '../trust/limits/fair-scheduler.ts';
import type { HeldBytes } from '../trust/limits/held-bytes.ts';
import type { RateLimiter } from '../trust/limits/rate.ts';
import type { Session } from '../trust/sessions/queries.ts';
import type { Sources } from '../trust/sources.ts';
import type { Parts } from './parts.ts';

/** The session that a reference (a branch, a handle, a scratch) belongs to, as the doors know it. */
export type SessionOfReference = (caller: Caller, reference: string) => Promise<string | undefined>;

export interface CallObserver {
  /** `isOfModel`: called as a tool, and not by a page or a program that asks the API. */
  called(action: string, outcome: 'ok' | 'error', seconds: number, isOfModel: boolean): void;
}

/** Counts what calls cost a session (the fold door). */
export interface CallMeter {
  /** Whether calls that were answered are still being counted; then `settled` waits for those of a session. */
  readonly isCounting: boolean;
  settled(sessionId: string): Promise<void>;
  admit(session: Session, input: unknown): Promise<void>;
  /** Answers what the caller should be told about the branch's budget. */
  record(call: MeteredCall): Promise<string[]>;
}

/** A call that was answered, as its session has to pay for it. */
export interface MeteredCall {
  caller: Caller;
  session: Session;
  tool: string;
  /** The id that the host's model gave it. */
  callId?: string | undefined;
  input: unknown;
  /** What the model sees of the answer. */
  text: string;
  /** Of an answer that is marked transient. */
  mark?: { handle: string; summary: string } | undefined;
  /** Handles of results that it used up. */
  consumes?: readonly string[] | undefined;
}

/** What every call needs, whichever skin brought it. */
export interface CallServices {
  journal: Journal;
  clock: Clock;
  config: Config;
  limiter: RateLimiter;
  turns: Turns;
  /** What requests hold in memory while they are served. */
  held: HeldBytes;
  denials: DenialLog;
  scrubber: Scrubber;
  log: Logger;
  parts: Parts;
  observer?: CallObserver;
  meter?: CallMeter;
  /** Results that calls may name as their sources. */
  sources?: Sources;
  /** The session of a branch, a handle or a scratch. */
  sessionOf?: SessionOfReference;
  /** The state of a session, for the header and its mirror. */
  contextState(sessionId: string): ContextStateHeader;
}
