import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { hasConstraints, parseConstraints } from './constraints.ts';
import { bareHash } from './hashes.ts';

const ids = (text: string) => parseConstraints(text).map(({ id }) => id);
const texts = (text: string) => parseConstraints(text).map((constraint) => constraint.text);
const itemTexts = (text: string) =>
  parseConstraints(text)
    .filter(({ id, name }) => id !== name)
    .map((constraint) => constraint.text);

describe('constraints', () => {
  test('are the items of an H2 that holds a list, and the section as a whole', () => {
    verifies('LIB-06');
    const text = '# Code Style\n## Naming\n- a\n- b\n## Forbidden\n- c\n- d\n';
    expect(ids(text)).toEqual(['Naming', 'Naming/1', 'Naming/2', 'Forbidden', 'Forbidden/1', 'Forbidden/2']);
    expect(parseConstraints(text)[0]).toEqual({
      id: 'Naming',
      name: 'Naming',
      text: '- a\n- b',
      textHash: bareHash('- a\n- b'),
    });
    expect(parseConstraints(text)[1]).toEqual({
      id: 'Naming/1',
      name: 'Naming',
      text: 'a',
      textHash: bareHash('a'),
    });
  });

  test('are the whole section of an H2 that holds none', () => {
    verifies('LIB-06');
    const [only, ...others] = parseConstraints('## Core principle\nFirst line\nsecond line\n');
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      id: 'Core principle',
      name: 'Core principle',
      text: 'First line\nsecond line',
    });
  });

  test('are numbered by position, not by the number that is written', () => {
    expect(ids('## Steps\n1. Load relevant rules.\n2. Run tests.\n')).toEqual([
      'Steps',
      'Steps/1',
      'Steps/2',
    ]);
    expect(ids('## Steps\n7. a\n7. b\n')).toEqual(['Steps', 'Steps/1', 'Steps/2']);
  });

  test.each(['*', '+', '-', '1)', '1.'])('may be marked by %s', (marker) => {
    expect(itemTexts(`## A\n${marker} one\n${marker} two\n`)).toEqual(['one', 'two']);
  });

  test('take markup in items as it stands', () => {
    expect(itemTexts('## A\n- **Reason** why\n- PASS `x`\n')).toEqual(['**Reason** why', 'PASS `x`']);
  });

  test('include continuation lines and nested items, without the indent of the marker', () => {
    expect(itemTexts('## A\n- one\n  more\n  - inner\n\n  last\n- two\n')).toEqual([
      'one\nmore\n- inner\n\nlast',
      'two',
    ]);
    expect(itemTexts('## A\n10. ten\n    more\n')).toEqual(['ten\nmore']);
    expect(itemTexts('## A\n-\ttab\n\tmore\n')).toEqual(['tab\nmore']);
  });

  test('do not come from code', () => {
    expect(ids('## A\n```md\n## B\n- x\n```\n')).toEqual(['A']);
    expect(ids('## A\n\n    ## B\n    - x\n')).toEqual(['A']);
    expect(ids('<!--\n## Hidden\n-->\n## Shown\nx\n')).toEqual(['Shown']);
  });

  test('go on through H3, end at H1, and need an H2', () => {
    expect(ids('## A\n- x\n### B\n- y\n# C\n- z\n')).toEqual(['A', 'A/1', 'A/2']);
    expect(ids('# Only\n\n- x\n')).toEqual([]);
    expect(ids('no headings at all')).toEqual([]);
    expect(ids('')).toEqual([]);
    expect(ids('> ## Quoted\n> - x\n')).toEqual([]);
  });

  test('of a repeated heading have a number, and Examples is an ordinary heading', () => {
    expect(ids('## A\n- x\n## A\n- y\n## A\ntext\n')).toEqual(['A', 'A/1', 'A (2)', 'A (2)/1', 'A (3)']);
    expect(ids('## A\n- x\n## A/1\ntext\n')).toEqual(['A', 'A/1', 'A/1 (2)']);
    expect(ids('## A (2)\ntext\n## A\n- x\n## A\ntext\n')).toEqual(['A (2)', 'A', 'A/1', 'A (3)']);
    expect(ids('## Examples\n- x\n')).toEqual(['Examples', 'Examples/1']);
  });

  test('have titles as a reader sees them', () => {
    expect(ids('## A ##\nx\n')).toEqual(['A']);
    expect(ids('## Use **whole** `words` [here](x)\nx\n')).toEqual(['Use whole words here']);
    expect(ids('Title\n-----\nx\n')).toEqual(['Title']);
    expect(ids('##\nx\n')).toEqual(['(untitled)']);
  });

  test('are none where a section says nothing', () => {
    verifies('LIB-06');
    expect(ids('## Empty\n## Filled\nx\n')).toEqual(['Filled']);
    expect(ids('## Empty\n\n<!-- to be written -->\n\n# Next\n')).toEqual([]);
    expect(ids('## A\n-\n-\n')).toEqual([]);
    expect(ids('## A\nDo it.\n\n-\n')).toEqual(['A']);
    expect(ids('## A\n-\n- x\n')).toEqual(['A', 'A/2']);
    expect(ids('## A\n### B\ntext\n')).toEqual(['A']);
  });

  test('are not confused by front matter', () => {
    expect(ids('---\ndescription: x\n---\n## A\n- x\n')).toEqual(['A', 'A/1']);
    expect(ids('---\r\ndescription: x\r\n---\r\n## A\r\n- x\r\n')).toEqual(['A', 'A/1']);
    expect(ids('\uFEFF---\na: b\n---\n## A\nx\n')).toEqual(['A']);
    expect(texts('## A\n2024.Q1 goals\n')).toEqual(['2024.Q1 goals']);
  });

  test.each([
    ['quotes', '>'.repeat(100_000)],
    ['nested items', '- '.repeat(50_000)],
    [
      'indented items',
      `## A\n${Array.from({ length: 1000 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')}`,
    ],
    ['small sections', '## A\n'.repeat(100_000)],
    ['underlined titles', 'a\n---\n'.repeat(20_000)],
    ['brackets', '['.repeat(500_000)],
    ['items', `## A\n${'- x\n'.repeat(200_000)}`],
  ])('of endless %s are found before the test gives up', (_what, text) => {
    const found = ids(text);
    expect(found.length).toBeLessThanOrEqual(2001);
    expect(new Set(found).size).toBe(found.length);
  });
});

