import type { Entry } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';

export interface VisibleEvent {
  type: string;
  data: object;
}

/** What a caller may read of an entry. */
export interface Visible {
  events: readonly VisibleEvent[];
  /** Its writer is told, because what was written bears the name. */
  named?: boolean;
}

/** One for each kind of stream, of the door that writes it. No events: the caller may not even know that it is there. */
export type Visibility = (entry: Entry, caller: Caller, database: Database) => Visible;

/** What streams begin with. */
export type StreamKind = 'session' | 'library' | 'memory' | 'pod' | 'access' | 'window' | 'hub' | 'webhook';

declare module './parts.ts' {
  interface Parts {
    visible: Readonly<Record<StreamKind, Visibility>>;
  }
}
