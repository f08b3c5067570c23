import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, type Stats, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../../../journal/journal.ts';
import { type Database, openDatabase } from '../../../kernel/sqlite.ts';
import { IndexBuilder } from './builder.ts';
import {
  type CsvFormat,
  checkEncoding,
  csvRows,
  FileProblem,
  type FileRow,
  jsonlRows,
  jsonRows,
  readHeader,
} from './rows.ts';
import { type BuildOrder, INDEX_FORMAT, type IndexState, MOST_BAD_SHOWN, type Stamp } from './state.ts';

const REPORT_EVERY = 2000;
const DIGEST_BYTES = 64 * 1024;

export function stampOf({ size, mtimeMs, ino }: Stats): Stamp {
  return { size, modified: mtimeMs, inode: ino };
}

/** Indexes a file, or what was added to it. Runs in a thread of its own. */
export async function buildIndex(order: BuildOrder, progress: Progress): Promise<IndexState> {
  const started = performance.now();
  const file = openSync(order.source.path, 'r');
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new FileProblem('it is not a file');
    const before = order.before && canGoOn(file, stats.size, order.before) ? order.before : null;
    const state = before
      ? await extend(file, stats, order, before, progress)
      : await create(file, stats, order, progress);
    return { ...state, milliseconds: Math.round(performance.now() - started) };
  } finally {
    closeSync(file);
  }
}

/** Only grown: what was read is still there, up to its first and its last bytes. */
function canGoOn(file: number, size: number, { resume, format }: IndexState): boolean {
  if (format !== INDEX_FORMAT || !resume || size < resume.offset) return false;
  return digestOf(file, resume.offset) === resume.digest;
}

function digestOf(file: number, end: number): string {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(Math.min(DIGEST_BYTES, end));
  for (const from of [0, end - buffer.length]) {
    hash.update(buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from)));
  }
  return hash.digest('hex');
}

async function create(
  file: number,
  stats: Stats,
  order: BuildOrder,
  progress: Progress,
): Promise<IndexState> {
  checkEncoding(file);
  const path = join(order.folder, order.database);
  const database = await openDatabase(path);
  try {
    // Nobody reads it before it is whole, and a torn one is thrown away.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; BEGIN');
    const { type, delimiter } = order.source;
    const csv = type === 'csv' ? readHeader(file, stats.size, delimiter, order.mostBytes) : undefined;
    const builder = new IndexBuilder(database, order.source, order.mostColumns);
    if (csv) builder.declare(csv.header);
    const span = {
      from: csv?.offset ?? 0,
      to: stats.size,
      firstLine: csv?.line ?? 1,
      mostBytes: order.mostBytes,
    };
    const state = fill({ file, stats, order, builder, csv, progress }, span, { count: 0, first: [] });
    database.exec('COMMIT');
    database.exec('PRAGMA journal_mode = WAL');
    return state;
  } catch (error) {
    database.close();
    tryUnlink(path);
    throw error;
  } finally {
    closeQuietly(database);
  }
}

async function extend(
  file: number,
  stats: Stats,
  order: BuildOrder,
  before: IndexState,
  progress: Progress,
): Promise<IndexState> {
  const database = await openDatabase(join(order.folder, before.database), { blockingWait: 5000 });
  try {
    database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; BEGIN IMMEDIATE');
    const { offset, line, rows } = before.resume!;
    // A line that was not whole, and what a process wrote that died before it could tell.
    for (const table of ['record', 'body']) database.run(`DELETE FROM ${table} WHERE ordinal > ?`, rows);
    const builder = new IndexBuilder(database, order.source, order.mostColumns, { ...before, rows });
    const csv = before.header
      ? { header: before.header, delimiter: before.delimiter ?? ',', offset, line }
      : undefined;
    const span = { from: offset, to: stats.size, firstLine: line, mostBytes: order.mostBytes };
    const state = fill({ file, stats, order, builder, csv, progress }, span, {
      count: before.bad.count,
      first: [...before.bad.first],
    });
    database.exec('COMMIT');
    return { ...state, database: before.database };
  } finally {
    closeQuietly(database);
  }
}

interface Filling {
  file: number;
  stats: Stats;
  order: BuildOrder;
  builder: IndexBuilder;
  csv: CsvFormat | undefined;
  progress: Progress;
}

function fill(
  { file, stats, order, builder, csv, progress }: Filling,
  span: { from: number; to: number; firstLine: number; mostBytes: number },
  bad: IndexState['bad'],
): IndexState {
  let resume = { offset: span.from, line: span.firstLine, rows: builder.rows };
  let unfinished = false;
  let count = 0;
  for (const row of rowsOf(order.source.type, file, span, csv)) {
    if (row.kind !== 'problem') builder.add(row);
    else if (!row.terminated) unfinished = true;
    else {
      bad.count++;
      if (bad.first.length < MOST_BAD_SHOWN) bad.first.push({ line: row.line, problem: row.problem });
    }
    if (row.terminated) resume = { offset: row.end, line: row.nextLine, rows: builder.rows };
    if (++count % REPORT_EVERY === 0) progress(row.end, stats.size);
  }
  if (builder.rows === 0 && bad.count > 0) {
    const { line, problem } = bad.first[0]!;
    throw new FileProblem(`line ${line}: ${problem}; no record could be read`);
  }
  const columns = builder.finish();
  progress(stats.size, stats.size);
  return {
    format: INDEX_FORMAT,
    database: order.database,
    stamp: stampOf(stats),
    rows: builder.rows,
    resume: order.source.type === 'json' ? null : { ...resume, digest: digestOf(file, resume.offset) },
    bad,
    unfinished,
    columns,
    moreColumns: builder.moreColumns,
    header: csv?.header ?? null,
    delimiter: csv?.delimiter ?? null,
    builtAt: Date.now(),
    bytes: stats.size - span.from,
    milliseconds: 0,
  };
}

function rowsOf(
  type: BuildOrder['source']['type'],
  file: number,
  span: { from: number; to: number; firstLine: number; mostBytes: number },
  csv: CsvFormat | undefined,
): Generator<FileRow> {
  if (csv) return csvRows(file, span, csv);
  return type === 'json' ? jsonRows(file, span) : jsonlRows(file, span);
}

function closeQuietly(database: Database): void {
  try {
    database.close();
  } catch {
    // Closed already, after a failure.
  }
}

function tryUnlink(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    try {
      unlinkSync(path + suffix);
    } catch {
      // Not there.
    }
  }
}
