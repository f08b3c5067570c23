import type { CallServices } from '../../call/services.ts';
import { type Telling, tellEntry } from '../../call/visible-entries.ts';
import type { Entry } from '../../journal/journal.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';

/** Who has been told something is told what comes then in one piece, so long after. */
const PAUSE = 100;
/** … or when there are so many characters of it. */
export const ENOUGH = 65_536;

/** An entry as a server-sent event. */
export interface EventFrame {
  seq: number;
  text: string;
}

/** What came since the last one, for everybody in an audience. */
export interface Batch {
  /** Everything behind this position is in it, up to and with the other. */
  after: number;
  until: number;
  frames: readonly EventFrame[];
  /** All of its frames; empty where the audience sees none of the entries. */
  bytes: Uint8Array;
}

export interface Listener {
  hear(batch: Batch): void;
}

type Services = Pick<CallServices, 'journal' | 'parts'>;

/** Those who see the same of the journal, and want the same: what comes is judged and written once for all of them. */
export class Audience {
  readonly #services: Services;
  readonly #telling: Telling;
  readonly #listeners = new Set<Listener>();
  readonly #encoder = new TextEncoder();
  readonly #onEmpty: () => void;
  #frames: EventFrame[] = [];
  #length = 0;
  /** Positions: up to the last batch, and up to the newest entry. Undefined before the first one came. */
  #told: number | undefined;
  #newest = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(services: Services, telling: Telling, onEmpty: () => void) {
    this.#services = services;
    this.#telling = telling;
    this.#onEmpty = onEmpty;
  }

  /** The position up to which it was told; undefined while nobody knows. */
  get told(): number | undefined {
    return this.#told;
  }

  join(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#onEmpty();
    };
  }

  frameOf(entry: Entry): string {
    const { parts, journal } = this.#services;
    const told = tellEntry({ parts, database: journal.database }, entry, this.#telling);
    return told ? `id: ${told.seq}\ndata: ${JSON.stringify(told)}\n\n` : '';
  }

  add(entry: Entry): void {
    this.#told ??= entry.seq - 1;
    this.#newest = entry.seq;
    const text = this.frameOf(entry);
    if (text === '') {
      // What nobody sees needs no batch of its own.
      if (this.#frames.length === 0) this.#tell();
      return;
    }
    this.#frames.push({ seq: entry.seq, text });
    this.#length += text.length;
    if (this.#length > ENOUGH) this.#tell();
    else
      this.#timer ??= setTimeout(() => this.#tell(), Math.max(0, this.#toldAt + PAUSE - performance.now()));
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const frames = this.#frames;
    const bytes = this.#encoder.encode(frames.map(({ text }) => text).join(''));
    const batch = { after: this.#told!, until: this.#newest, frames, bytes };
    this.#frames = [];
    this.#length = 0;
    this.#told = this.#newest;
    if (frames.length > 0) this.#toldAt = performance.now();
    for (const listener of this.#listeners) listener.hear(batch);
  }
}

/** Everybody who follows the journal over HTTP. It is watched once, for as long as there is somebody. */
export class Audiences {
  readonly #services: Services;
  readonly #byKey = new Map<string, Audience>();
  #unwatch: (() => void) | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** `wanted` says what `telling.wanted` leaves: the same words, the same entries. To be joined at once. */
  of(telling: Telling, wanted: readonly unknown[]): Audience {
    const { caller, isBrief } = telling;
    const { org, principal, scopes, projects, capabilities } = caller;
    const seer = [isLocalOwner(caller), org, principal, scopes, projects, capabilities];
    const key = JSON.stringify([seer, isBrief, wanted]);
    const known = this.#byKey.get(key);
    if (known) return known;
    const audience = new Audience(this.#services, telling, () => this.#leave(key));
    this.#byKey.set(key, audience);
    this.#unwatch ??= this.#services.journal.watch((entry) => {
      for (const one of this.#byKey.values()) one.add(entry);
    });
    return audience;
  }

  #leave(key: string): void {
    this.#byKey.delete(key);
    if (this.#byKey.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }
}
