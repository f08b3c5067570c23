import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Limits } from '@infold/protocol';
import type { Progress } from '../../../journal/journal.ts';
import { sleep } from '../../../kernel/clock.ts';
import { digestHex, randomId } from '../../../kernel/ids.ts';
import { makePrivateFolder } from '../../../kernel/private-files.ts';
import { sourceInvalid, sourceUnavailable } from '../errors.ts';
import type { FileSource } from '../sources.ts';
import { workerUrl } from '../threads.ts';
import { type BuildMessage, type BuildOrder, INDEX_FORMAT, type IndexState } from './state.ts';

const LOCK_STALE = 15_000;
const HEARTBEAT = 2000;
const POLL = 150;
/** Memory of the building thread besides SQLite's own. */
const HEAP_MEGABYTES = 128;

/** The index of one file on disk: a small state file, which names the database that is current. */
export class Indexer {
  readonly folder: string;
  readonly #source: FileSource;
  readonly #base: string;
  readonly #limits: Pick<Limits, 'recordBytes' | 'recordColumns'>;
  #state: { modified: number; state: IndexState | null } | undefined;

  constructor(source: FileSource, folder: string, { recordBytes, recordColumns }: Limits) {
    this.#source = source;
    this.folder = folder;
    this.#limits = { recordBytes, recordColumns };
    const { type, path, id, delimiter, index, types } = source;
    const key = JSON.stringify({ INDEX_FORMAT, type, path, id, delimiter, index, types, ...this.#limits });
    this.#base = `${source.model}-${digestHex(16, key)}`;
  }

  get #statePath(): string {
    return join(this.folder, `${this.#base}.json`);
  }

  get #lockPath(): string {
    return join(this.folder, `${this.#base}.lock`);
  }

