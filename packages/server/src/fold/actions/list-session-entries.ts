import { foldApi, type JournalEntry } from '@infold/protocol';
import type { EventMap } from '@infold/protocol/events';
import { defineAction } from '../../call/action.ts';
import { cursorNumber } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import type { Visible } from '../../call/visible.ts';
import { tellEntry } from '../../call/visible-entries.ts';
import type { Entry } from '../../journal/journal.ts';
import { operationSeqs } from '../queries.ts';
import { sessionOf } from './read-session.ts';

/** Entries that are read before others have their turn: some hold all that a call was given and answered. */
const PIECE = 50;

export const listSessionEntries = defineAction(foldApi.listSessionEntries, {
  async run({ id, limit, cursor }, context) {
    const { journal, caller } = context;
    const { stream, id: session } = sessionOf(context, id);
    const after = cursorNumber(foldApi.listSessionEntries, cursor, 0);
    // What is written meanwhile may be told twice, and never not at all.
    const head = journal.head().seq;
    const entries: JournalEntry[] = [];
    const seqs: number[] = [];
    let at = after;
    let read = 0;
    let isEnd = false;
    while (read < limit && !isEnd) {
      await context.giveWay();
      const wanted = Math.min(PIECE, limit - read);
      const piece = journal.entriesOf(stream, at, wanted);
      for (const entry of piece) {
        seqs.push(entry.seq);
        const told = tellEntry(context, entry, { caller, isBrief: true });
        if (told) entries.push(told);
      }
      at = piece.at(-1)?.seq ?? at;
      read += piece.length;
      isEnd = piece.length < wanted;
    }
    const upTo = isEnd ? Math.max(at, head) : at;
    const elsewhere = saidElsewhere(context, session, { after, upTo, known: new Set(seqs) });
    const all = elsewhere.length === 0 ? entries : [...entries, ...elsewhere].sort(inOrder);
    return { structured: { entries: all, next: isEnd ? null : String(at), head } };
  },
});

/** What the session's agent said in a pod counts in its branch, and stands in the pod's stream. */
function saidElsewhere(
  context: CallContext,
  session: string,
  { after, upTo, known }: { after: number; upTo: number; known: ReadonlySet<number> },
): JournalEntry[] {
  const { journal, database, caller } = context;
  const seqs = operationSeqs(database, session, after, upTo).filter((seq) => !known.has(seq));
  return journal.entriesAt(seqs).flatMap((entry) => {
    const told = tellEntry(context, entry, { caller, isBrief: true, wanted: onlyOf(session) });
    return told ?? [];
  });
}

const onlyOf =
  (session: string) =>
  (_entry: Entry, visible: Visible): Visible => ({
    ...visible,
    events: visible.events.filter(({ data }) => {
      const { operation_of } = data as Partial<EventMap['envelope.accepted']>;
      return operation_of?.session_id === session;
    }),
  });

const inOrder = (one: JournalEntry, other: JournalEntry) => one.seq - other.seq;
