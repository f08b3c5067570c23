import { foldApi, type JournalEntry } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { cursorNumber } from '../../call/arguments.ts';
import { tellEntry } from '../../call/entries.ts';
import { sessionOf } from './read-session.ts';

/** Entries that are read before others have their turn: some hold all that a call was given and answered. */
const PIECE = 50;

export const listSessionEntries = defineAction(foldApi.listSessionEntries, {
  async run({ id, limit, cursor }, context) {
    const { journal, caller } = context;
    const { stream } = sessionOf(context, id);
    const after = cursorNumber(foldApi.listSessionEntries, cursor, 0);
    // What is written meanwhile may be told twice, and never not at all.
    const head = journal.head().seq;
    const entries: JournalEntry[] = [];
    let at = after;
    let read = 0;
    let isEnd = false;
    while (read < limit && !isEnd) {
      await context.giveWay();
      const wanted = Math.min(PIECE, limit - read);
      const piece = journal.entriesOf(stream, at, wanted);
      for (const entry of piece) {
        const told = tellEntry(context, entry, { caller, isBrief: true });
        if (told) entries.push(told);
      }
      at = piece.at(-1)?.seq ?? at;
      read += piece.length;
      isEnd = piece.length < wanted;
    }
    return { structured: { entries, next: isEnd ? null : String(at), head } };
  },
});
