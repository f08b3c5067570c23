import type { Database } from '../../kernel/sqlite.ts';
import { type HeadRow, readHead } from '../rows.ts';
import type { Arrived, ArrivedBody } from './inbox.ts';
import { type Cursor, readCursor } from './node.ts';

/** A write transaction that stays open for what comes next. */
interface Open {
  head: HeadRow;
  cursor: Cursor;
  /** The newest entry before it. */
  before: number;
  /** What was applied in it, to be applied again should it be lost. */
  arrived: Arrived[];
  bodies: ArrivedBody[];
  timer: NodeJS.Timeout | undefined;
}

export interface HeldFile {
  readonly database: Database;
  begin(): HeadRow;
  commitSince(written: number, head: HeadRow): void;
  /** Asks that writes are not waited for; answers how that ends. */
  relax(): () => void;
  isFarBehind(): boolean;
  /** It was committed. */
  onCommitted(): void;
  /** The storage failed: nothing of it is left, and the file is where it was before. */
  onLost(arrived: readonly Arrived[], bodies: readonly ArrivedBody[], cursor: Cursor, seq: number): void;
  /** The same, while nobody waited for it. */
  onError(error: unknown): void;
}

/** Milliseconds that a transaction is held for more to come, and that others then have a chance at the lock. */
const HOLD = 20;
const HOLD_FAR_BEHIND = 250;
const REST = 3;
/** After one was lost, so long each batch is committed by itself. */
const AFTER_LOSS = 5000;
/** Milliseconds without anything to apply after which writes are waited for again. */
const RELAXED = 10;

/**
 * The transaction that batches of a node share. NATS has what is applied in it, so that it is held for a moment; who reads on this
 * connection sees what is in it.
 */
export class HeldTransaction {
  readonly #file: HeldFile;
  #open: Open | undefined;
  /** When one may be held again. */
  #mayHoldFrom = 0;
  #lastUsed = 0;
  #restoring: NodeJS.Timeout | undefined;

  constructor(file: HeldFile) {
    this.#file = file;
  }

  /** The one that is open, or a new one. */
  use(): { readonly head: HeadRow; readonly cursor: Cursor } {
    if (this.#open) return this.#open;
    this.#relax();
    const { database } = this.#file;
    try {
      const head = this.#file.begin();
      const cursor = readCursor(database);
      this.#open = { head, cursor, before: head.seq, arrived: [], bodies: [], timer: undefined };
    } catch (error) {
      database.rollBack();
      throw error;
    }
    return this.#open;
  }

  /** Something was applied in it. */
  add(
    head: HeadRow,
    cursor: Cursor,
    { arrived, bodies }: { arrived: Arrived[]; bodies: ArrivedBody[] },
  ): void {
    const open = this.#open!;
    open.head = head;
    open.cursor = cursor;
    open.arrived.push(...arrived);
    open.bodies.push(...bodies);
  }

  /** Runs what belongs to it. Where the storage fails, nothing of it is left, and it has to be applied again. */
  whole<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const { arrived, bodies, timer } = this.#open!;
      clearTimeout(timer);
      this.#open = undefined;
      const { database } = this.#file;
      database.rollBack();
      this.#mayHoldFrom = performance.now() + AFTER_LOSS;
      this.#file.onLost(arrived, bodies, readCursor(database), readHead(database).seq);
      throw error;
    }
  }

  /** Commits, now or in a moment: a transaction for each entry would cost more than all else that is done for it. */
  letGo(atOnce: boolean): void {
    if (atOnce || performance.now() < this.#mayHoldFrom) {
      this.commit();
      return;
    }
    const hold = this.#file.isFarBehind() ? HOLD_FAR_BEHIND : HOLD;
    this.#open!.timer ??= setTimeout(() => this.#end(), hold);
  }

  commit(): void {
    const open = this.#open;
    if (!open) return;
    this.whole(() => this.#file.commitSince(open.before, open.head));
    this.#open = undefined;
    if (open.timer) {
      clearTimeout(open.timer);
      this.#mayHoldFrom = performance.now() + REST;
    }
    this.#file.onCommitted();
  }

  /** For the end. What could not be kept is applied again at the next start. */
  release(): void {
    clearTimeout(this.#restoring);
    try {
      this.commit();
    } catch (error) {
      this.#file.onError(error);
    }
    clearTimeout(this.#restoring);
  }

  #end(): void {
    try {
      this.commit();
    } catch (error) {
      this.#file.onError(error);
    }
  }

  /** NATS has what is applied here: nothing of it is waited for. Asked for once for many, since to say it takes a while. */
  #relax(): void {
    this.#lastUsed = performance.now();
    if (this.#restoring) return;
    const restore = this.#file.relax();
    const look = () => {
      const left = this.#open ? HOLD : this.#lastUsed + RELAXED - performance.now();
      if (left > 0) this.#restoring = setTimeout(look, left);
      else {
        this.#restoring = undefined;
        restore();
      }
    };
    this.#restoring = setTimeout(look, RELAXED);
  }
}
