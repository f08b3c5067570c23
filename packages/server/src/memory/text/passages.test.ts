import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { blocksOf } from './blocks.ts';
import { LONGEST_PASSAGE, MOST_PASSAGES, SHORT_PASSAGE, splitPassages } from './passages.ts';
import { sentenceStarts } from './sentences.ts';

const partsOf = (content: string) =>
  splitPassages(content).map(({ begin, end }) => content.slice(begin, end));
const filler = (sentences: number) => 'Some words stand in a row here. '.repeat(sentences).trim();

const word = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-zäöü]{1,12}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('e.g. Foo', '3.5', 'z. B. Haus', '😀', 'Straße', '`code`', '日本語。', 'ça'),
  },
);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 30 }), fc.constantFrom('.', '!', '?', ':'))
  .map(([words, stop]) => `It ${words.join(' ')}${stop}`);
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 12 }).map((each) => each.join(' '));
const item = fc
  .tuple(fc.constantFrom('- ', '* ', '1. ', '2) '), paragraph, fc.boolean())
  .map(([mark, text, isDeep]) => (isDeep ? `${mark}${text}\n  - deeper ${text}` : `${mark}${text}`));
const code = fc
  .tuple(fc.constantFrom('```', '~~~', '````'), fc.array(fc.string({ maxLength: 60 }), { maxLength: 60 }))
  .map(([fence, lines]) =>
    [fence, ...lines.map((line) => line.replace(/[\n\r`~]/g, ' ')), '# no heading', fence].join('\n'),
  );
const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), word)
  .map(([depth, text]) => `${'#'.repeat(depth)} ${text}`);
const table = fc
  .array(word, { minLength: 1, maxLength: 20 })
  .map((rows) => rows.map((row) => `| ${row} |`).join('\n'));
const block = fc.oneof(
  { weight: 4, arbitrary: paragraph },
  { weight: 2, arbitrary: fc.array(item, { minLength: 1, maxLength: 8 }).map((items) => items.join('\n')) },
  ...[heading, code, table].map((arbitrary) => ({ weight: 1, arbitrary })),
);
const text = fc
  .array(fc.tuple(block, fc.constantFrom('\n\n', '\n', '\n\n\n')), { minLength: 3, maxLength: 25 })
  .map((blocks) => blocks.flat().join(''));
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6000, size: 'max' }),
  fc
    .array(fc.constantFrom(' ', '\n', '. ', '```\n', '- ', '# x\n', '😀', 'word', 'x'.repeat(700), '|'))
    .map((all) => all.join('')),
);

/** Every place between two characters that a cut may not be at where what holds it fits into a passage. */
function tears(content: string, place: number): string | undefined {
  const held = blocksOf(content).find(({ begin, end }) => begin < place && place < end);
  if (!held) return undefined;
  const { kind, begin, end } = held;
  if (kind !== 'paragraph') return end - begin <= LONGEST_PASSAGE ? `within a ${kind}` : undefined;
  const starts = [...sentenceStarts(content, begin, end), end];
  const after = starts.findIndex((start) => start >= place);
  if (starts[after] === place) return undefined;
  return starts[after]! - starts[after - 1]! <= LONGEST_PASSAGE ? 'within a sentence' : undefined;
}

describe('passages', () => {
  test('hold every character of any text once, in order, in pieces that are never too long', () => {
    verifies('PACK-14');
    fc.assert(
      fc.property(fc.oneof(anything, text), (content) => {
        const passages = splitPassages(content);
        expect(passages[0]!.begin).toBe(0);
        expect(passages.at(-1)!.end).toBe(content.length);
        for (const [index, { begin, end }] of passages.entries()) {
          expect(end - begin).toBeLessThanOrEqual(LONGEST_PASSAGE);
          if (index > 0) expect(begin).toBe(passages[index - 1]!.end);
          if (content.length > 0) expect(end).toBeGreaterThan(begin);
          const [last, next] = [content.charCodeAt(end - 1), content.charCodeAt(end)];
          const isTorn = last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
          expect(isTorn).toBe(false);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('tear neither code nor an item of a list nor a sentence that fits into one', () => {
    verifies('PACK-14');
    fc.assert(
      fc.property(text, (content) => {
        for (const { end } of splitPassages(content).slice(0, -1))
          expect(tears(content, end)).toBeUndefined();
      }),
      { numRuns: runs(500) },
    );
  });

  test('are short only where no neighbour has room for them', () => {
    fc.assert(
      fc.property(text, (content) => {
        const lengths = splitPassages(content).map(({ begin, end }) => end - begin);
        for (const [index, length] of lengths.slice(1).entries()) {
          if (Math.min(length, lengths[index]!) >= SHORT_PASSAGE) continue;
          expect(length + lengths[index]!).toBeGreaterThan(LONGEST_PASSAGE);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('are no more than their journal entry has rows for; the last holds the rest', () => {
    const content = filler(5000);
    expect(splitPassages(content, 3)).toHaveLength(3);
    expect(splitPassages(content, 3).at(-1)!.end).toBe(content.length);
    expect(splitPassages('word '.repeat(400_000)).length).toBe(MOST_PASSAGES);
  });

  test('of a short text are the text', () => {
    expect(partsOf('# One\n\n- two')).toEqual(['# One\n\n- two']);
  });

  test('keep a list with the line that introduces it, and code with its sentence', () => {
    const list = `What has to be done:\n\n${['wash', 'cut', 'bake'].map((step) => `- ${step} ${filler(4)}`).join('\n')}`;
    const listed = partsOf(`${filler(26)}\n\n${list}\n\n${filler(10)}`);
    expect(listed.some((part) => part.includes('What has') && part.includes('- bake'))).toBe(true);
    const snippet = `The query is this:\n\n\`\`\`sql\n-- # all of them\n${'SELECT 1;\n'.repeat(80)}\`\`\``;
    const coded = partsOf(`${filler(24)}\n\n${snippet}\n\n${filler(12)}`);
    expect(coded.some((part) => part.includes('The query') && part.trimEnd().endsWith('```'))).toBe(true);
    const labelled = `**Actions**\n\n1. ${filler(12)}\n2. ${filler(12)}`;
    expect(partsOf(`${filler(27)}\n\n${labelled}`).some((part) => part.startsWith('**Actions**\n\n1.'))).toBe(
      true,
    );
  });

  test('cut code that is too long at its lines, and never end with a heading', () => {
    const lines = Array.from(
      { length: 90 },
      (_, index) => `const value${index} = compute(${index}); // # note`,
    );
    const content = `${filler(20)}\n\n## Code\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\n${filler(5)}`;
    const parts = partsOf(content);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts.slice(0, -1)) expect(part.endsWith('\n')).toBe(true);
    expect(parts.some((part) => /## Code\s*$/.test(part))).toBe(false);
  });

  test('know the headings they stand under, and not those in code', () => {
    const long = filler(22);
    const content = `# Guide\n\n${long}\n\n## Kiln\n\n${long}\n\n\`\`\`\n# comment\n\`\`\`\n\n${long}`;
    expect(splitPassages(content).map(({ heading }) => heading)).toEqual([
      'Guide',
      'Guide / Kiln',
      'Guide / Kiln',
    ]);
  });

  test('of many lines or of one endless one are found in time that follows the length', () => {
    for (const content of [
      'a\n'.repeat(200_000),
      'x'.repeat(400_000),
      '- a\n'.repeat(100_000),
      '```\n'.repeat(100_000),
    ]) {
      expect(partsOf(content).join('')).toBe(content);
    }
  });
});
