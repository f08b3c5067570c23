import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { locateConstraints, parseConstraints } from '../files/constraints.ts';
import { checkFolder } from './check-folder.ts';
import { contradictionsAmong } from './contradictions.ts';
import { frontMatterProblems } from './front-matter.ts';
import { outlineOf } from './links.ts';
import { proseOf, vagueWords } from './wording.ts';

function check(files: Record<string, string | Buffer>, { mostTokens = 2000 } = {}) {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { findings } = checkFolder(folder, { mostTokens, mostBytes: 100_000, validators: [] });
  return findings.map(({ check, path, line }) => `${path}:${line} ${check}`);
}

const GOOD = '# Names\n\n## Naming\n\n- Name a function by what it returns.\n- Name a file by its subject.\n';

describe('checking a folder of rules', () => {
  test('finds nothing in rules that say what to do', () => {
    expect(check({ 'coding/NAMES.md': GOOD, 'context/ABOUT.md': 'Usually this is prose, etc.\n' })).toEqual(
      [],
    );
  });

  test('names a rule that nobody can refer to, but not context or the meta prompt', () => {
    const text = '# Title\n\nOnly prose.\n';
    expect(check({ 'RULE.md': text, 'context/C.md': text, 'META_PROMPT.md': text })).toEqual([
      'RULE.md:1 no-constraints',
    ]);
  });

  test('names vague words with their lines, below front matter too, and not those in code or quotations', () => {
    const text =
      '---\ndescription: d\n---\n# T\n\n## Errors\n\n- Handle errors properly.\n- Say `etc` or "if possible".\n\n## Speed\n\nFirst line.\nTry to be fast.\n';
    expect(check({ 'R.md': text })).toEqual(['R.md:8 vague-wording', 'R.md:14 vague-wording']);
    expect(check({ 'R.md': text.replaceAll('\n', '\r\n') })).toEqual([
      'R.md:8 vague-wording',
      'R.md:14 vague-wording',
    ]);
  });

  test('finds two constraints that cannot both be followed, across files', () => {
    const one = '## Tests\n\n- Always commit generated files to the repository.\n';
    const other =
      '## Build\n\n- Never commit generated files to the repository.\n- A function has at most 40 lines.\n';
    const third = '## Size\n\n- A function has at most 80 lines.\n';
    expect(check({ 'a.md': one, 'b.md': other, 'c.md': third })).toEqual([
      'b.md:3 contradiction',
      'c.md:3 contradiction',
    ]);
  });

  test('needs only one word where two constraints are about nothing else', () => {
    const pair = (one: string, other: string) => check({ 'a.md': `## A\n\n- ${one}\n- ${other}\n` });
    const opposed = ['a.md:4 contradiction'];
    expect(pair('Always use tabs', 'Never use tabs')).toEqual(opposed);
    expect(pair('Never use tabs', 'Use `tabs`.')).toEqual(opposed);
    expect(pair('Use 2 spaces', 'Use 4 spaces')).toEqual(opposed);
    expect(pair('Immer Tabs', 'Niemals Tabs')).toEqual(opposed);
    for (const [one, other] of [
      ['Tabs', 'Never use tabs'],
      ['Always use tabs', 'Never use tabs in Markdown'],
      ['Use tabs', 'Always use tabs'],
      ['2 spaces', '4 spaces'],
      ['Always use tabs', 'Never use spaces'],
    ] as const) {
      expect([one, other, pair(one, other)]).toEqual([one, other, []]);
    }
  });

  test('says so where an import would skip a file, and where it would find none', () => {
    expect(check({ 'a.md': '## A\n\n- b\0\n', 'b.md': Buffer.from([0xff, 0xfe, 0x41]) })).toEqual([
      'a.md:1 unreadable',
      'b.md:1 unreadable',
    ]);
    expect(check({ 'a.md': `## A\n\n- ${'x '.repeat(60_000)}\n` })).toEqual(['a.md:1 unreadable']);
    expect(check({ 'notes.txt': 'x' })).toEqual(['.:1 no-files']);
  });

  test('names traits that mean nothing, and successors that lead nowhere or back', () => {
    verifies('LIB-18');
    const rule = (front: string) => `---\n${front}\n---\n${GOOD}`;
    const good = 'applies_to: ["src/**"]\nhosts: [codex]\ntags: [a]';
    expect(check({ 'a.md': rule(good) })).toEqual([]);
    const bad = 'tags: 3\napplies_to: "a/{b"\nhosts: [emacs]\ndeprecated: maybe\nsuccessor: ../b.md';
    expect(check({ 'a.md': rule(bad) })).toEqual([2, 3, 4, 5, 6].map((line) => `a.md:${line} front-matter`));
    expect(check({ 'a.md': rule('successor: b.md'), 'b.md': GOOD.replace('Name', 'Call') })).toContain(
      'a.md:2 front-matter',
    );
    const deprecated = (successor: string) => rule(`deprecated: true\nsuccessor: ${successor}`);
    const successors = (files: Record<string, string>) =>
      check(files).filter((found) => found.endsWith(' successor'));
    expect(successors({ 'a.md': deprecated('b.md') })).toEqual(['a.md:3 successor']);
    expect(successors({ 'a.md': deprecated('b.md'), 'b.md': GOOD })).toEqual([]);
    expect(successors({ 'a.md': deprecated('b.md'), 'b.md': deprecated('a.md') })).toEqual([
      'a.md:3 successor',
      'b.md:3 successor',
    ]);
    expect(successors({ 'a.md': deprecated('b.md'), 'b.md': deprecated('c.md'), 'c.md': GOOD })).toEqual([
      'a.md:3 successor',
    ]);
  });

  test('follows links within the folder: files, anchors, images and definitions', () => {
    const text =
      '# T\n\n## A rule\n\nSee [names](coding/NAMES.md#naming), [no](coding/NAMES.md#nowhere), [gone](gone.md),\n' +
      '[here](#a-rule), [out](../secret.md), [web](https://example.com/x) and ![image](pic.png).\n\n[one]: missing.md\n';
    expect(check({ 'R.md': text, 'coding/NAMES.md': GOOD })).toEqual([
      'R.md:5 dead-link',
      'R.md:5 dead-link',
      'R.md:6 dead-link',
      'R.md:6 dead-link',
      'R.md:8 dead-link',
    ]);
  });

  test('names what is too long, and files that could not be imported', () => {
    const long = `## Long\n\n${'Use short words in names. '.repeat(60)}\n`;
    expect(
      check({ 'long.md': long, 'bad.md': Buffer.from([0xff, 0xfe, 0x41]) }, { mostTokens: 100 }),
    ).toEqual(['bad.md:1 unreadable', 'long.md:1 too-long']);
  });

  test('passes on what other doors say about a file, at its line', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'R.md'), GOOD);
    const { findings } = checkFolder(folder, {
      ...{ mostTokens: 2000, mostBytes: 100_000 },
      validators: [() => ['line 3: steps: must be a list']],
    });
    expect(findings).toEqual([
      {
        ...{ check: 'invalid-steps', level: 'error', path: 'R.md', line: 3 },
        message: 'steps: must be a list',
      },
    ]);
  });
});

