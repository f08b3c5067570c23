import type { Database } from '../kernel/sqlite.ts';
import type { BlobStore } from './blobs.ts';
import { dataDigest, entryHash, equalBytes, GENESIS, hexOf } from './chain.ts';
import type { Progress, VerifyReport } from './journal.ts';

interface ChainRow {
  seq: number;
  id: string;
  stream: string;
  rev: number;
  at: number;
  actor: string;
  cause: string | null;
  salt: Uint8Array | null;
  data: string | null;
  blob: string | null;
  digest: Uint8Array;
  hash: Uint8Array;
}

const PAGE = 2000;

/** Walks the chain from the first entry to the head, page by page, so that a live journal can be verified. */
export async function verifyChain(
  database: Database,
  blobs: BlobStore,
  progress?: Progress,
): Promise<VerifyReport> {
  const headRow = database.get<{ seq: number; hash: Uint8Array }>(
    'SELECT seq, hash FROM journal_head WHERE one = 1',
  )!;
  const head = { seq: headRow.seq, hash: hexOf(headRow.hash) };
  const report = { ok: true, entries: 0, events: 0, erased: 0, head };
  const revisions = new Map<string, number>();
  let previous: Uint8Array = GENESIS;

  const bad = (seq: number, row: ChainRow | undefined, problem: string): VerifyReport => ({
    ...report,
    ok: false,
    first: { seq, id: row?.id ?? null, stream: row?.stream ?? null, problem },
  });

  while (report.entries < head.seq) {
    const page = database.all<ChainRow>(
      'SELECT * FROM journal_entry WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
      report.entries,
      head.seq,
      PAGE,
    );
    for (const row of page) {
      const expected = report.entries + 1;
      if (row.seq !== expected)
        return bad(expected, undefined, 'dropped: there is no entry at this position');
      const problem = checkEntry(row, previous, revisions, blobs, report);
      if (problem) return bad(row.seq, row, problem);
      previous = row.hash;
      report.entries++;
    }
    if (page.length === 0) {
      return bad(report.entries + 1, undefined, 'dropped: there is no entry at this position');
    }
    progress?.(report.entries, head.seq);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  if (!equalBytes(previous, headRow.hash))
    return bad(head.seq, undefined, 'changed: the head names another entry');
  return report;
}

function checkEntry(
  row: ChainRow,
  previous: Uint8Array,
  revisions: Map<string, number>,
  blobs: BlobStore,
  report: { events: number; erased: number },
): string | undefined {
  if (row.salt === null) {
    report.erased++;
  } else {
    const data = row.data ?? (row.blob === null ? undefined : blobs.read(row.blob));
    if (data === undefined) return 'changed: its data is missing or damaged';
    if (!equalBytes(dataDigest(row.salt, data), row.digest))
      return 'changed: its data is not what was written';
    report.events += countEvents(data);
  }
  if (!equalBytes(entryHash(previous, row), row.hash)) {
    return 'changed or reordered: its hash does not follow from the entry before it';
  }
  const revision = (revisions.get(row.stream) ?? 0) + 1;
  if (row.rev !== revision) return `reordered: revision ${row.rev} of its stream where ${revision} should be`;
  revisions.set(row.stream, revision);
  return undefined;
}

function countEvents(data: string): number {
  return (JSON.parse(data) as { events: unknown[] }).events.length;
}
