/** Hands on what comes in batches: at once where nothing came lately, then at most once a frame. */
export class Batches<Item> {
  readonly #deliver: (items: Item[]) => void;
  #waiting: Item[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deliver: (items: Item[]) => void) {
    this.#deliver = deliver;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    // Not `requestAnimationFrame`: it stands still while the page is in the background, and the batch would grow.
    this.#timer ??= setTimeout(() => this.#flush(), FRAME);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #flush(): void {
    this.#timer = undefined;
    const items = this.#waiting;
    this.#waiting = [];
    this.#deliver(items);
  }
}

const FRAME = 16;
