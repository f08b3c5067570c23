import { createHash } from 'node:crypto';
import { nextTurn } from '../../kernel/background.ts';
import type { Clock } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type Database, openDatabase } from '../../kernel/sqlite.ts';
import { VERSION } from '../../kernel/version.ts';
import { hexOf } from '../integrity/chain.ts';
import type { Head, TablesReport } from '../journal.ts';
import type { Projector } from '../projections/projector.ts';
import { digestsOf } from '../projections/tables.ts';
import { readHead } from '../rows.ts';
import type { NodeState } from './cluster.ts';
import { alone } from './lease.ts';
import { lastForgetting } from './node.ts';
import { eraseOrphans } from './orphans.ts';
import { lastSnapshot, makeSnapshot, type SnapshotMark } from './snapshots.ts';
import { LIST_WAIT, type Stores, within } from './stores.ts';

/** What a node tells the others of itself. */
export interface NodeRecord extends NodeState {
  node: string;
  version: string;
  hash: string;
  /** By its own clock. */
  at: number;
  /** The last forgetting that left nothing here, in this node's file and in the stream. */
  forgotten: number;
  /** What all tables came to at a position of the stream. */
  audit?: { position: number; digest: string } | undefined;
}

export interface UpkeepNode {
  readonly name: string;
  readonly database: Database;
  readonly projector: Projector;
  readonly clock: Clock;
  state(): NodeState;
  head(): Head;
  verifyTables(): Promise<TablesReport>;
  rebuild(): Promise<unknown>;
  /** Most other nodes have another head than this one, or no longer. */
  differs(problem: string | undefined): void;
  onError(error: unknown): void;
  onPoint?: (point: 'snapshot-made' | 'snapshot-stored') => void;
}

export interface UpkeepSchedule {
  /** Entries after which a new snapshot is worth its cost. */
  snapshotEntries: number;
  /** Milliseconds between looks whether nodes differ, and whether a snapshot or an audit is due. */
  look: number;
  /** Milliseconds between audits of the tables. */
  audit: number;
  /** Milliseconds after which an object that belongs to nothing goes, and between looks for such. */
  orphans: number;
}

const HOUR = 60 * 60_000;
export const SCHEDULE: UpkeepSchedule = {
  ...{ snapshotEntries: 50_000, look: 15_000 },
  ...{ audit: HOUR, orphans: HOUR },
};

const REPORT = 3000;
const SILENT = 15_000;
const PORTION = 10_000;
const SNAPSHOT_LEASE = 'snapshot';
const DAY = 24 * HOUR;

/** What a node does for the cluster besides commits: it reports, makes snapshots, and notices where nodes differ. */
export class Upkeep {
  readonly #stores: Stores;
  readonly #node: UpkeepNode;
  readonly #schedule: UpkeepSchedule;
  readonly #timers: NodeJS.Timeout[] = [];
  #audit: NodeRecord['audit'];
  #auditing: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #told: Promise<void> | undefined;
  #lookedForOrphans = performance.now();
  /** Nodes that were found to differ, so that each is told of once. */
  readonly #different = new Set<string>();
  /** When each other node's report changed: one that stays the same is of a node that is gone. */
  readonly #reports = new Map<string, { at: number; since: number }>();

  constructor(stores: Stores, node: UpkeepNode, schedule: Partial<UpkeepSchedule> = {}) {
    this.#stores = stores;
    this.#node = node;
    this.#schedule = { ...SCHEDULE, ...schedule };
  }

