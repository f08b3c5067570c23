import type { Scrubber } from '@infold/scrub';
import type { Journal } from '../../journal/journal.ts';
import { FORGOTTEN } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isBusy } from '../../kernel/sqlite.ts';
import type { MeaningAbsent, MeaningFound, MeaningQuestion } from '../retrieval/meaning-lane.ts';
import type { Embedder } from './embedder.ts';
import { VectorMaker } from './maker.ts';
import { type Nearest, NearestVectors } from './nearest.ts';
import { openEmbedder } from './open.ts';
import type { MeaningSettings } from './settings.ts';
import { floorOf } from './unrelated.ts';
import { Vectors } from './vectors.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    /** Where the configuration names a model of embeddings. */
    meaning?: Meaning | undefined;
  }
}

/** A pack does without this lane rather than come later than this, in milliseconds. */
const WAIT = 1000;
/** What failed is not tried again for every pack. */
const PAUSE = 30_000;
/** What is compared by whole vectors: of twice as many as are wanted by their signs, hardly one is missing. */
const LEAST_CANDIDATES = 128;
const CANDIDATES = 2;
const FILTERED_CANDIDATES = 16;
/** What is so much nearer than what says nothing is as near as can be. */
const CLEAR = 0.2;

interface Open {
  embedder: Embedder;
  vectors: Vectors;
  nearest: NearestVectors;
  floor: number;
}

export interface MeaningParts {
  journal: Journal;
  clock: Clock;
  settings: MeaningSettings;
  scrubber: Scrubber;
  onError: (error: unknown, what: string) => void;
}

/** PACK-15: the lane of meaning. Nothing is opened before somebody asks, or it is started. */
export class Meaning {
  readonly #parts: MeaningParts;
  readonly #stop = new AbortController();
  #opening: Promise<Open> | undefined;
  #opened: Open | undefined;
  #making: Promise<VectorMaker | undefined> | undefined;
  #unwatch: (() => void) | undefined;
  /** Until then it is not tried again, and why. */
  #failed: { why: string; until: number } | undefined;

  constructor(parts: MeaningParts) {
    this.#parts = parts;
  }

  /** Makes vectors in the background from now on. */
  start(): void {
    this.#making ??= this.#beginMaking();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#unwatch?.();
    await (await this.#making)?.close();
    await this.#opening?.catch(() => {});
  }

  /** What is near to a text, in time or not at all. */
  readonly find = async (question: MeaningQuestion): Promise<MeaningFound | MeaningAbsent> => {
    const deadline = performance.now() + WAIT;
    if (this.#failed && performance.now() < this.#failed.until) return { absent: this.#failed.why };
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(WAIT)]);
    let open = this.#opened;
    try {
      open ??= await untilAborted(this.#open(), signal);
    } catch {
      return this.#fail(
        signal.aborted ? 'its model is being opened' : 'its model cannot be opened (infold doctor)',
      );
    }
    let vector: Float32Array;
    try {
      const { embedder } = open;
      const text = embedder.readsSentences ? question.text : question.words;
      [vector] = (await embedder.embed([text], signal)) as [Float32Array];
    } catch {
      return this.#fail('its endpoint does not answer');
    }
    if (vector.every((number) => number === 0)) return { near: new Map(), compared: 0 };
    try {
      const { partitions, most, isFiltered, giveWay } = question;
      const found = await open.nearest.find(
        vector,
        partitions.filter(({ passages }) => passages > 0).map(({ number }) => number),
        Math.max(LEAST_CANDIDATES, most * (isFiltered ? FILTERED_CANDIDATES : CANDIDATES)),
        deadline,
        giveWay,
      );
      return { near: scoresOf(found, open.floor), compared: found.compared };
    } catch (error) {
      this.#parts.onError(error, 'what is near in meaning could not be found');
      return { absent: 'it failed' };
    }
  };

  #fail(why: string): MeaningAbsent {
    this.#failed = { why, until: performance.now() + PAUSE };
    return { absent: why };
  }

  #open(): Promise<Open> {
    this.#opening ??= this.#openNow().then(
      (open) => {
        this.#failed = undefined;
        this.#opened = open;
        return open;
      },
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  async #openNow(): Promise<Open> {
    const { journal, settings, scrubber } = this.#parts;
    const { signal } = this.#stop;
    const embedder = await openEmbedder(settings, scrubber, signal);
    const vectors = new Vectors(journal.database, embedder);
    const floor = vectors.floor ?? (await floorOf(embedder, signal));
    const nearest = new NearestVectors(vectors, embedder.dimensions);
    // What was forgotten does not stay in memory either.
    this.#unwatch ??= journal.watch(({ events }) => {
      if (events.some(({ type }) => type === FORGOTTEN)) this.#opened?.nearest.clear();
    });
    return { embedder, vectors, nearest, floor };
  }

  /** Tries until the model can be opened. */
  async #beginMaking(): Promise<VectorMaker | undefined> {
    const { signal } = this.#stop;
    let isTold = false;
    while (!signal.aborted) {
      try {
        const { embedder, vectors, floor } = await this.#open();
        vectors.prepare();
        if (vectors.floor === undefined) vectors.setFloor(floor);
        if (signal.aborted) return undefined;
        const { journal, clock, onError } = this.#parts;
        const failed = (error: unknown) => onError(error, 'vectors of memory could not be made');
        return new VectorMaker({ journal, clock, vectors, embedder, onError: failed });
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!isTold && !isBusy(error)) {
          this.#parts.onError(error, 'the model of embeddings cannot be opened');
          isTold = true;
        }
        await sleep(isBusy(error) ? 200 : PAUSE, signal);
      }
    }
    return undefined;
  }
}

/**
 * From what says nothing (0) to what is clearly near, or the nearest of all (1). Where much is as near as this, being so near says
 * nothing either.
 */
function scoresOf({ rows, isCut }: Nearest, least: number): Map<number, number> {
  const [first] = rows;
  if (!first) return new Map();
  const floor = isCut ? Math.max(least, rows.at(-1)!.similarity) : least;
  const span = Math.max(first.similarity - floor, CLEAR * (1 - floor));
  return new Map(
    rows
      .filter(({ similarity }) => similarity > floor)
      .map(({ row, similarity }) => [row, (similarity - floor) / span]),
  );
}

function untilAborted<Answer>(work: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    timer.unref();
    signal.addEventListener('abort', end);
  });
}
