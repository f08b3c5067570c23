import { messageOf } from '../../kernel/errors.ts';
import { isIdForKey } from '../../kernel/ids.ts';
import { type Database, isBusy } from '../../kernel/sqlite.ts';
import type { BlobStore } from '../blobs.ts';
import type { Progress, VerifyReport } from '../journal.ts';
import { contentOf, type EntryContent, readHead } from '../rows.ts';
import { bodyDigest, bytesOf, type EntryHeader, entryHash, equalBytes, GENESIS, hexOf } from './chain.ts';
import {
  CHECKPOINT_INTERVAL,
  type Checkpoint,
  checkpointAt,
  checkpointText,
  JournalTree,
  lastCheckpoint,
  type SignedCheckpoint,
} from './checkpoints.ts';
import { isSignedBy, keyIdOf, keysOf } from './keys.ts';

interface ChainRow extends EntryHeader {
  chosen: number;
  salt: Uint8Array | null;
  data: string | null;
  blob: string | null;
  replaced_by: number | null;
  hash: Uint8Array;
}

/** Small, because an entry may hold 256 KB in its row. */
const PAGE = 200;
const TURN = 15;
const DROPPED = 'dropped: there is no entry at this position';

/** Walks the chain from the first entry to the head, page by page, so that a live journal can be verified. */
export async function verifyChain(
  database: Database,
  blobs: BlobStore,
  progress?: Progress,
): Promise<VerifyReport> {
  const headRow = readHead(database);
  const head = { seq: headRow.seq, hash: hexOf(headRow.hash) };
  const report = { ok: true, entries: 0, events: 0, erased: 0, checkpoints: 0, head };
  const revisions = new Map<string, number>();
  const checkCheckpoint = checkpointChecker(database);
  let previous: Uint8Array = GENESIS;
  let turn = performance.now();

  const bad = (seq: number, row: ChainRow | undefined, problem: string): VerifyReport => ({
    ...report,
    ok: false,
    first: { seq, id: row?.id ?? null, stream: row?.stream ?? null, problem },
  });

  while (report.entries < head.seq) {
    const page = readPage(database, report.entries, head.seq);
    if (!Array.isArray(page)) return bad(report.entries + 1, undefined, page.problem);
    for (const row of page) {
      const expected = report.entries + 1;
      if (row.seq !== expected) return bad(expected, undefined, DROPPED);
      const problem = checkEntry(row, previous, revisions, database, blobs, report);
      if (problem) return bad(row.seq, row, problem);
      const checkpoint = checkCheckpoint(row);
      if (checkpoint.problem) return bad(row.seq, row, checkpoint.problem);
      if (checkpoint.found) report.checkpoints++;
      previous = row.hash;
      report.entries++;
    }
    if (page.length === 0) return bad(report.entries + 1, undefined, DROPPED);
    if (performance.now() - turn < TURN) continue;
    progress?.(report.entries, head.seq);
    await new Promise<void>((resolve) => setImmediate(resolve));
    turn = performance.now();
  }
  progress?.(report.entries, head.seq);
  if (!equalBytes(previous, headRow.hash))
    return bad(head.seq, undefined, 'changed: the head points to another entry');
  const stray = strayPosition(database);
  if (stray !== undefined)
    return bad(stray, undefined, 'added: the position is beyond the end of the journal');
  const lost = strayCheckpoint(database);
  return lost === undefined ? report : bad(lost, undefined, 'added: no checkpoint belongs here');
}

/** Follows the entries, and looks at each checkpoint when it has come to it. */
function checkpointChecker(
  database: Database,
): (row: ChainRow) => { found: boolean; problem?: string | undefined } {
  const tree = new JournalTree();
  // They are made in order, so that none before the last one may be missing.
  const last = lastCheckpoint(database)?.seq ?? 0;
  return (row) => {
    const intervalRoot = tree.add(row.hash);
    if (!intervalRoot) return { found: false };
    const found = checkpointAt(database, row.seq);
    if (!found) {
      return { found: false, problem: row.seq < last ? 'dropped: its checkpoint is missing' : undefined };
    }
    const expected = { seq: row.seq, intervalRoot, root: tree.root(), hash: hexOf(row.hash) };
    // Asked for now: others may have made the key and the checkpoint since this began.
    const key = keysOf(database).find(({ id }) => id === found.key);
    return { found: true, problem: checkpointProblem(found, expected, key?.public_key) };
  };
}

