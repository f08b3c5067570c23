import { deflateRawSync } from 'node:zlib';

const FINAL_TEXT = 0x81;
const COMPRESSED = 0x40;
/** What a raw deflate stream ends with after a flush; permessage-deflate leaves it out. */
const TAIL = 4;

/**
 * A message as it goes over the wire, header included: made once, and the same bytes for every receiver, because a
 * server does not mask. Compressed at most once too: no context is taken over from message to message.
 */
export class WireFrame {
  readonly plain: Buffer;
  readonly #start: number;
  #deflated: Buffer | undefined;

  constructor(text: string) {
    const length = Buffer.byteLength(text);
    const [frame, start] = withHeader(FINAL_TEXT, length);
    frame.write(text, start, 'utf8');
    this.plain = frame;
    this.#start = start;
  }

  /** Read again where it is asked for: keeping it too would take twice the memory. */
  get text(): string {
    return this.plain.toString('utf8', this.#start);
  }

  /** What it says, without the header. */
  get body(): Buffer {
    return this.plain.subarray(this.#start);
  }

  get bytes(): number {
    return this.plain.length;
  }

  get deflated(): Buffer {
    if (!this.#deflated) {
      // A full flush ends in the four bytes that the receiver puts back itself.
      const packed = deflateRawSync(this.plain.subarray(this.#start), { level: 3, finishFlush: 2 });
      const [frame, start] = withHeader(FINAL_TEXT | COMPRESSED, packed.length - TAIL);
      packed.copy(frame, start, 0, packed.length - TAIL);
      this.#deflated = frame;
    }
    return this.#deflated;
  }
}

function withHeader(first: number, length: number): [Buffer, number] {
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = first;
  if (start === 2) frame[1] = length;
  else if (start === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  return [frame, start];
}
