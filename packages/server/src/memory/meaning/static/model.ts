import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InfoldError, messageOf } from '../../../kernel/errors.ts';
import { toCodes } from '../codes.ts';
import { type Embedder, MOST_CHARACTERS, normalise } from '../embedder.ts';
import { unusableModel } from '../errors.ts';
import { type Tensor, TensorFile } from './safetensors.ts';
import { Tokenizer } from './tokenizer.ts';

const MOST_TOKENS = 512;
const BATCH = 32;
const MOST_DIMENSIONS = 4096;
/** The sum of 512 vectors stays a number of single precision. */
const LARGEST_SCALE = 1e24;
const LARGEST_WEIGHT = 1e9;

/** A vector for each token, a byte for each number. */
interface TokenVectors {
  dimensions: number;
  codes: Int8Array;
  scales: Float32Array;
  /** How much each token counts, and which vector it has, where the file says so. */
  weights: Float32Array | undefined;
  mapping: Float32Array | undefined;
}

/**
 * A static model of the Model2Vec form: a vector for each token, and a text is the mean of its tokens. What `config.json` says
 * about normalising does not matter, since only angles are compared.
 */
export class StaticModel implements Embedder {
  readonly model: string;
  readonly version: string;
  readonly readsSentences = false;
  readonly batch = BATCH;
  readonly #tokenizer: Tokenizer;
  readonly #vectors: TokenVectors;

  private constructor(model: string, version: string, tokenizer: Tokenizer, vectors: TokenVectors) {
    this.model = model;
    this.version = version;
    this.#tokenizer = tokenizer;
    this.#vectors = vectors;
  }

  static async open(folder: string, name: string = basename(folder)): Promise<StaticModel> {
    try {
      const tokenizer = await readFile(join(folder, 'tokenizer.json'));
      const digest = createHash('sha256').update(tokenizer);
      const vectors = await readVectors(join(folder, 'model.safetensors'), (bytes) => digest.update(bytes));
      const version = digest.digest('hex').slice(0, 16);
      return new StaticModel(name, version, Tokenizer.parse(tokenizer.toString('utf8')), vectors);
    } catch (error) {
      if (InfoldError.isInstance(error)) throw error;
      throw unusableModel(messageOf(error), error);
    }
  }

  get dimensions(): number {
    return this.#vectors.dimensions;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.#embed(text.slice(0, MOST_CHARACTERS)));
  }

  #embed(text: string): Float32Array {
    const { dimensions, codes, scales, weights, mapping } = this.#vectors;
    const sum = new Float32Array(dimensions);
    for (const token of this.#tokenizer.encode(text, MOST_TOKENS)) {
      const row = mapping ? mapping[token] : token;
      // A token without a vector says nothing.
      const scale = row === undefined ? undefined : scales[row];
      if (row === undefined || scale === undefined) continue;
      const factor = scale * (weights?.[token] ?? 1);
      const begin = row * dimensions;
      for (let index = 0; index < dimensions; index++) sum[index]! += factor * codes[begin + index]!;
    }
    return normalise(sum);
  }
}

async function readVectors(path: string, onBytes: (bytes: Uint8Array) => void): Promise<TokenVectors> {
  const file = await TensorFile.open(path);
  try {
    const tensor = file.tensor('embeddings');
    if (!tensor)
      throw unusableModel('model.safetensors holds no tensor "embeddings" of a type that is known here');
    const [rows = 0, dimensions = 0] = tensor.shape;
    if (tensor.shape.length !== 2 || rows === 0 || dimensions === 0 || dimensions > MOST_DIMENSIONS) {
      throw unusableModel(`its tensor "embeddings" has the shape ${tensor.shape.join(' × ')}`);
    }
    const codes = new Int8Array(rows * dimensions);
    const scales = new Float32Array(rows);
    let row = 0;
    for await (const numbers of file.pieces(tensor, dimensions)) {
      onBytes(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
      for (let begin = 0; begin < numbers.length; begin += dimensions, row++) {
        scales[row] = toCodes(numbers.subarray(begin, begin + dimensions), codes, row * dimensions);
        if (!(scales[row]! < LARGEST_SCALE))
          throw unusableModel(`the vector of token ${row} is not made of numbers`);
      }
    }
    const listed = async (name: string, list: Tensor | undefined) => {
      if (!list) return undefined;
      const numbers = await file.numbers(list);
      if (!numbers.every((number) => Math.abs(number) < LARGEST_WEIGHT))
        throw unusableModel(`its tensor "${name}" is not made of numbers`);
      onBytes(new Uint8Array(numbers.buffer));
      return numbers;
    };
    const weights = await listed('weights', file.tensor('weights'));
    const mapping = await listed('mapping', file.tensor('mapping'));
    return { dimensions, codes, scales, weights, mapping };
  } finally {
    await file.close();
  }
}
