import type { EntryId } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import type { BlobStore } from './blobs.ts';
import { actorOf } from './chain.ts';
import type { Entry, JournalEvent } from './journal.ts';

export const ENTRY_COLUMNS = 'seq, id, stream, rev, at, actor, cause, data, blob';

export interface EntryRow {
  seq: number;
  id: string;
  stream: string;
  rev: number;
  at: number;
  actor: string;
  cause: string | null;
  data: string | null;
  blob: string | null;
}

export function entryFromRow(row: EntryRow, blobs: BlobStore): Entry {
  const data = row.data ?? (row.blob === null ? undefined : readBlob(row, blobs));
  const content =
    data === undefined
      ? { events: [] as JournalEvent[] }
      : (JSON.parse(data) as { events: JournalEvent[]; answer?: unknown });
  return {
    seq: row.seq,
    id: row.id as EntryId,
    stream: row.stream,
    rev: row.rev,
    at: row.at,
    actor: actorOf(row.actor),
    cause: row.cause as EntryId | null,
    events: content.events,
    ...(content.answer === undefined ? {} : { answer: content.answer }),
    erased: data === undefined,
  };
}

function readBlob(row: EntryRow, blobs: BlobStore): string {
  const data = blobs.read(row.blob!);
  if (data === undefined) {
    throw new InfoldError(
      'storage_invalid',
      `The data of entry ${row.seq} is missing or damaged (blob ${row.blob}); run "infold verify"`,
    );
  }
  return data;
}
