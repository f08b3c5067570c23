import { isDeepStrictEqual } from 'node:util';
import type { FORGETTABLE } from '@infold/protocol';
import {
  type Entry,
  FORGOTTEN,
  type Forgotten,
  type Journal,
  type JournalEvent,
} from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from './identity/caller.ts';
import { sessionById } from './sessions/queries.ts';
import { accessStream } from './streams.ts';

/** What stands for a text that was forgotten, where something must stand. */
export const FORGOTTEN_TEXT = '[forgotten]';

export interface ForgetTarget {
  kind: (typeof FORGETTABLE)[number];
  id: string;
  org: string;
  /** Ids by which others may speak of it. Filled in when the forgetting begins. */
  names?: readonly string[];
}

/** How a door forgets: which entries may speak of the target, and what is left of an event that does. */
export interface Forgetter {
  /** Undefined when this door does not know the target. */
  entriesOf(database: Database, target: ForgetTarget): number[] | undefined;
  /** The event without its text; undefined to leave it as it is. Structure and figures stay. */
  redact(event: JournalEvent, target: ForgetTarget, position: EventPosition): JournalEvent | undefined;
  /** Entries of others that may speak of the target, once it is known that there is one. */
  mentionsOf?(database: Database, target: ForgetTarget): number[];
  /** Further ids by which the target is spoken of. */
  namesOf?(database: Database, target: ForgetTarget): string[];
}

/** Where an event is: its entry, and its index in it. */
export interface EventPosition {
  seq: number;
  index: number;
}

/** Entries that are read at once. */
const PORTION = 200;

/**
 * Erases what the journal, the tables and the files hold of a target, and puts on record that it was done. The
 * chain keeps the digests of what was there, and still verifies.
 */
export async function forget(
  journal: Journal,
  caller: Caller,
  asked: ForgetTarget,
  forgetters: readonly Forgetter[],
): Promise<{ entries: number }> {
  // What other nodes acknowledged before this was asked goes too.
  await journal.cluster?.caughtUp();
  const { answer } = await journal.commit({
    stream: accessStream(asked.org),
    actor: caller.actor,
    decide: (database) => {
      const further = forgetters.flatMap((forgetter) => forgetter.namesOf?.(database, asked) ?? []);
      const target = { ...asked, names: [asked.id, ...further] };
      const seqs = new Set<number>();
      let known = false;
      for (const forgetter of forgetters) {
        const found = forgetter.entriesOf(database, target);
        if (found) known = true;
        for (const seq of found ?? []) seqs.add(seq);
      }
      if (!known) throw new InfoldError('not_found', `There is no ${target.kind} ${target.id}`);
      for (const forgetter of forgetters) {
        for (const seq of forgetter.mentionsOf?.(database, target) ?? []) seqs.add(seq);
      }
      for (const seq of earlierForgettings(database)) seqs.add(seq);
      const all = [...seqs];
      const entries: Forgotten['entries'] = [];
      for (let from = 0; from < all.length; from += PORTION) {
        const some = journal.entriesAt(all.slice(from, from + PORTION));
        entries.push(...some.flatMap((entry) => redacted(entry, target, forgetters)));
      }
      if (entries.length === 0) return { events: [], answer: { entries: 0 } };
      const { kind, id } = target;
      const data: Forgotten = { target: { kind, id }, entries };
      const erase = entries.map((entry) => entry.seq);
      return {
        events: [{ type: FORGOTTEN, data }],
        answer: { entries: entries.length },
        erase,
        thorough: true,
      };
    },
  });
  return answer;
}

/**
 * Entries of a kind of streams that may hold what was read of the target. Of those in files of their own it is found out
 * when they are read.
 */
export function entriesMentioning(
  database: Database,
  streams: 'session' | 'pod',
  { kind, names }: ForgetTarget,
): number[] {
  if (kind === 'principal' || !names) return [];
  return database
    .all<{ seq: number }>(
      `SELECT seq FROM journal_entry WHERE stream GLOB ? || '.*' AND (blob IS NOT NULL
         OR EXISTS (SELECT 1 FROM json_each(?) WHERE instr(data, value) > 0))`,
      streams,
      JSON.stringify(names),
    )
    .map(({ seq }) => seq);
}

/** What an earlier forgetting left of an entry may speak of this target too. */
function earlierForgettings(database: Database): number[] {
  return database
    .all<{ seq: number }>(
      'SELECT DISTINCT replaced_by AS seq FROM journal_entry WHERE replaced_by IS NOT NULL',
    )
    .map(({ seq }) => seq);
}

function redacted(
  entry: Entry,
  target: ForgetTarget,
  forgetters: readonly Forgetter[],
): Forgotten['entries'] {
  const events = redactAll(entry.seq, entry.events, target, forgetters);
  return events ? [{ seq: entry.seq, events }] : [];
}

/** Undefined when nothing of it speaks of the target. */
function redactAll(
  seq: number,
  events: readonly JournalEvent[],
  target: ForgetTarget,
  forgetters: readonly Forgetter[],
): JournalEvent[] | undefined {
  let changed = false;
  const left = events.map((event, index) => {
    const next = redactOne(event, target, forgetters, { seq, index });
    if (!next || isDeepStrictEqual(next, event)) return event;
    changed = true;
    return next;
  });
  return changed ? left : undefined;
}

function redactOne(
  event: JournalEvent,
  target: ForgetTarget,
  forgetters: readonly Forgetter[],
  position: EventPosition,
): JournalEvent | undefined {
  if (event.type === FORGOTTEN) {
    const { data } = event;
    let changed = false;
    const entries = data.entries.map(({ seq, events }) => {
      const left = redactAll(seq, events, target, forgetters);
      if (left) changed = true;
      return { seq, events: left ?? events };
    });
    return changed ? { type: FORGOTTEN, data: { ...data, entries } } : undefined;
  }
  for (const forgetter of forgetters) {
    const left = forgetter.redact(event, target, position);
    if (left) return left;
  }
  return undefined;
}

/** Entries of a whole session or of everything that somebody wrote; undefined for other targets and unknown ones. */
export function entriesOfOwner(database: Database, target: ForgetTarget): number[] | undefined {
  if (target.kind === 'session') {
    const session = sessionById(database, target.id);
    return session && entriesOfStream(database, session.stream);
  }
  if (target.kind !== 'principal') return undefined;
  const entries = entriesOfPrincipal(database, target);
  return entries.length > 0 ? entries : undefined;
}

/** Positions of everything that a principal wrote. */
export function entriesOfPrincipal(database: Database, { org, id }: ForgetTarget): number[] {
  return database
    .all<{ seq: number }>(
      `SELECT seq FROM journal_entry WHERE json_extract(actor, '$[0]') = ? AND json_extract(actor, '$[1]') = ?`,
      org,
      id,
    )
    .map(({ seq }) => seq);
}

export function entriesOfStream(database: Database, stream: string): number[] {
  return database
    .all<{ seq: number }>('SELECT seq FROM journal_entry WHERE stream = ?', stream)
    .map(({ seq }) => seq);
}
