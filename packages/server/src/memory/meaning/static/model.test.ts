import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../../test/requirements.ts';
import { temporaryFolder } from '../../../testing/fixtures.suite.ts';
import { StaticModel } from './model.ts';
import {
  floats,
  safetensors,
  type TensorContent,
  wordPieceTokenizer,
  writeGroups,
  writeModel,
} from './model-folder.suite.ts';

const tokenizer = wordPieceTokenizer(['red', 'green', 'blue']);
const ROWS = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 0.5, 0],
  [0, 0, -2],
];

async function embedded(tensors: Record<string, TensorContent>, text: string): Promise<number[]> {
  const model = await StaticModel.open(writeModel(join(temporaryFolder(), 'colours'), tokenizer, tensors));
  const [vector] = await model.embed([text]);
  return [...vector!].map((number) => Math.round(number * 100) / 100);
}

const bytesOf = (array: ArrayBufferView) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

describe('a static model', () => {
  test('says a text as the mean of its tokens, with length 1', async () => {
    verifies('PACK-15');
    expect(await embedded({ embeddings: floats(ROWS) }, 'Red green, green')).toEqual([0.71, 0.71, 0]);
    expect(await embedded({ embeddings: floats(ROWS) }, 'blue')).toEqual([0, 0, -1]);
  });

  test('says nothing of a text that it does not know', async () => {
    expect(await embedded({ embeddings: floats(ROWS) }, 'purple?')).toEqual([0, 0, 0]);
  });

  test('weighs tokens, and lets several share a vector, where the file says so', async () => {
    const weights = { dtype: 'F64', shape: [4], bytes: bytesOf(Float64Array.from([1, 1, 2, 1])) };
    expect(await embedded({ embeddings: floats(ROWS), weights }, 'red green')).toEqual([0.71, 0.71, 0]);
    const mapping = { dtype: 'I64', shape: [4], bytes: bytesOf(BigInt64Array.from([0n, 3n, 3n, 1n])) };
    expect(await embedded({ embeddings: floats(ROWS), mapping }, 'green')).toEqual([0, 0, -1]);
  });

  test('reads numbers of half precision, and bytes', async () => {
    // 0, 1, 0.5, -2 and 65504 in half precision.
    const half = Uint16Array.from([0, 0, 0, 0x3c00, 0, 0, 0, 0x3800, 0, 0, 0, 0xc000]);
    const embeddings = { dtype: 'F16', shape: [4, 3], bytes: bytesOf(half) };
    expect(await embedded({ embeddings }, 'red green green')).toEqual([0.71, 0.71, 0]);
    const codes = Int8Array.from([0, 0, 0, 100, 0, 0, 0, 50, 0, 0, 0, -7]);
    const small = { dtype: 'I8', shape: [4, 3], bytes: bytesOf(codes) };
    expect(await embedded({ embeddings: small }, 'red green green')).toEqual([0.71, 0.71, 0]);
    expect(await embedded({ embeddings: small }, 'blue')).toEqual([0, 0, -1]);
  });

  test('has another version when its vectors or its tokens differ', async () => {
    const folder = temporaryFolder();
    const versions = new Set<string>();
    for (const groups of [
      [['red'], ['green']],
      [['red', 'green'], []],
      [['rot'], ['green']],
    ]) {
      const { version, model } = await StaticModel.open(writeGroups(join(folder, 'same-name'), groups));
      versions.add(version);
      expect(model).toBe('same-name');
    }
    expect(versions.size).toBe(3);
  });
});

describe('a folder that is no model', () => {
  test.each<[string, Record<string, TensorContent>, RegExp]>([
    ['no embeddings', { other: floats(ROWS) }, /no tensor "embeddings"/],
    [
      'a type that is not known',
      { embeddings: { ...floats(ROWS), dtype: 'BOOL' } },
      /no tensor "embeddings"/,
    ],
    ['one dimension', { embeddings: { ...floats(ROWS), shape: [12] } }, /shape 12/],
    ['a shape that does not fit', { embeddings: { ...floats(ROWS), shape: [4, 4] } }, /not whole/],
    ['values that are not numbers', { embeddings: floats([[1, Number.NaN]]) }, /not made of numbers/],
  ])('with %s is refused', async (_, tensors, message) => {
    const folder = writeModel(join(temporaryFolder(), 'model'), tokenizer, tensors);
    await expect(StaticModel.open(folder)).rejects.toThrow(message);
  });

  test('or is not there at all is refused', async () => {
    const folder = join(temporaryFolder(), 'model');
    await expect(StaticModel.open(folder)).rejects.toThrow(/cannot be used.*tokenizer\.json/);
    writeModel(folder, tokenizer, { embeddings: floats(ROWS) });
    rmSync(join(folder, 'model.safetensors'));
    await expect(StaticModel.open(folder)).rejects.toThrow(/cannot be used.*model\.safetensors/);
  });

  test('because it was cut is refused, wherever that was', async () => {
    const folder = writeModel(join(temporaryFolder(), 'model'), tokenizer, { embeddings: floats(ROWS) });
    const path = join(folder, 'model.safetensors');
    for (let size = readFileSync(path).length - 1; size >= 0; size -= 7) {
      truncateSync(path, size);
      await expect(StaticModel.open(folder)).rejects.toThrow(/cannot be used/);
    }
  });

  test('because some bytes changed is refused, or read as what it says', async () => {
    const folder = join(temporaryFolder(), 'model');
    mkdirSync(folder);
    writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
    const whole = safetensors({ embeddings: floats(ROWS) });
    const place = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 4 }), async (places) => {
        const damaged = Buffer.from(whole);
        for (const [index, byte] of places) damaged[index] = byte;
        writeFileSync(join(folder, 'model.safetensors'), damaged);
        try {
          const model = await StaticModel.open(folder);
          for (const number of (await model.embed(['red green']))[0]!)
            expect(Number.isFinite(number)).toBe(true);
        } catch (error) {
          expect((error as Error).message).toContain('cannot be used');
        }
      }),
    );
  });
});
