/** Somebody who keeps something, and can let go of the oldest of it. */
export interface Holder {
  readonly bytes: number;
  /** Answers whether there was something to let go of. */
  dropOldest(): boolean;
}

/** What all pods together may keep of something: who was not used for longest lets go first. */
export class Budget {
  readonly #most: number;
  /** The last used last. */
  readonly #holders = new Set<Holder>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most;
  }

  /** Told of every change; where it is too much, somebody lets go of something that can be read elsewhere. */
  change(holder: Holder, bytes: number): void {
    this.#bytes += bytes;
    if (bytes < 0) return;
    this.#holders.delete(holder);
    this.#holders.add(holder);
    for (const used of this.#holders) {
      while (this.#bytes > this.#most && used.dropOldest());
      if (this.#bytes <= this.#most) return;
    }
  }

  /** Of a pod that is closed. */
  remove(holder: Holder): void {
    if (this.#holders.delete(holder)) this.#bytes -= holder.bytes;
  }
}
