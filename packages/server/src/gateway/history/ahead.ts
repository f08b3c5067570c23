interface Early {
  seq: number;
  epoch: string;
  text: string;
}

/** Characters: what does not fit is heard when it is stored. */
const MOST = 4 * 1024 * 1024;

/** Messages of another node's pod that came before what stands between: it is stored, and on its way. */
export class Ahead {
  readonly #messages = new Map<number, Early>();
  #size = 0;

  add(early: Early): void {
    if (this.#size + early.text.length > MOST) return;
    this.#remove(early.seq);
    this.#messages.set(early.seq, early);
    this.#size += early.text.length;
  }

  /** Takes the message that comes next, and lets go of those before it. */
  after(seq: number): Early | undefined {
    for (const early of this.#messages.keys()) {
      if (early > seq) break;
      this.#remove(early);
    }
    const next = this.#messages.get(seq + 1);
    this.#remove(seq + 1);
    return next;
  }

  clear(): void {
    this.#messages.clear();
    this.#size = 0;
  }

  #remove(seq: number): void {
    this.#size -= this.#messages.get(seq)?.text.length ?? 0;
    this.#messages.delete(seq);
  }
}
