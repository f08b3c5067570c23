import type { JournalEntry } from '@infold/protocol';
import type { Entry } from '../journal/journal.ts';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import { type Caller, isLocalOwner } from '../trust/identity/caller.ts';
import { briefEvent } from './brief-events.ts';
import type { Parts } from './parts.ts';
import type { StreamKind, Visible } from './visible.ts';

export interface Telling {
  caller: Caller;
  /** Without what calls were given and answered, and with the place of each event. */
  isBrief: boolean;
  /** What is left for who asked for some alone. */
  wanted?: (entry: Entry, visible: Visible) => Visible;
}

interface Sources {
  parts: Pick<Parts, 'visible'>;
  database: Database;
}

/** An entry of the journal as far as a caller may read it; undefined where that is nothing. */
export function tellEntry(
  sources: Sources,
  entry: Entry,
  { caller, isBrief, wanted }: Telling,
): JournalEntry | undefined {
  const { seq, id, at, actor, stream } = entry;
  const kind = stream.split('.')[0] as StreamKind;
  const visible = visibleOf(sources, kind, entry, caller);
  const { events, named } = wanted ? wanted(entry, visible) : visible;
  if (events.length === 0) return undefined;
  const isOwn = actor.org === caller.org && actor.principal === caller.principal;
  return {
    ...{ seq, id, at: isoTime(at), kind },
    // Not every event of a session says whose it is.
    ...(kind === 'session' ? { session_id: stream.split('.').at(-1)! } : {}),
    ...(named || isOwn || isLocalOwner(caller) ? { actor } : {}),
    events: isBrief
      ? events.map((event) => ({ ...placeOf(entry, event), ...briefEvent(event) }))
      : [...events],
  };
}

/** Where others are left out, the order does not tell it. */
function placeOf({ events }: Entry, event: Visible['events'][number]): { place?: number } {
  const place = (events as readonly Visible['events'][number][]).indexOf(event);
  return place < 0 ? {} : { place };
}

function visibleOf({ parts, database }: Sources, kind: StreamKind, entry: Entry, caller: Caller): Visible {
  // Who can read the data folder reads the journal.
  if (isLocalOwner(caller) && kind !== 'access') return entry;
  return parts.visible[kind]?.(entry, caller, database) ?? { events: [] };
}