  /** What is indexed now, by whichever process. */
  state(): IndexState | null {
    try {
      const { mtimeMs } = statSync(this.#statePath);
      if (this.#state?.modified !== mtimeMs) {
        const state = JSON.parse(readFileSync(this.#statePath, 'utf8')) as IndexState;
        this.#state = { modified: mtimeMs, state: state.format === INDEX_FORMAT ? state : null };
      }
      return this.#state!.state;
    } catch {
      return null;
    }
  }

  /** The index is of no use; the next refresh makes a new one. */
  discard(): void {
    rmSync(this.#statePath, { force: true });
    this.#state = undefined;
  }

  databasePath(state: IndexState): string {
    return join(this.folder, state.database);
  }

  /** Brings the index up to date, unless another process is at it already; then waits for that one. */
  async refresh(progress: Progress): Promise<void> {
    makePrivateFolder(this.folder);
    if (!this.#lock()) {
      const before = this.state()?.builtAt;
      await this.#waitForOther(progress);
      // It may have died, or failed: then it is for this process to find out why.
      return this.state()?.builtAt === before ? this.refresh(progress) : undefined;
    }
    const alive = setInterval(() => this.#touch(), HEARTBEAT);
    alive.unref();
    try {
      const before = this.state();
      const usable = before && isThere(this.databasePath(before)) ? before : null;
      const state = await this.#build(usable, progress);
      await this.#publish(state);
      if (usable && usable.database !== state.database) await this.#remove(usable.database);
      await this.#removeOld();
    } finally {
      clearInterval(alive);
      rmSync(this.#lockPath, { force: true });
    }
  }

  #build(before: IndexState | null, progress: Progress): Promise<IndexState> {
    const { model, type, path, id, delimiter, index, types } = this.#source;
    const order: BuildOrder = {
      source: { type, path, id, delimiter, index, types },
      folder: this.folder,
      database: `${this.#base}-${randomId('b').slice(2, 10)}.db`,
      before,
      mostBytes: this.#limits.recordBytes,
      mostColumns: this.#limits.recordColumns,
    };
    return new Promise((resolve, reject) => {
      const worker = new Worker(workerUrl('files/build-worker.js'), {
        workerData: order,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
      });
      worker.on('message', (message: BuildMessage) => {
        if (message.kind === 'done') resolve(message.state);
        else if (message.kind === 'failed') {
          const { problem, missing } = message;
          reject(missing ? sourceUnavailable(model, problem) : sourceInvalid(model, `${path}: ${problem}`));
        } else {
          progress(message.done, message.total);
          this.#beat(message);
        }
      });
      worker.on('error', (error) => reject(sourceUnavailable(model, String(error), error)));
      worker.on('exit', () => reject(sourceUnavailable(model, 'indexing ended early')));
    });
  }

  async #publish(state: IndexState): Promise<void> {
    const path = `${this.#statePath}.${process.pid}`;
    await writeFile(path, JSON.stringify(state), { mode: 0o600 });
    await rename(path, this.#statePath);
    this.#state = undefined;
  }

  #lock(): boolean {
    for (const attempt of [1, 2]) {
      try {
        writeFileSync(this.#lockPath, heartbeat(0, 0), { flag: 'wx', mode: 0o600 });
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if (attempt === 2 || !this.#isStale()) return false;
        rmSync(this.#lockPath, { force: true });
      }
    }
    return false;
  }

  /** The lock of a process that died has no heartbeat; on the same machine nobody has to wait for that. */
  #isStale(): boolean {
    try {
      if (Date.now() - statSync(this.#lockPath).mtimeMs > LOCK_STALE) return true;
      const { pid, host } = readHeartbeat(this.#lockPath);
      return host === hostname() && !isAlive(pid);
    } catch {
      return !isThere(this.#lockPath);
    }
  }

  #beat({ done, total }: { done: number; total: number }): void {
    try {
      const lock = openSync(this.#lockPath, 'r+');
      writeSync(lock, heartbeat(done, total), 0);
      closeSync(lock);
    } catch {
      // Only others' displays depend on it.
    }
  }

  #touch(): void {
    try {
      utimesSync(this.#lockPath, new Date(), new Date());
    } catch {
      // Somebody took the lock for stale; both then build, and the last one to end is current.
    }
  }

  async #waitForOther(progress: Progress): Promise<void> {
    while (isThere(this.#lockPath) && !this.#isStale()) {
      await sleep(POLL);
      try {
        const { done, total } = readHeartbeat(this.#lockPath);
        progress(done, total);
      } catch {
        // Nothing told yet.
      }
    }
  }

  async #remove(database: string): Promise<void> {
    for (const suffix of ['', '-wal', '-shm'])
      await rm(join(this.folder, database + suffix), { force: true });
  }

  /** Databases that no state names: torn ones, and those of an earlier configuration of this model. */
  async #removeOld(): Promise<void> {
    const current = this.state()?.database;
    const own = new RegExp(`^${this.#source.model}-[0-9a-f]{16}(?:-\\w+\\.db|\\.json)$`);
    for (const name of await readdir(this.folder)) {
      if (!own.test(name) || name === current || name === `${this.#base}.json`) continue;
      const isOwn = name.startsWith(this.#base);
      const age = Date.now() - modifiedAt(join(this.folder, name));
      if (isOwn ? age > 60_000 : age > KEEP_OTHERS) await this.#remove(name);
    }
  }
}

interface Heartbeat {
  pid: number;
  host: string;
  done: number;
  total: number;
}

/** Always as long, since it is written over the last one. */
function heartbeat(done: number, total: number): string {
  return JSON.stringify({ pid: process.pid, host: hostname(), done, total }).padEnd(400);
}

function readHeartbeat(path: string): Heartbeat {
  return JSON.parse(readFileSync(path, 'utf8')) as Heartbeat;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const KEEP_OTHERS = 7 * 24 * 60 * 60 * 1000;

function isThere(path: string): boolean {
  return modifiedAt(path) > 0;
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
