import { META } from '@infold/protocol';
import type { Caller } from './identity/caller.ts';

/** Results that were marked transient, while they are kept: what a consumer may name as its sources. */
export interface Sources {
  /** Those of the handles that are results of the caller's. */
  known(caller: Caller, handles: readonly string[]): Promise<string[]>;
  /** They were used up: no later finding is taken to be about them. */
  used(caller: Caller, handles: readonly string[]): Promise<void>;
}

/**
 * TCP-04: what a consumer's answer says. A list is all that was used up, and an empty one is nothing; undefined leaves it
 * to the client, which then goes by the workflow's pairs.
 */
export function consumedMeta(handles: readonly string[] | undefined): Record<string, unknown> {
  return { context: { consumed: true }, ...(handles ? { [META.consumes]: [...handles] } : {}) };
}
