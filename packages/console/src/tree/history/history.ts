import type { JournalEntry } from '@infold/protocol';
import { reduce } from '../model/reduce.ts';
import { emptyTree, type Tree } from '../model/tree.ts';
import { Timeline } from './timeline.ts';
import { withoutItems, withoutItemsUntil } from './trim.ts';

/** How far one has to reduce from a tree that is held: well under a frame. */
const SEGMENT = 250;
/** What is held of a session, in entries and in what they hold. Older ones can be asked for again. */
const MOST_HELD = 12_000;
const MOST_CHECKPOINTS = 64;

interface Segment {
  /** The tree before its entries. */
  start: Tree;
  entries: JournalEntry[];
  size: number;
}

/** A session as it is, and as it was at every position that is held. */
export class History {
  readonly timeline = new Timeline();
  readonly #most: number;
  readonly #segment: number;
  #segments: Segment[];
  /** Trees of older positions, without operations: where replaying begins for what is no longer held. */
  #checkpoints: Tree[] = [];
  #tree: Tree;
  #held = 0;

  constructor(start: Tree | string, most = MOST_HELD) {
    this.#tree = typeof start === 'string' ? emptyTree(start) : start;
    this.#segments = [{ start: this.#tree, entries: [], size: 0 }];
    this.#most = most;
    this.#segment = Math.min(SEGMENT, Math.ceil(most / 8));
  }

  /** The latest. */
  get tree(): Tree {
    return this.#tree;
  }

  /** Positions after this one are held. */
  get since(): number {
    return this.#segments[0]!.start.seq;
  }

  /** Entries that are there already are passed over. */
  add(entries: readonly JournalEntry[]): void {
    const fresh = entries.filter(({ seq }) => seq > this.#tree.seq);
    for (let from = 0; from < fresh.length; ) {
      const segment = this.#open();
      let to = from;
      while (to < fresh.length && !this.#isFull(segment)) {
        const entry = fresh[to++]!;
        segment.entries.push(entry);
        segment.size += sizeOf(entry);
        this.#held += sizeOf(entry);
      }
      this.#tree = reduce(this.#tree, fresh.slice(from, to), (entry, { total }) =>
        this.timeline.add(entry, total),
      );
      from = to;
    }
    this.#letGo();
  }

  /** The segment that the next entries go to. */
  #open(): Segment {
    const last = this.#segments.at(-1)!;
    if (!this.#isFull(last)) return last;
    const next = { start: this.#tree, entries: [], size: 0 };
    this.#segments.push(next);
    return next;
  }

  /** Entries may hold many operations each. */
  #isFull({ entries, size }: Segment): boolean {
    return entries.length >= this.#segment || size >= this.#most / 8;
  }

  /** The tree at a position; undefined where that is no longer held. */
  at(seq: number): Tree | undefined {
    if (seq >= this.#tree.seq) return this.#tree;
    if (seq < this.since) return undefined;
    const segment = this.#segments.findLast(({ start }) => start.seq <= seq)!;
    return reduce(segment.start, upTo(segment.entries, seq));
  }

  /** Where replaying to a position that is not held begins. */
  checkpointBefore(seq: number): Tree {
    return this.#checkpoints.findLast((tree) => tree.seq <= seq) ?? emptyTree(this.#tree.session);
  }

  /** Whole segments go, and with them their operations from every tree that is held. */
  #letGo(): void {
    if (this.#held <= this.#most) return;
    const gone: Segment[] = [];
    while (this.#held > this.#most && this.#segments.length > 1) {
      const segment = this.#segments.shift()!;
      this.#held -= segment.size;
      gone.push(segment);
    }
    if (gone.length === 0) return;
    this.#checkpoints.push(...gone.map(({ start }) => withoutItems(start)));
    while (this.#checkpoints.length > MOST_CHECKPOINTS) {
      this.#checkpoints = this.#checkpoints.filter((_, index) => index % 2 === 0);
    }
    const { since } = this;
    this.#tree = withoutItemsUntil(this.#tree, since);
    for (const segment of this.#segments) segment.start = withoutItemsUntil(segment.start, since);
    for (const [handle, { seq }] of this.#tree.places) if (seq <= since) this.#tree.places.delete(handle);
  }
}

function sizeOf({ events }: JournalEntry): number {
  return Math.max(1, events.length);
}

function upTo(entries: readonly JournalEntry[], seq: number): readonly JournalEntry[] {
  const end = entries.findIndex((entry) => entry.seq > seq);
  return end < 0 ? entries : entries.slice(0, end);
}
