import type { Database } from '../../kernel/sqlite.ts';

/**
 * Who gives out the positions of pods. Behind it is one lease on all of them, in a data folder that processes share, or one
 * for each pod, which the nodes of a cluster share. A pod is named by its stream; without one, what is meant is the work
 * that one process does for all.
 */
export interface Positions {
  /** Whether this process wants to give out any. */
  readonly isWanted: boolean;
  isOwner(pod?: string): boolean;
  /** Whether another process gives them out after the life of the pod that this process promised some in; asked inside a commit. */
  isOthers(database: Database, now: number, newest: string | null, promised: string): boolean;
  /** Whether some process gives them out; asked inside a commit. */
  isServed(database: Database, now: number, pod: string): boolean;
  /** This process is ready to give them out, where nobody else does. */
  begin(pod?: string): void;
  /** Looks again whether it does. */
  renew(): void;
  /** It has nothing to give out any more. */
  rest(): void;
}
