import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf } from '../../../kernel/errors.ts';
import { unusableModel } from '../errors.ts';

const SIZES = { F64: 8, F32: 4, F16: 2, I64: 8, I32: 4, I8: 1 } as const;
type NumberType = keyof typeof SIZES;

export interface Tensor {
  type: NumberType;
  shape: readonly number[];
  /** Bytes of the file. */
  begin: number;
  end: number;
}

const LENGTH_BYTES = 8;
const MOST_HEADER = 16 * 1024 * 1024;
const CHUNK = 1024 * 1024;

const headerSchema = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    shape: z.array(z.number().int().nonnegative()).max(4),
    data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
  }),
);

/** A file of named tensors, of which only what is asked for is read. */
export class TensorFile {
  readonly #file: FileHandle;
  readonly #tensors: ReadonlyMap<string, Tensor>;

  private constructor(file: FileHandle, tensors: ReadonlyMap<string, Tensor>) {
    this.#file = file;
    this.#tensors = tensors;
  }

  static async open(path: string): Promise<TensorFile> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (size < LENGTH_BYTES) throw unusableModel('model.safetensors is too short');
      const length = (await readBytes(file, 0, LENGTH_BYTES)).readBigUInt64LE();
      if (length > BigInt(Math.min(MOST_HEADER, size - LENGTH_BYTES))) {
        throw unusableModel('model.safetensors says that its header is longer than it can be');
      }
      const begin = LENGTH_BYTES + Number(length);
      const header = await readBytes(file, LENGTH_BYTES, begin);
      return new TensorFile(file, readHeader(header.toString('utf8'), begin, size));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  tensor(name: string): Tensor | undefined {
    return this.#tensors.get(name);
  }

  /** All numbers of a tensor that is small. */
  async numbers(tensor: Tensor): Promise<Float32Array> {
    const all = new Float32Array((tensor.end - tensor.begin) / SIZES[tensor.type]);
    let at = 0;
    for await (const numbers of this.pieces(tensor, 1)) {
      all.set(numbers, at);
      at += numbers.length;
    }
    return all;
  }

  /** Its numbers, about a megabyte at a time, each piece a multiple of `unit` numbers and only good until the next one. */
  async *pieces({ type, begin, end }: Tensor, unit: number): AsyncGenerator<Float32Array> {
    const size = SIZES[type];
    const step = Math.max(1, Math.floor(CHUNK / (unit * size))) * unit * size;
    const buffer = Buffer.alloc(Math.min(step, end - begin));
    const numbers = new Float32Array(buffer.length / size);
    for (let from = begin; from < end; from += step) {
      const bytes = await readBytes(this.#file, from, Math.min(end, from + step), buffer);
      const found = numbers.subarray(0, bytes.length / size);
      decode(type, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), found);
      yield found;
    }
  }
}

function readHeader(text: string, dataBegins: number, size: number): Map<string, Tensor> {
  let content: unknown;
  try {
    const { __metadata__: _, ...tensors } = JSON.parse(text) as Record<string, unknown>;
    content = tensors;
  } catch (error) {
    throw unusableModel(`the header of model.safetensors is no JSON (${messageOf(error)})`);
  }
  const parsed = headerSchema.safeParse(content);
  if (!parsed.success) throw unusableModel('the header of model.safetensors is not one of tensors');
  const tensors = new Map<string, Tensor>();
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(parsed.data)) {
    // Tensors of other types may be there, as long as nobody needs them.
    if (!isNumberType(dtype)) continue;
    const [begin, end] = data_offsets.map((offset) => dataBegins + offset) as [number, number];
    const bytes = shape.reduce((product, length) => product * length, SIZES[dtype]);
    if (end > size || end - begin !== bytes) {
      throw unusableModel(
        `model.safetensors is damaged or cut: its tensor "${name.slice(0, 100)}" is not whole`,
      );
    }
    tensors.set(name, { type: dtype, shape, begin, end });
  }
  return tensors;
}

function isNumberType(name: string): name is NumberType {
  return Object.hasOwn(SIZES, name);
}

async function readBytes(
  file: FileHandle,
  begin: number,
  end: number,
  buffer = Buffer.alloc(end - begin),
): Promise<Buffer> {
  const wanted = end - begin;
  let read = 0;
  while (read < wanted) {
    const { bytesRead } = await file.read(buffer, read, wanted - read, begin + read);
    if (bytesRead === 0) throw unusableModel('model.safetensors ends early');
    read += bytesRead;
  }
  return buffer.subarray(0, wanted);
}

function decode(type: NumberType, view: DataView, numbers: Float32Array): void {
  const halves = type === 'F16' ? halfTable() : undefined;
  for (let index = 0; index < numbers.length; index++) {
    switch (type) {
      case 'F32':
        numbers[index] = view.getFloat32(index * 4, true);
        break;
      case 'F16':
        numbers[index] = halves![view.getUint16(index * 2, true)]!;
        break;
      case 'I8':
        numbers[index] = view.getInt8(index);
        break;
      case 'F64':
        numbers[index] = view.getFloat64(index * 8, true);
        break;
      case 'I32':
        numbers[index] = view.getInt32(index * 4, true);
        break;
      case 'I64':
        numbers[index] = Number(view.getBigInt64(index * 8, true));
        break;
    }
  }
}

let halves: Float32Array | undefined;

/** What each of the 65,536 numbers of half precision is. */
function halfTable(): Float32Array {
  halves ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
  });
  return halves;
}