function checkpointProblem(
  found: SignedCheckpoint,
  expected: Checkpoint,
  publicKey: Uint8Array | undefined,
): string | undefined {
  if ((['intervalRoot', 'root', 'hash'] as const).some((field) => found[field] !== expected[field])) {
    return 'changed: its checkpoint does not match the entries it covers';
  }
  if (!publicKey || keyIdOf(publicKey) !== found.key) {
    return `changed: its checkpoint names the key ${found.key}, which this journal does not have`;
  }
  return isSignedBy(publicKey, checkpointText(expected), bytesOf(found.signature))
    ? undefined
    : `changed: its checkpoint is not signed by the key ${found.key}`;
}

function strayCheckpoint(database: Database): number | undefined {
  return database.get<{ seq: number }>(
    `SELECT seq FROM journal_checkpoint WHERE seq < 1 OR seq % ? <> 0
       OR seq > (SELECT seq FROM journal_head WHERE one = 1) ORDER BY seq LIMIT 1`,
    CHECKPOINT_INTERVAL,
  )?.seq;
}

/** Falls back to single rows when a page cannot be read, to find the one that is at fault. */
function readPage(database: Database, after: number, last: number): ChainRow[] | { problem: string } {
  const read = (limit: number) =>
    database.all<ChainRow>(
      'SELECT * FROM journal_entry WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
      after,
      last,
      limit,
    );
  try {
    return read(PAGE);
  } catch (error) {
    if (isBusy(error)) throw error;
  }
  try {
    return read(1);
  } catch (error) {
    return { problem: `changed: it cannot be read (${messageOf(error)})` };
  }
}

/** A row outside the chain's positions. One statement, because a live journal grows between two. */
function strayPosition(database: Database): number | undefined {
  const { head, first, last } = database.get<{ head: number; first: number | null; last: number | null }>(
    `SELECT seq AS head, (SELECT min(seq) FROM journal_entry) AS first,
       (SELECT max(seq) FROM journal_entry) AS last FROM journal_head WHERE one = 1`,
  )!;
  if (first !== null && first < 1) return first;
  return last !== null && last > head ? head + 1 : undefined;
}

function checkEntry(
  row: ChainRow,
  previous: Uint8Array,
  revisions: Map<string, number>,
  database: Database,
  blobs: BlobStore,
  report: { events: number; erased: number },
): string | undefined {
  if (row.salt === null) {
    // Without its salt, data cannot be checked: only an entry that holds none, and that a later entry tells of,
    // counts as erased.
    if (row.data !== null || row.blob !== null) return 'changed: its data differs from what was written';
    if (!isToldOf(database, blobs, row)) return 'changed: no event records that it was erased';
    if (isIdForKey(row.id) && row.chosen !== 1) return 'changed: its id was chosen by its writer';
    report.erased++;
  } else {
    if (row.replaced_by !== null) return 'changed: it is marked as erased but still has its data';
    if (row.data !== null && row.blob !== null) return 'changed: its data is stored twice';
    const data = row.data ?? (row.blob === null ? undefined : blobs.read(row.blob));
    if (data === undefined) return 'changed: its data is missing or damaged';
    if (!equalBytes(bodyDigest({ salt: row.salt, data }), row.digest))
      return 'changed: its data differs from what was written';
    const content = JSON.parse(data) as EntryContent;
    // Only entries whose writer chose the id keep what it was answered: the data tells what the column should say.
    if (row.chosen !== ('answer' in content ? 1 : 0)) {
      return 'changed: the flag for an id chosen by the writer differs from what was written';
    }
    report.events += content.events.length;
  }
  if (!equalBytes(entryHash(previous, row), row.hash)) {
    return 'changed or reordered: its hash does not follow from the entry before it';
  }
  const revision = (revisions.get(row.stream) ?? 0) + 1;
  if (row.rev !== revision) return `reordered: revision ${row.rev} of its stream where ${revision} should be`;
  revisions.set(row.stream, revision);
  return undefined;
}

/** Whether the entry that an erased one points to came later and does speak of it. */
function isToldOf(database: Database, blobs: BlobStore, row: ChainRow): boolean {
  if (row.replaced_by === null || row.replaced_by <= row.seq) return false;
  try {
    contentOf(row, { database, blobs });
    return true;
  } catch {
    return false;
  }
}