describe('front matter', () => {
  test.each([
    ['---\ndescription: d\nowner: me\n---\nText\n', 3, /"owner"/],
    ['---\nkind: story\n---\n', 2, /kind must be/],
    ['---\ndescription: "open\n---\n', 2, /not YAML/],
    ['---\ndescription: d\n\nText without an end\n', 1, /no end/],
  ])('%j has a problem in line %d', (text, line, message) => {
    const [problem, ...more] = frontMatterProblems(text);
    expect(more).toEqual([]);
    expect(problem!.line).toBe(line);
    expect(problem!.message).toMatch(message);
  });

  test('is no matter of files without any, nor of a rule between two lines', () => {
    expect(frontMatterProblems('# Title\n')).toEqual([]);
    expect(frontMatterProblems('---\n\nText\n\n---\n')).toEqual([
      expect.objectContaining({ message: 'The front matter holds no fields' }),
    ]);
  });
});

test('an anchor is what GitHub makes of a heading, with a number where it is taken', () => {
  const { anchors } = outlineOf('# Größe & `code`\n\n## Twice\n\n## Twice\n\n<a id="own"></a>\n');
  expect([...anchors]).toEqual(['größe--code', 'twice', 'twice-1', 'own']);
});

test('the line of a constraint is where its text stands in the file', () => {
  const piece = fc.constantFrom('', '# One', '## Two', 'Text here.', '- item', '1) other', '```', '   ');
  const ends = fc.constantFrom('\n', '\r\n');
  const front = fc.constantFrom('', '---\ndescription: d\n---\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), ends, front, (pieces, end, start) => {
      const content = (start + pieces.join('\n')).replaceAll('\n', end);
      const located = locateConstraints(content);
      expect(located.map(({ line: _line, ...constraint }) => constraint)).toEqual(parseConstraints(content));
      const lines = content.split(end);
      for (const { text, line } of located) expect(lines[line - 1]).toContain(text.split('\n')[0]);
    }),
  );
});

test('what is blanked out of a text leaves every other character where it is', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '`', '"', '\n', ' ', '“', '”', ']', '(', ')') }),
      (text) => {
        const prose = proseOf(text);
        expect(prose.length).toBe(text.length);
        expect(prose.split('\n').length).toBe(text.split('\n').length);
      },
    ),
  );
});

test('a vague word is found once, as a word of its own', () => {
  expect(vagueWords('Properly, properly\nand improperly; proper-noun; etcetera; etc.')).toEqual([
    { word: 'properly', line: 0 },
    { word: 'etc', line: 1 },
  ]);
});

test('whether two constraints contradict each other does not depend on their order', () => {
  const text = fc.constantFrom(
    'Always log errors with their cause.',
    'Never log errors with their cause.',
    'Log errors with their cause.',
    'A line has at most 100 characters.',
    'A line has at most 120 characters.',
    'Wait 5 seconds.',
  );
  const key = (one: string, other: string) => [one, other].sort().join('|');
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const statements = texts.map((each, index) => ({
        id: `${index}`,
        path: 'R.md',
        line: index + 1,
        text: each,
      }));
      const pairs = (list: typeof statements) =>
        contradictionsAmong(list)
          .map(({ one, other }) => key(one.id, other.id))
          .sort();
      expect(pairs(statements.toReversed())).toEqual(pairs(statements));
      const opposite = statements.flatMap((one) =>
        statements
          .filter((other) => one.text.startsWith('Never') && /^(?:Always|Log)/.test(other.text))
          .map((other) => key(one.id, other.id)),
      );
      expect(pairs(statements)).toEqual(expect.arrayContaining(opposite));
    }),
  );
});
