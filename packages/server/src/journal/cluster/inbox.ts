import type { Message } from './follower.ts';
import { type EntryHead, type EntryText, readHeads, readText } from './wire.ts';

export type ArrivedBody = EntryText & { position: number };

/** The header of entries, on its way to be applied. */
export interface Arrived {
  position: number;
  heads: EntryHead[];
  /** Nothing to apply: the nodes are asked what their tables come to here. */
  isAudit?: boolean;
}

/** A header counts only if its body came at most so many messages before it, so that every node decides alike. */
const BODY_WINDOW = 4096;
/** Messages and characters above which no more is read until half of it was applied. */
const MOST_WAITING = 20_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Objects that are fetched before some of them are applied: each may hold megabytes. */
const MOST_OBJECTS = 16;

/** What came from the stream and waits to be applied: headers in their order, and bodies whose headers are still to come. */
export class Inbox {
  #bodies = new Map<string, ArrivedBody>();
  #arrived: Arrived[] = [];
  #characters = 0;
  /** How many of the first headers have all they need here. */
  #complete = 0;
  /** The newest message that came. */
  #seen = 0;
  #waitingForRoom: (() => void)[] = [];
  readonly #onUnclaimed: (position: number) => void;

  /** Told where a body stands that no header can claim any more. */
  constructor(onUnclaimed: (position: number) => void) {
    this.#onUnclaimed = onUnclaimed;
  }

  get isEmpty(): boolean {
    return this.#arrived.length === 0;
  }

  get size(): number {
    return this.#arrived.length;
  }

  get first(): Arrived | undefined {
    return this.#arrived[0];
  }

  /** In their order. */
  get headers(): readonly Arrived[] {
    return this.#arrived;
  }

  get seen(): number {
    return this.#seen;
  }

  /** Throws where a header cannot be read: what comes after it must not be applied then. */
  add({ position, text, heads, data }: Message): void {
    this.#seen = Math.max(this.#seen, position);
    if (text) this.#addBody({ ...text, position });
    else if (heads) this.#arrived.push({ position, heads });
    else if (data?.kind === 'head') this.#arrived.push({ position, heads: readHeads(data.text, position) });
    else if (data?.kind === 'audit') this.#arrived.push({ position, heads: [], isAudit: true });
    else if (data?.kind === 'body') {
      const body = readBody(data.text);
      if (body) this.#addBody({ ...body, position });
    }
  }

  /** Where NATS took a message twice, its first copy counts: a header may have claimed it already. */
  #addBody(body: ArrivedBody): void {
    if (this.#bodies.has(body.name)) {
      this.#onUnclaimed(body.position);
      return;
    }
    this.#bodies.set(body.name, body);
    this.#characters += body.data.length;
  }

  body(name: string): ArrivedBody | undefined {
    return this.#bodies.get(name);
  }

  /** The data came apart from it, as an object. */
  fill(body: ArrivedBody, data: string): void {
    body.data = data;
    if (this.#bodies.get(body.name) === body) this.#characters += data.length;
  }

  /** Whether the body came before its header, and not too long before it. */
  isInTime({ position }: ArrivedBody, header: number): boolean {
    return position < header && header - position <= BODY_WINDOW;
  }

  /**
   * Bodies that headers need and that are not here: names of those that did not come, and those whose data are objects. Answers
   * too how many headers can be applied once they are.
   */
  missing(most: number, after: number): { missing: (string | ArrivedBody)[]; ready: number } {
    const missing: (string | ArrivedBody)[] = [];
    const end = Math.min(this.#arrived.length, most);
    let objects = 0;
    let ready = Math.min(this.#complete, end);
    while (ready < end && objects < MOST_OBJECTS) {
      const { position, heads } = this.#arrived[ready++]!;
      if (position <= after) continue;
      for (const { name } of heads) {
        const body = this.#bodies.get(name);
        if (!body) missing.push(name);
        else if (body.blob !== null && body.data === '') {
          missing.push(body);
          objects++;
        }
      }
      if (missing.length === 0) this.#complete = ready;
    }
    return { missing, ready };
  }

  /** Takes out the first headers with their bodies. */
  take(count: number): { arrived: Arrived[]; bodies: ArrivedBody[] } {
    const arrived = this.#arrived.splice(0, count);
    this.#complete = Math.max(0, this.#complete - count);
    const bodies: ArrivedBody[] = [];
    for (const { heads } of arrived) {
      for (const { name } of heads) {
        const body = this.#bodies.get(name);
        if (!body) continue;
        bodies.push(body);
        this.#remove(body);
      }
    }
    this.dropUnclaimed();
    this.#makeRoom();
    return { arrived, bodies };
  }

  /** What was taken comes first again. */
  putBack(arrived: readonly Arrived[], bodies: readonly ArrivedBody[]): void {
    this.#arrived.unshift(...arrived);
    this.#complete = 0;
    const later = [...this.#bodies.values()];
    this.#bodies = new Map([...bodies, ...later].map((body) => [body.name, body]));
    for (const { data } of bodies) this.#characters += data.length;
  }

  clear(): void {
    this.#arrived = [];
    this.#complete = 0;
    this.#bodies.clear();
    this.#characters = 0;
    this.#makeRoom();
  }

  /** From where on the stream has to be read again by a node that has applied everything up to `position`. */
  oldest(position: number): number {
    for (const body of this.#bodies.values())
      if (body.position > position - BODY_WINDOW) return body.position;
    return position + 1;
  }

  /** Resolves when more can be taken; undefined where it can be at once. */
  room(): Promise<void> | undefined {
    // Where nothing can be applied, nothing is gained by waiting.
    if (this.#arrived.length === 0 || this.#isBelow(1)) return undefined;
    return new Promise((resolve) => this.#waitingForRoom.push(resolve));
  }

  #isBelow(share: number): boolean {
    const waiting = this.#arrived.length + this.#bodies.size;
    return waiting <= MOST_WAITING * share && this.#characters <= MOST_CHARACTERS * share;
  }

  #makeRoom(): void {
    if (this.#waitingForRoom.length === 0) return;
    if (this.#arrived.length > 0 && !this.#isBelow(0.5)) return;
    for (const resolve of this.#waitingForRoom.splice(0)) resolve();
  }

  /** Bodies that are too old for the next header, whichever it is. */
  dropUnclaimed(): void {
    const next = this.#arrived[0]?.position ?? this.#seen + 1;
    for (const body of this.#bodies.values()) {
      if (next - body.position <= BODY_WINDOW) return;
      this.#remove(body);
      this.#onUnclaimed(body.position);
    }
  }

  #remove({ name, data }: ArrivedBody): void {
    this.#bodies.delete(name);
    this.#characters -= data.length;
  }
}

/** What somebody else published there is nobody's body. */
function readBody(text: string): EntryText | undefined {
  try {
    return readText(text);
  } catch {
    return undefined;
  }
}
