import { nextTurn } from '../kernel/background.ts';
import { sleep } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import { storageError } from '../kernel/sqlite.ts';
import { clusterOf } from './cluster/node.ts';
import type { CommitRequest, Committed, Entry } from './journal.ts';
import { LocalJournal, type LocalJournalOptions } from './local.ts';
import { checkName, type HeadRow, notReached } from './rows.ts';

interface Waiting {
  request: CommitRequest<unknown>;
  resolve: (committed: Committed<unknown>) => void;
  reject: (error: unknown) => void;
}

type Outcome = { committed: Committed<unknown> } | { error: unknown };

const GROUP_SIZE = 512;
/** Milliseconds after which a group's transaction ends: who is left has the next one. */
const GROUP_TIME = 20;
const REACHED_LOOK = 10;

/** The embedded journal: one SQLite file that any number of processes share. */
export class SqliteJournal extends LocalJournal {
  #group: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #writing = 0;
  /** Whether the folder follows a cluster: then it can only be read here. */
  #isNodes = false;
  /** The version of the file's tables when that was last looked for: it changes when the folder becomes a node's. */
  #lookedAt = -1;
  #onIdle: (() => void) | undefined;

  static async open(options: LocalJournalOptions): Promise<SqliteJournal> {
    const journal = new SqliteJournal(await SqliteJournal.openFile(options), options);
    journal.#look();
    if (!journal.#isNodes) journal.resume();
    return journal;
  }

  async commit<Answer>(request: CommitRequest<Answer>): Promise<Committed<Answer>> {
    this.checkOpen();
    if (this.#isNodes) throw belongsToCluster(this.database.path);
    if (request.group) return (await this.#enqueue(request as CommitRequest<unknown>)) as Committed<Answer>;
    const [outcome] = await this.#write([request as CommitRequest<unknown>]);
    if ('error' in outcome!) throw outcome.error;
    return outcome!.committed as Committed<Answer>;
  }

  /** What is committed can be read at once, so that only a position that nobody gave out is waited for. */
  async reached(seq: number): Promise<void> {
    const deadline = performance.now() + this.limits.lockWait;
    while (this.head().seq < seq) {
      if (performance.now() > deadline) throw notReached(seq, this.head().seq);
      await sleep(REACHED_LOOK);
    }
  }

  protected async settle(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    while (this.#writing > 0) await new Promise<void>((idle) => (this.#onIdle = idle));
  }

  #enqueue(request: CommitRequest<unknown>): Promise<Committed<unknown>> {
    return new Promise((resolve, reject) => {
      this.#group.push({ request, resolve, reject });
      this.#flushing ??= new Promise<void>((done) => setImmediate(done)).then(() => this.#flush());
    });
  }

  async #flush(): Promise<void> {
    while (this.#group.length > 0) {
      const batch = this.#group.splice(0, GROUP_SIZE);
      try {
        const outcomes = await this.#write(batch.map((waiting) => waiting.request));
        this.#group.unshift(...batch.splice(outcomes.length));
        for (const [index, outcome] of outcomes.entries()) {
          const waiting = batch[index]!;
          if ('error' in outcome) waiting.reject(outcome.error);
          else waiting.resolve(outcome.committed);
        }
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
      if (this.#group.length > 0) await nextTurn();
    }
    this.#flushing = undefined;
  }

  async #write(requests: CommitRequest<unknown>[]): Promise<Outcome[]> {
    this.#writing++;
    try {
      const outcomes = await this.line.run(() => this.#attempt(requests), this.patience);
      this.deliver(outcomes.flatMap(newEntry));
      return outcomes;
    } catch (error) {
      throw storageError(error, this.database.path);
    } finally {
      if (--this.#writing === 0) this.#onIdle?.();
    }
  }

  /**
   * One transaction for as many of the requests as there is time for, but for one at least; a request that refuses leaves
   * the others alone.
   */
  #attempt(requests: CommitRequest<unknown>[]): Outcome[] {
    try {
      const head = this.begin();
      this.#look();
      if (this.#isNodes) throw belongsToCluster(this.database.path);
      const written = head.seq;
      const outcomes: Outcome[] = [];
      const end = performance.now() + GROUP_TIME;
      for (const request of requests) {
        outcomes.push(this.#decideOne(request, head, requests.length > 1));
        if (performance.now() > end) break;
      }
      if (head.seq === written) this.database.exec('ROLLBACK');
      else {
        this.writeHead(head);
        this.commitSince(written, head);
      }
      return outcomes;
    } catch (error) {
      this.database.rollBack();
      throw error;
    }
  }

  /** It may be moved into a cluster while this process runs. Asked in every write, where it takes a few microseconds. */
  #look(): void {
    const { schema_version } = this.database.get<{ schema_version: number }>('PRAGMA schema_version')!;
    if (schema_version === this.#lookedAt) return;
    this.#lookedAt = schema_version;
    this.#isNodes = clusterOf(this.database) !== undefined;
  }

  #decideOne(request: CommitRequest<unknown>, head: HeadRow, shared: boolean): Outcome {
    if (!shared) return { committed: this.#append(request, head) };
    const outcome = this.apart(() => this.#append(request, head));
    return 'error' in outcome ? outcome : { committed: outcome.result };
  }

  #append(request: CommitRequest<unknown>, head: HeadRow): Committed<unknown> {
    for (const name of [request.stream, request.id, request.cause]) checkName(name);
    if (request.id !== undefined) {
      const earlier = this.entryById(request.id);
      if (earlier) return { answer: earlier.answer, entry: earlier, replayed: true };
    }
    const { decision, written } = this.decide(request);
    const entry = written && this.append(written, head);
    return { answer: decision.answer, entry, replayed: false };
  }
}

function belongsToCluster(path: string): InfoldError {
  const problem = `${path} belongs to a node of a cluster and can only be read; set nats.url (INFOLD_NATS_URL) to write`;
  return new InfoldError('storage_read_only', problem);
}

function newEntry(outcome: Outcome): Entry[] {
  if (!('committed' in outcome) || outcome.committed.replayed) return [];
  return outcome.committed.entry ? [outcome.committed.entry] : [];
}
