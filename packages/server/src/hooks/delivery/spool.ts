import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nextTurn } from '../../kernel/background.ts';

/** What `bin/hook.mjs` lets wait; more is lost, and counted. */
const FILES = 2000;
const BYTES = 16 * 1024 * 1024;
/** A hook that was killed while it wrote leaves a part. */
const PART_AGE = 3_600_000;
/** How long it is told that events were lost. */
const DROPPED_AGE = 7 * 86_400_000;

export interface SpoolReport {
  /** Events that wait for somebody who takes them in. */
  waiting: number;
  bytes: number;
  /** There is no room for more: large events may be lost before that. */
  isFull: boolean;
  /** Events that were lost lately: the spool was full, or they arrived incomplete. */
  dropped: number;
  droppedAt?: number;
}

/** What hooks left when nobody listened; `bin/hook.mjs` writes it, a file each, named by time and size. */
export function readSpool(folder: string): SpoolReport {
  const names = namesIn(folder).filter((name) => name.endsWith('.json'));
  const bytes = names.reduce((sum, name) => sum + (Number(name.split('-')[1]) || 0), 0);
  const lost = statSync(join(folder, 'spool', 'dropped'), { throwIfNoEntry: false });
  return {
    waiting: names.length,
    bytes,
    isFull: names.length >= FILES || bytes >= BYTES,
    dropped: lost?.size ?? 0,
    ...(lost ? { droppedAt: lost.mtimeMs } : {}),
  };
}

/**
 * Takes in what waits, the oldest first. A file goes when its event was taken in: a process that is killed in between
 * takes that one in again. Where `take` answers false, that one and the rest wait for the next time.
 */
export async function takeIn(
  folder: string,
  take: (line: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for (const name of namesIn(folder).sort()) {
    if (signal.aborted) return;
    const path = join(folder, 'spool', name);
    if (!name.endsWith('.json')) {
      removeOld(path, name === 'dropped' ? DROPPED_AGE : PART_AGE);
      continue;
    }
    const line = textOf(path);
    // Another process has just taken it in.
    if (line === undefined) continue;
    if (!(await take(line))) return;
    rmSync(path, { force: true });
    await nextTurn();
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'spool'));
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function removeOld(path: string, age: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && Date.now() - stats.mtimeMs > age) rmSync(path, { force: true });
}