  start(): void {
    const every = (interval: number, work: () => void) => {
      const timer = setInterval(work, interval);
      timer.unref();
      this.#timers.push(timer);
    };
    every(REPORT, () => this.#tell());
    every(this.#schedule.look, () => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    });
    this.#tell();
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#auditing, this.#looking, this.#told]);
    try {
      await (await this.#bucket()).delete(this.#node.name);
    } catch {
      // Who looks for it finds it silent.
    }
  }

  /** Asks every node, this one too, what its tables come to at one position of the stream. */
  async requestAudit(): Promise<void> {
    await this.#stores.jetstream.publish(
      this.#stores.subjects.audit,
      JSON.stringify({ node: this.#node.name }),
    );
  }

  /**
   * The request has come, and everything before it was applied. What is read from here on is as of now, while others go on
   * writing: resolves when that is certain.
   */
  async audit(position: number): Promise<void> {
    if (this.#auditing) return;
    const database = await openDatabase(this.#node.database.path, { readOnly: true });
    database.exec('BEGIN');
    database.get('SELECT seq FROM journal_head');
    this.#auditing = this.#digest(database, position)
      .catch((error) => this.#node.onError(error))
      .finally(() => {
        this.#auditing = undefined;
      });
  }

  async #digest(database: Database, position: number): Promise<void> {
    try {
      const digests = await digestsOf(database, this.#node.projector);
      const digest = createHash('sha256')
        .update(JSON.stringify([...digests]))
        .digest('hex');
      this.#audit = { position, digest };
    } finally {
      database.close();
    }
    this.#tell();
    await this.#told;
    await this.#compare();
  }

  #bucket() {
    return this.#stores.bucket('nodes', { ttl: DAY });
  }

  #tell(): void {
    this.#told ??= this.#put().finally(() => {
      this.#told = undefined;
    });
  }

  async #put(): Promise<void> {
    const { name, clock } = this.#node;
    try {
      const { forgotten } = this.#node.database.get<{ forgotten: number }>(
        'SELECT forgotten FROM journal_cluster',
      )!;
      const record: NodeRecord = {
        ...{ node: name, version: VERSION, at: clock(), forgotten, audit: this.#audit },
        ...this.#node.state(),
        hash: this.#node.head().hash,
      };
      await (await this.#bucket()).put(name, JSON.stringify(record));
    } catch {
      // The next time; meanwhile it counts as silent.
    }
  }

  async #others(): Promise<NodeRecord[]> {
    const bucket = await this.#bucket();
    const records: NodeRecord[] = [];
    for await (const key of await bucket.keys()) {
      const found = key === this.#node.name ? null : await bucket.get(key);
      if (found?.operation === 'PUT') records.push(found.json<NodeRecord>());
    }
    return records;
  }

  /** The same entries give the same hash, and the same position the same tables. Where they do not, each looks at itself. */
  async #compare(): Promise<void> {
    let [like, unlike] = [0, 0];
    const others = await within(LIST_WAIT, this.#others());
    for (const { node, seq, hash, audit, at } of others) {
      const own = this.#node.database.get<{ hash: Uint8Array }>(
        'SELECT hash FROM journal_entry WHERE seq = ?',
        seq,
      );
      const isAlike = own && hexOf(own.hash) === hash;
      if (own && !isAlike) this.#differs(node, `entry ${seq} has another hash there`);
      if (own && this.#isThere(node, at)) isAlike ? like++ : unlike++;
      const isSameMoment = audit && audit.position === this.#audit?.position;
      if (!isSameMoment || audit.digest === this.#audit?.digest) continue;
      this.#differs(node, `its tables differ at message ${audit.position} of the journal`);
      const { ok, different } = await this.#node.verifyTables();
      if (ok) continue;
      this.#node.onError(
        new InfoldError(
          'storage_invalid',
          `Tables of this node were damaged (${different.join(', ')}) and are made anew`,
        ),
      );
      await this.#node.rebuild();
      this.#audit = undefined;
    }
    if (like + unlike === 0) return;
    const problem = `${unlike} of ${like + unlike} other nodes have another journal than this one; they differ in what was applied. Run "infold verify" on each`;
    this.#node.differs(unlike > like ? problem : undefined);
  }

  #isThere(node: string, at: number): boolean {
    const now = performance.now();
    const known = this.#reports.get(node);
    const since = known?.at === at ? known.since : now;
    this.#reports.set(node, { at, since });
    return now - since < SILENT;
  }

  #differs(node: string, problem: string): void {
    const told = `${node} ${problem}`;
    if (this.#different.has(told)) return;
    this.#different.add(told);
    this.#node.onError(
      new InfoldError(
        'storage_invalid',
        `This node and ${node} differ: ${problem}; run "infold verify" on both`,
      ),
    );
  }

  async #look(): Promise<void> {
    try {
      await this.#compare();
      const mark = await lastSnapshot(this.#stores);
      if (this.#isSnapshotDue(mark)) await this.#snapshotAfter(mark);
      await this.#eraseOrphans();
      const since = this.#node.clock() - (await this.#lastAudit());
      if (since > this.#schedule.audit) {
        await alone(this.#stores, 'audit', this.#node.name, () => this.requestAudit());
      }
    } catch (error) {
      this.#node.onError(error);
    }
  }

  async #lastAudit(): Promise<number> {
    const query = { last_by_subj: this.#stores.subjects.audit };
    const message = await this.#stores.manager.streams.getMessage(this.#stores.stream, query);
    return message ? message.time.getTime() : 0;
  }

  /** Much came since the last one, or something was forgotten that it still holds. */
  #isSnapshotDue(mark: SnapshotMark | undefined): boolean {
    const { seq, lag } = this.#node.state();
    if (lag > 0 && !mark) return false;
    if (seq - (mark?.seq ?? 0) >= this.#schedule.snapshotEntries) return true;
    const forgotten = lastForgetting(this.#node.database);
    return mark !== undefined && forgotten > mark.seq && seq >= forgotten;
  }

  /** Now; false where another node is at it, or has just done it. */
  async snapshot(): Promise<boolean> {
    return this.#snapshotAfter(await lastSnapshot(this.#stores));
  }

  /** By one node at a time; who comes later finds that it was done. */
  async #snapshotAfter(known: SnapshotMark | undefined): Promise<boolean> {
    const { name, database, clock, onPoint } = this.#node;
    let made = false;
    await alone(this.#stores, SNAPSHOT_LEASE, name, async (lost) => {
      const mark = await lastSnapshot(this.#stores);
      if (mark?.object !== known?.object) return;
      await makeSnapshot(this.#stores, { database, node: name, now: clock() }, lost, onPoint);
      made = true;
    });
    return made;
  }

  /** Under the lease of snapshots: pieces of one that is on its way belong to nothing yet. */
  async #eraseOrphans(): Promise<void> {
    const { name, database, clock, state } = this.#node;
    const { orphans } = this.#schedule;
    if (performance.now() - this.#lookedForOrphans < orphans || !state().ready) return;
    await alone(this.#stores, SNAPSHOT_LEASE, name, async (lost) => {
      const olderThan = clock() - orphans;
      await eraseOrphans(this.#stores, await namedObjects(database), olderThan, lost);
      this.#lookedForOrphans = performance.now();
    });
  }
}

/** What entries keep in the object store, read in pieces: no index leads there. */
async function namedObjects(database: Database): Promise<Set<string>> {
  const named = new Set<string>();
  const { seq } = readHead(database);
  for (let after = 0; after < seq; after += PORTION) {
    const rows = database.all<{ blob: string }>(
      'SELECT blob FROM journal_entry WHERE seq > ? AND seq <= ? AND blob IS NOT NULL',
      after,
      after + PORTION,
    );
    for (const { blob } of rows) named.add(blob);
    await nextTurn();
  }
  return named;
}
