import { Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { afterRound, lastOutside } from './positions.ts';
import type { Redact, Redaction } from './redact.ts';

export interface StreamSizes {
  /** How much new text is looked through at a time, in characters. */
  step: number;
  /** How far a secret may reach: what is held back until it is known what follows, and looked at again before what comes. */
  reach: number;
}

/** The longest that the rules follow is a private key within base64, 41,000 characters. */
const SIZES: StreamSizes = { step: 1 << 20, reach: 1 << 16 };

/**
 * Replaces secrets in text that passes through, in bounded memory. Nothing leaves before the text behind it is
 * known as far as a secret can reach, so that none is torn by the edge of a chunk.
 */
export class ScrubStream extends Transform {
  /** Secrets replaced so far. */
  count = 0;
  readonly #kinds = new Set<string>();
  readonly #redact: Redact;
  readonly #sizes: StreamSizes;
  readonly #decoder = new StringDecoder('utf8');
  /** Text that has left already and may begin or explain a secret, then text that has not. */
  #text = '';
  /** Where in it begins what has not left. */
  #kept = 0;
  /** How long it must grow before it is looked through again. */
  #due: number;

  constructor(redact: Redact, sizes: StreamSizes = SIZES) {
    super({ decodeStrings: false });
    this.#redact = redact;
    this.#sizes = sizes;
    this.#due = sizes.step + sizes.reach;
  }

  /** Kinds of the secrets replaced so far: sorted, each once. */
  get kinds(): string[] {
    return [...this.#kinds].sort();
  }

  override _transform(chunk: Buffer | string, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#text += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    attempt(done, () => {
      if (this.#text.length < this.#due) return;
      const redaction = this.#redact(this.#text);
      const cut = this.#cutOf(redaction);
      if (cut > this.#kept) {
        this.#release(redaction, cut);
        const start = Math.max(0, cut - this.#sizes.reach);
        this.#text = this.#text.slice(start);
        this.#kept = cut - start;
      }
      this.#due = this.#text.length + this.#sizes.step;
    });
  }

  override _flush(done: TransformCallback): void {
    this.#text += this.#decoder.end();
    attempt(done, () => this.#release(this.#redact(this.#text), this.#text.length));
  }

  /** Where to part the text: at a line's beginning if one is near, never within a secret or a character. */
  #cutOf({ rounds }: Redaction): number {
    const { step, reach } = this.#sizes;
    const limit = this.#text.length - reach;
    const line = this.#text.lastIndexOf('\n', limit - 1) + 1;
    const cut = lastOutside(rounds, line > limit - step / 2 ? line : limit);
    const code = this.#text.charCodeAt(cut);
    return code >= 0xdc00 && code <= 0xdfff ? cut - 1 : cut;
  }

  #release({ text, rounds }: Redaction, cut: number): void {
    let from = this.#kept;
    let to = cut;
    for (const findings of rounds) {
      for (const { start, end, kind } of findings) {
        if (end <= from || start >= to) continue;
        this.count += 1;
        this.#kinds.add(kind);
      }
      from = afterRound(findings, from);
      to = afterRound(findings, to);
    }
    if (to > from) this.push(text.slice(from, to));
  }
}

function attempt(done: TransformCallback, work: () => void): void {
  try {
    work();
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