describe('for any Markdown', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '# H1',
      '## A',
      '## A',
      '## B ##',
      '### C',
      '- x',
      '* y',
      '1. z',
      '2) w',
      '  more',
      '\tmore',
      '',
      '> q',
      '```',
      '~~~',
      '---',
      '===',
      '<!--',
      '-->',
      '    code',
      '## A/1',
      '## A (2)',
      '| a | b |',
      '[x]: y',
      '\\## no',
      '##',
      '-',
    ),
    fc.string({ maxLength: 12 }),
  );
  const markdown = fc.array(line, { maxLength: 25 }).map((lines) => lines.join('\n'));
  const unicode = fc.string({ unit: 'binary', maxLength: 200 });

  test('parsing ends well, and ids are unique within a file', () => {
    verifies('LIB-06');
    fc.assert(
      fc.property(fc.oneof(markdown, unicode), (text) => {
        const found = parseConstraints(text);
        expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
        for (const { id, name, text: said, textHash } of found) {
          expect(id.startsWith(name)).toBe(true);
          expect(said).toBe(said.trim());
          expect(said).not.toContain('\r');
          expect(textHash).toBe(bareHash(said));
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('a quick look and the parser agree whether there are any', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        expect(hasConstraints(text)).toBe(parseConstraints(text).length > 0);
      }),
      { numRuns: runs(400) },
    );
  });

  test('the same bytes give the same constraints, and CRLF and LF agree', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const found = parseConstraints(text);
        expect(parseConstraints(text)).toEqual(found);
        expect(parseConstraints(text.replaceAll('\n', '\r\n'))).toEqual(found);
      }),
      { numRuns: runs(300) },
    );
  });

  test('every item stands in the text', () => {
    const items = fc.array(fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(items, { minLength: 1, maxLength: 5 }), (sections) => {
        const text = sections
          .map((list, index) => `## S${index}\n\n${list.map((item) => `- ${item}`).join('\n')}\n`)
          .join('\n');
        const expected = sections.flatMap((list, index) => [
          `S${index}`,
          ...list.map((_, at) => `S${index}/${at + 1}`),
        ]);
        expect(ids(text)).toEqual(expected);
        expect(itemTexts(text)).toEqual(sections.flat());
      }),
      { numRuns: runs(200) },
    );
  });
});
