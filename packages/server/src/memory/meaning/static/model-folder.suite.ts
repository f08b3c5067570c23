import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TensorContent {
  dtype: string;
  shape: number[];
  bytes: Uint8Array;
}

/** A file of the safetensors form. */
export function safetensors(tensors: Record<string, TensorContent>): Buffer {
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

export function floats(rows: readonly (readonly number[])[]): TensorContent {
  const numbers = Float32Array.from(rows.flat());
  return {
    dtype: 'F32',
    shape: [rows.length, rows[0]!.length],
    bytes: new Uint8Array(numbers.buffer),
  };
}

/** A tokenizer as models of the BERT family have it, with these words. */
export function wordPieceTokenizer(words: readonly string[]) {
  return {
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      vocab: Object.fromEntries(['[UNK]', ...words].map((word, index) => [word, index])),
    },
  };
}

export function writeModel(
  folder: string,
  tokenizer: unknown,
  tensors: Record<string, TensorContent>,
): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'model.safetensors'), safetensors(tensors));
  return folder;
}

/** A model to which the words of one group mean the same. */
export function writeGroups(folder: string, groups: readonly (readonly string[])[]): string {
  const words = groups.flat();
  const dimensions = Math.max(8, groups.length);
  const rows = groups.flatMap((group, place) =>
    group.map(() => Array.from({ length: dimensions }, (_, index) => (index === place ? 1 : 0))),
  );
  const unknown = Array.from({ length: dimensions }, () => 0);
  return writeModel(folder, wordPieceTokenizer(words), { embeddings: floats([unknown, ...rows]) });
}
