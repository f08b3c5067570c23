import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '@infold/protocol';
import { expect } from 'vitest';
import type { CheckpointPoint } from '../../packages/server/src/journal/integrity/checkpoints.ts';
import { dumpTables } from '../../packages/server/src/journal/journal-fixture.suite.ts';
import type { CommitPoint } from '../../packages/server/src/journal/local.ts';
import { SqliteJournal } from '../../packages/server/src/journal/sqlite.ts';
import { entryIdForKey } from '../../packages/server/src/kernel/ids.ts';
import { LONG } from '../support/runs.ts';
import { counterOf, PROJECTIONS } from './projection.mjs';

/**
 * A round is one death or one failure, with its seed; every fault test goes through as many of them.
 * `INFOLD_FAULTS=long` for the thorough form, `INFOLD_FAULT_ROUNDS` for a number of one's own.
 */
export const ROUNDS = Number(process.env.INFOLD_FAULT_ROUNDS ?? (LONG ? 500 : 3));
/** How long a test may take: that of the long form is for machines which have other things to do. */
export const PATIENCE: number = LONG || ROUNDS > 20 ? 4 * 3_600_000 : 240_000;

/** Two at a time: a round is mostly the start of a process. Says which round failed, so that it can be run again. */
export async function everyRound(
  run: (round: number) => Promise<void>,
  rounds: number = ROUNDS,
): Promise<void> {
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < rounds && !failed) {
      const round = next++;
      await run(round).catch((error) => {
        failed = true;
        throw new Error(`Round ${round}: ${(error as Error).message}`, { cause: error });
      });
    }
  };
  const lanes = await Promise.allSettled([lane(), lane()]);
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const script = fileURLToPath(new URL('./worker.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../packages/server/dist/journal/sqlite.js', import.meta.url));

export interface Order {
  folder: string;
  worker: string;
  from: number;
  to: number;
  task?: 'write' | 'write until failure' | 'rebuild';
  /** Where in a commit the process ends itself: at the n-th time that it comes to this point, once the journal has so many entries. */
  kill?: { point: CommitPoint | CheckpointPoint; hit: number; from?: number };
  /** Only entries that fit in their rows. */
  small?: boolean;
}

export interface Acknowledgement {
  number: number;
  value: number;
  seq: number;
  replayed: boolean;
}

export interface Ending {
  signal: NodeJS.Signals | null;
  code: number | null;
  acknowledged: Acknowledgement[];
  failed: { failed: number; code: string; retryable: boolean; message: string }[];
  problems: string[];
  read: { head: number; entries: number; count: number; ok: boolean } | undefined;
  done: boolean;
  stderr: string;
}

export interface Worker {
  process: ChildProcess;
  begun: Promise<void>;
  ended: Promise<Ending>;
}

/** `blocks` limits the size of any file that the worker writes, in units of 1024 bytes. */
export function startWorker(order: Order, blocks?: number): Worker {
  if (!existsSync(built)) throw new Error('The fault tests run the built program: run "npx tsc -b" first');
  const command = [process.execPath, script, JSON.stringify({ ...order, limits: LIMITS })];
  const child =
    blocks === undefined
      ? spawn(command[0]!, command.slice(1))
      : spawn('bash', ['-c', `ulimit -f ${blocks} && exec "$@"`, 'bash', ...command]);
  const ending: Ending = {
    signal: null,
    code: null,
    acknowledged: [],
    failed: [],
    problems: [],
    read: undefined,
    done: false,
    stderr: '',
  };
  child.stderr.on('data', (chunk) => {
    ending.stderr += chunk;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    begin();
    const line = JSON.parse(text);
    if ('number' in line) ending.acknowledged.push(line);
    else if ('failed' in line) ending.failed.push(line);
    else if ('problem' in line) ending.problems.push(line.problem);
    else if ('read' in line) ending.read = line.read;
    else if ('done' in line) ending.done = true;
  });
  const ended = new Promise<Ending>((resolve) => {
    child.on('close', (code, signal) => resolve({ ...ending, code, signal }));
  });
  return { process: child, begun, ended };
}

export const runWorker = (order: Order, blocks?: number): Promise<Ending> => startWorker(order, blocks).ended;

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'infold-fault-'));
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export const openJournal = (folder: string): Promise<SqliteJournal> =>
  SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS });

/** A small generator, so that a failing seed can be run again. */
export function randomOf(seed: number): (limit: number) => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** What each worker was told, by the number of the write. */
export type History = Map<string, Map<number, Acknowledgement>>;

export function remember(history: History, worker: string, acknowledged: Acknowledgement[]): void {
  const known = history.get(worker) ?? new Map<number, Acknowledgement>();
  history.set(worker, known);
  for (const one of acknowledged) {
    const earlier = known.get(one.number);
    // Asked again, a write has the answer and the place that it had the first time.
    if (earlier) expect({ ...one, replayed: false }).toEqual({ ...earlier, replayed: false });
    else known.set(one.number, one);
  }
}

/** Holds for every journal at every moment, whatever happened to the processes that wrote it. */
export async function checkJournal(folder: string, history: History): Promise<{ entries: number }> {
  const journal = await openJournal(folder);
  try {
    const { database } = journal;
    expect(database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    const report = await journal.verify();
    expect(report).toMatchObject({ ok: true, entries: journal.head().seq });

    const entries = journal.entriesAfter(0, 1_000_000);
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
    const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);

    for (const [worker, writes] of history) {
      for (const { number, seq, value } of writes.values()) {
        expect(bySeq.get(seq)).toMatchObject({
          id: entryIdForKey('fault', worker, String(number)),
          answer: { value },
        });
      }
    }
    checkTables(journal, entries);

    const before = dumpTables(database);
    await journal.rebuild();
    expect(dumpTables(database)).toEqual(before);
    return { entries: entries.length };
  } finally {
    await journal.close();
  }
}

/** The model: what the tables hold, computed from the entries alone and without any of the program's code. */
function checkTables(journal: SqliteJournal, entries: ReturnType<SqliteJournal['entriesAfter']>): void {
  const made: string[] = [];
  const counters: Record<string, number> = {};
  for (const entry of entries) {
    const [first, second] = entry.events as unknown as [
      { data: { worker: string; number: number } },
      { data: { name: string; value: number } },
    ];
    const name = counterOf(first.data.number);
    counters[name] = (counters[name] ?? 0) + 1;
    // Each value is the one before plus one: no writer decided on state that was no longer true.
    expect(second.data).toEqual({ name, value: counters[name] });
    made.push(`${first.data.worker} ${first.data.number} ${entry.seq}`);
  }
  const rows = journal.database.all<{ worker: string; number: number; seq: number }>(
    'SELECT * FROM made ORDER BY seq',
  );
  expect(rows.map((row) => `${row.worker} ${row.number} ${row.seq}`)).toEqual(made);
  const values = journal.database.all<{ name: string; value: number }>('SELECT * FROM counter');
  expect(Object.fromEntries(values.map((row) => [row.name, row.value]))).toEqual(counters);
  const taken = journal.database.get<{ count: number }>('SELECT count(*) AS count FROM taken')!.count;
  expect(taken).toBe(entries.length);
}

/** A file system of its own size, where this machine lets us make one. */
export function mountSmall(folder: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'infold-fault', folder], {
    stdio: 'pipe',
  });
}
export function remountReadOnly(folder: string): void {
  execFileSync('mount', ['-o', 'remount,ro', folder], { stdio: 'pipe' });
}
/** Lazily: a driver may hold files open for longer than it says. */
export function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder], { stdio: 'pipe' });
}

export const canMount: boolean = (() => {
  if (process.platform !== 'linux') return false;
  const folder = temporaryFolder();
  try {
    mountSmall(folder, 1);
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    removeFolder(folder);
  }
})();

/** Takes all the space that is left, down to the last block. */
export function fill(path: string): void {
  for (const [index, size] of [1_000_000, 100_000, 4096, 1].entries()) {
    for (let file = 0; ; file++) {
      try {
        writeFileSync(join(path, `filler-${index}-${file}`), Buffer.alloc(size));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
        break;
      }
    }
  }
}

/** Takes away what `fill` wrote. */
export function makeRoom(path: string): void {
  for (const name of readdirSync(path)) if (name.startsWith('filler-')) rmSync(join(path, name));
}
