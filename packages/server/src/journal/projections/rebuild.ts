import type { Database } from '../../kernel/sqlite.ts';
import type { BlobStore } from '../blobs.ts';
import type { Progress } from '../journal.ts';
import { ENTRY_COLUMNS, type EntryRow, entryFromRow, readHead } from '../rows.ts';
import type { Projector } from './projector.ts';

/** Small, because an entry may hold 256 KB in its row. */
const PAGE = 200;
const TURN = 15;

/** Drops every projection that it is given, and applies the whole journal to them. The caller holds the write transaction. */
export async function rebuildProjections(
  database: Database,
  projector: Projector,
  blobs: BlobStore,
  progress?: Progress,
): Promise<{ entries: number; events: number }> {
  projector.dropTables(database);
  projector.createTables(database);
  let entries = 0;
  let events = 0;
  if (projector.projections.length === 0) return { entries, events };
  const { seq: total } = readHead(database);
  let turn = performance.now();
  for (let after = 0; ; ) {
    const page = database.all<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE seq > ? ORDER BY seq LIMIT ?`,
      after,
      PAGE,
    );
    for (const row of page) {
      const entry = entryFromRow(row, { database, blobs });
      projector.apply(database, entry);
      events += entry.events.length;
      after = row.seq;
    }
    entries += page.length;
    if (page.length < PAGE) break;
    if (performance.now() - turn < TURN) continue;
    progress?.(entries, total);
    await new Promise<void>((resolve) => setImmediate(resolve));
    turn = performance.now();
  }
  progress?.(entries, total);
  return { entries, events };
}
