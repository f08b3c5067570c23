import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../../test/requirements.ts';
import { wordPieceTokenizer } from './model-folder.suite.ts';
import { Tokenizer } from './tokenizer.ts';

const WORDS = ['play', '##ing', '##s', 'cafe', '!', 'new', 'york', '東', '京', 'a', 'b', '##b', '##c'];
const wordPiece = new Tokenizer(wordPieceTokenizer(WORDS));
const named = (tokens: readonly number[]) => tokens.map((token) => ['[UNK]', ...WORDS][token]);

const PIECES: [string, number][] = [
  ['<unk>', 0],
  ['▁', -3],
  ['▁mee', -4],
  ['t', -3.5],
  ['▁meet', -5],
  ['ing', -2],
  ['▁a', -3],
  ['b', -6],
  ['▁ab', -4],
];
const unigramOf = (more: object = {}) =>
  new Tokenizer({
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 0, vocab: PIECES, ...more },
  });
const pieces = (tokens: readonly number[]) => tokens.map((token) => PIECES[token]![0]);

describe('a WordPiece tokenizer', () => {
  test('takes words apart by the longest beginnings that it knows', () => {
    verifies('PACK-15');
    expect(named(wordPiece.encode('Playing plays!', 10))).toEqual(['play', '##ing', 'play', '##s', '!']);
  });

  test('reads without case, accents, control characters and spaces between ideographs', () => {
    expect(named(wordPiece.encode('CAFÉ\u0000 New\tYork 東京', 10))).toEqual([
      'cafe',
      'new',
      'york',
      '東',
      '京',
    ]);
  });

  test('leaves out a word of which a part is unknown, and stops at the most', () => {
    expect(named(wordPiece.encode('playx new', 10))).toEqual(['new']);
    expect(wordPiece.encode('new york new york', 3)).toHaveLength(3);
  });

  test('never fails, and answers known tokens alone, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const tokens = wordPiece.encode(text, 50);
        expect(tokens.length).toBeLessThanOrEqual(50);
        for (const token of tokens) expect(token > 0 && token <= WORDS.length).toBe(true);
      }),
    );
  });

  test('takes a word that is made of its pieces apart into all of it', () => {
    const word = fc
      .array(fc.constantFrom('b', 'c'), { maxLength: 30 })
      .map((letters) => `a${letters.join('')}`);
    fc.assert(
      fc.property(word, (text) => {
        const joined = named(wordPiece.encode(text, 100)).join('').replaceAll('##', '');
        expect(joined).toBe(text);
      }),
    );
  });
});

describe('a Unigram tokenizer', () => {
  test('takes the tokens that are most probable together', () => {
    expect(pieces(unigramOf().encode('Meeting', 10))).toEqual(['▁meet', 'ing']);
    // -4 for "▁ab", -9 for "▁a" and "b".
    expect(pieces(unigramOf().encode('ab', 10))).toEqual(['▁ab']);
  });

  test('leaves out characters that no token holds, or says them in bytes', () => {
    expect(pieces(unigramOf().encode('a中', 10))).toEqual(['▁a']);
    const bytes = Array.from({ length: 256 }, (_, byte): [string, number] => [
      `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
      -20,
    ]);
    const withBytes = unigramOf({ byte_fallback: true, vocab: [...PIECES, ...bytes] });
    const tokens = withBytes.encode('a中', 10).slice(1);
    expect(tokens.map((token) => token - PIECES.length)).toEqual([...Buffer.from('中')]);
  });

  test('never fails, and says all of a text whose characters it knows', () => {
    const tokenizer = unigramOf();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void tokenizer.encode(text, 50)));
    const known = fc.array(fc.constantFrom('a', 't', 'b', ' '), { minLength: 1, maxLength: 40 });
    const letters = unigramOf({ vocab: [...PIECES, ['a', -7]] });
    fc.assert(
      fc.property(known, (characters) => {
        const text = characters.join('');
        const joined = letters
          .encode(text, 1000)
          .map((token) => PIECES[token]?.[0] ?? 'a')
          .join('');
        expect(joined).toBe(`${text.startsWith(' ') ? '' : '▁'}${text.replaceAll(' ', '▁')}`);
      }),
    );
  });

  test('replaces characters as its map says', () => {
    const tokenizer = new Tokenizer({
      normalizer: { type: 'Precompiled', precompiled_charsmap: mapOf('X', 'ab') },
      pre_tokenizer: { type: 'Metaspace' },
      model: { type: 'Unigram', unk_id: 0, vocab: PIECES },
    });
    expect(pieces(tokenizer.encode('X', 10))).toEqual(['▁ab']);
    expect(pieces(tokenizer.encode('aé', 10))).toEqual(['▁a']);
  });

  test('refuses or reads any map of characters, and then never fails', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.string({ unit: 'binary' }), (bytes, text) => {
        const size = Buffer.alloc(4);
        size.writeUInt32LE(bytes.length - (bytes.length % 4));
        const precompiled_charsmap = Buffer.concat([size, bytes]).toString('base64');
        let tokenizer: Tokenizer;
        try {
          tokenizer = new Tokenizer({
            normalizer: { type: 'Precompiled', precompiled_charsmap },
            model: { type: 'Unigram', unk_id: 0, vocab: PIECES },
          });
        } catch (error) {
          expect((error as Error).message).toContain('cannot be used');
          return;
        }
        tokenizer.encode(text, 50);
      }),
    );
  });
});

/** A double-array trie that knows one character of one byte. */
function mapOf(from: string, to: string): string {
  const byte = from.charCodeAt(0);
  const units = new Uint32Array(512);
  // The root leads to the places from 256 on, the character from there to its leaf, which is the replacement at 0.
  units[0] = 256 << 10;
  units[256 ^ byte] = (byte | (1 << 8) | (1 << 10)) >>> 0;
  units[256 ^ byte ^ 1] = (1 << 31) >>> 0;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(units.byteLength);
  return Buffer.concat([size, Buffer.from(units.buffer), Buffer.from(`${to}\0`)]).toString('base64');
}

describe('what is not known', () => {
  const base = wordPieceTokenizer(WORDS);

  test.each([
    ['a model', { ...base, model: { type: 'BPE', vocab: {}, merges: [] } }, /"BPE"/],
    ['a normalizer', { ...base, normalizer: { type: 'Nmt' } }, /normalizer "Nmt"/],
    ['a pre-tokenizer', { ...base, pre_tokenizer: { type: 'ByteLevel' } }, /pre-tokenizer "ByteLevel"/],
    [
      'a vocabulary of another shape',
      { ...base, model: { type: 'WordPiece', vocab: [1] } },
      /tokenizer\.json/,
    ],
    ['no model', { normalizer: null }, /tokenizer\.json/],
  ])('%s is refused by name', (_, content, message) => {
    expect(() => new Tokenizer(content)).toThrow(message);
  });

  test('any other content is refused with words, not with an accident', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => Tokenizer.parse(text)).toThrow(/The embedding model cannot be used/);
      }),
    );
    expect(() => Tokenizer.parse('{')).toThrow(/no JSON/);
  });
});
