import type { Entry, Journal } from '../../journal/journal.ts';
import { giveWay } from '../../kernel/background.ts';
import type { Clock } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { inPieces } from '../../kernel/give-way.ts';
import { isBusy } from '../../kernel/sqlite.ts';
import { memoryProjection } from '../projection/index.ts';
import type { Embedder } from './embedder.ts';
import type { MadeVector, UnvectoredPassage, Vectors } from './vectors.ts';

/** Items that come one after the other share a write. */
const GATHER = 300;
/** How often is asked whether the process that makes vectors is still there. */
const IDLE = 5000;
const BUSY = 100;
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 5 * 60_000;
/** Passages that are looked at before others may come first. */
const LOOKED_AT = 256;

export interface VectorMakerParts {
  journal: Journal;
  clock: Clock;
  vectors: Vectors;
  embedder: Embedder;
  onError: (error: unknown) => void;
}

/**
 * Makes the vectors of passages that have none, whenever nobody else wants anything: of what is there already, and of what comes.
 * It can end at any time, and goes on from there the next time. Of several processes on one folder one does it.
 */
export class VectorMaker {
  readonly #parts: VectorMakerParts;
  readonly #stop = new AbortController();
  readonly #unwatch: () => void;
  readonly #running: Promise<void>;
  #wake: (() => void) | undefined;
  /** The newest entry that may have brought passages. */
  #wanted: number;

  constructor(parts: VectorMakerParts) {
    this.#parts = parts;
    this.#wanted = parts.journal.head().seq;
    this.#unwatch = parts.journal.watch((entry) => this.#follow(entry));
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#stop.abort();
    this.#wake?.();
    await this.#running;
    this.#parts.vectors.release();
  }

  #follow({ seq, events }: Entry): void {
    if (!events.some(({ type }) => type in memoryProjection.on)) return;
    this.#wanted = seq;
    this.#wake?.();
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #run(): Promise<void> {
    const { vectors, clock, onError } = this.#parts;
    let failures = 0;
    while (!this.#isStopped) {
      try {
        if (vectors.done >= this.#wanted) {
          await this.#pause(undefined);
          await this.#pause(GATHER);
        } else if (vectors.lease(clock())) await this.#makeAll();
        else await this.#pause(IDLE);
        failures = 0;
      } catch (error) {
        if (this.#isStopped) return;
        if (isBusy(error)) {
          await this.#pause(BUSY);
          continue;
        }
        if (failures === 0) onError(error);
        await this.#pause(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures++));
      }
    }
  }

  async #makeAll(): Promise<void> {
    const { journal, vectors, clock } = this.#parts;
    const { done } = vectors;
    const { seq: head } = journal.head();
    for (const partition of vectors.partitions()) {
      let row = -1;
      for (;;) {
        await giveWay();
        if (this.#isStopped) return;
        const { passages, last } = vectors.missing(partition, { row, seq: done }, LOOKED_AT);
        if (last === undefined) break;
        // In the order of their rows: who has read some of a partition knows that others come after them.
        const made = await this.#make(passages);
        if (this.#isStopped) return;
        if (made.length > 0) await this.#patiently(() => vectors.add(made));
        if (!(await this.#patiently(() => vectors.lease(clock())))) return;
        row = last;
      }
    }
    await this.#patiently(() => vectors.setDone(Math.max(head, done), done));
    while (!this.#isStopped && (await this.#patiently(() => vectors.dropOthers()))) await giveWay();
  }

  async #make(passages: readonly UnvectoredPassage[]): Promise<MadeVector[]> {
    const { batch } = this.#parts.embedder;
    const made: MadeVector[] = [];
    for await (const piece of inPieces(passages, batch, giveWay)) {
      if (this.#isStopped) break;
      made.push(...(await this.#embed(piece)));
    }
    return made;
  }

  /** A text that the model refuses is left without a vector; where it refuses all of several, something else is wrong. */
  async #embed(passages: readonly UnvectoredPassage[]): Promise<MadeVector[]> {
    const { embedder } = this.#parts;
    try {
      const texts = passages.map(({ text }) => text);
      const vectors = await embedder.embed(texts, this.#stop.signal);
      return passages.map(({ row }, index) => ({ row, vector: vectors[index]! }));
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (passages.length === 1) return [];
      const made: MadeVector[] = [];
      for (const passage of passages) made.push(...(await this.#embed([passage])));
      if (made.length === 0) throw error;
      return made;
    }
  }

  /** Another process writes for a moment only. */
  async #patiently<Answer>(work: () => Answer): Promise<Answer> {
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || this.#isStopped) throw error;
        await this.#pause(BUSY);
      }
    }
  }

  /** Ends early when it is stopped; without a time, when something comes. */
  #pause(milliseconds: number | undefined): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const { signal } = this.#stop;
      const timer = milliseconds === undefined ? undefined : setTimeout(() => end(), milliseconds);
      timer?.unref();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      signal.addEventListener('abort', end);
      if (milliseconds === undefined) this.#wake = end;
    });
  }
}

/** Of the text, not of everything: by who makes vectors, or by the scrubber, which could not say that it is clean. */
const REFUSALS = new Set<string>(['invalid_arguments', 'scrub_failed']);

function isRefused(error: unknown): boolean {
  return InfoldError.isInstance(error) && REFUSALS.has(error.code);
}
