import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ToolUse, toolUseOf } from '../known-tools.ts';
import { shorten } from './index.ts';
import { afterCommand, counted, many, sample } from './samples.suite.ts';

const TESTS = sample('cargo-test');

describe('what is never touched', () => {
  test.each<[string, ToolUse]>([
    ['a read', { kind: 'read', file: 'a.log', from: 1, to: 9 }],
    ['what shows a file', { kind: 'show' }],
    ['an edit', { kind: 'edit', file: 'a.ts' }],
    ['a write', { kind: 'write', file: 'a.ts', text: 'x' }],
  ])('%s', (_what, use) => {
    for (const text of [TESTS, JSON.stringify(many(500, (id) => ({ id })))])
      expect(shorten(use, 'x', text)).toBeUndefined();
  });

  test('a small result, and one of a server that nobody knows', () => {
    expect(afterCommand('cargo test', TESTS.slice(-1_900))).toBeUndefined();
    expect(shorten(undefined, 'mcp__ci__run_tests', TESTS)).toBeUndefined();
  });
});

describe('what hosts write around an output stays around it', () => {
  test.each<[string, unknown, string, string]>([
    [
      'exec_command',
      { cmd: 'cargo test' },
      'Chunk ID: 0a\nWall time: 1.2 seconds\nProcess exited with code 101\nOutput:\n',
      '',
    ],
    ['shell_command', { command: 'cargo test' }, 'Exit code: 101\nWall time: 1.2 seconds\nOutput:\n', ''],
    ['run_shell_command', { command: 'cargo test' }, 'Output: ', '\nExit Code: 101\nProcess Group PGID: 12'],
    ['Bash', { command: 'cargo test' }, 'Exit code 101\n', ''],
  ])('%s', (name, input, head, tail) => {
    const short = shorten(toolUseOf(name, input), name, `${head}${TESTS}${tail}`)!;
    expect(short.text.startsWith(head)).toBe(true);
    expect(short.text.endsWith(tail)).toBe(true);
    expect(short.text).toBe(`${head}${afterCommand('cargo test', TESTS)!.text}${tail}`);
  });

  test('JSON of Codex stays JSON', () => {
    const text = JSON.stringify({ output: TESTS, metadata: { exit_code: 101, duration_seconds: 1.2 } });
    const short = shorten(toolUseOf('shell', { command: ['cargo', 'test'] }), 'shell', text)!;
    expect(JSON.parse(short.text)).toEqual({
      output: afterCommand('cargo test', TESTS)!.text,
      metadata: { exit_code: 101, duration_seconds: 1.2 },
    });
  });
});

test('what is kept leaves the gaps out of account', () => {
  const { text, kept } = afterCommand('cargo test', TESTS)!;
  expect(kept).toBe(text.replaceAll(/… [^…\n]+ left out …/g, '').length);
});

test('what was shortened before stays, also with more around it', () => {
  const again = `${afterCommand('cargo test', TESTS)!.text}\n${TESTS}`;
  expect(afterCommand('cargo test', again)).toBeUndefined();
});

test.each([
  ['cargo test 2>&1 | tail -300', 'cargo test'],
  ['cd app && RUST_BACKTRACE=1 timeout 60 cargo test', 'cargo test'],
  ['bash -lc "cargo test"', 'cargo test'],
])('%s prints what %s prints', (longer, plain) => {
  expect(afterCommand(longer, TESTS)).toEqual(afterCommand(plain, TESTS));
});

test('what is picked from a listing or ordered is a listing', () => {
  const paths = many(300, (index) => `src/room/shelf-${index}.ts`).join('\n');
  for (const run of ['find . | sort', 'git ls-files | grep shelf', 'ls -R | head -300']) {
    expect(afterCommand(run, paths)?.kind).toBe('listing');
  }
  expect(afterCommand('find . | ./transform', paths)?.kind).toBeUndefined();
});

test('a pair of surrogates is never cut, wherever a line is', () => {
  for (let shift = 0; shift < 4; shift++) {
    const line = `${'a'.repeat(shift)}${'😀'.repeat(2_000)}`;
    const json = JSON.stringify({ line, lines: many(20, () => line) });
    expect(() => encodeURIComponent(shorten(undefined, 'x', json)!.text)).not.toThrow();
    const run = `TAP version 13\nnot ok 1 - ${line}\n# tests 1\n`;
    expect(() => encodeURIComponent(afterCommand('npm test', run)!.text)).not.toThrow();
  }
});

/** Lines of every kind in any order, under a command of every kind. */
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.nat(999).map((n) => `ok ${n} - shelf ${n} holds its books and keeps them in order`),
  },
  { weight: 2, arbitrary: fc.nat(999).map((n) => `not ok ${n} - shelf ${n}`) },
  { weight: 2, arbitrary: fc.nat(999).map((n) => `2026-03-01 10:00:00 ERROR ${n} is refused`) },
  { weight: 2, arbitrary: fc.nat(999).map((n) => `src/shelf.ts(${n},1): error TS1: it is wrong`) },
  { weight: 2, arbitrary: fc.nat(999).map((n) => `src/shelf.ts:${n}: a book`) },
  { weight: 2, arbitrary: fc.nat(999).map((n) => `   Compiling shelf v${n}`) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 1_200 }) },
);
const text = fc
  .array(line, { minLength: 60, maxLength: 400 })
  .map((lines) => ['TAP version 13', ...lines, '# tests 9'].join('\n'));
const command = fc.constantFrom(
  'npm test',
  'npx tsc',
  'grep -rn x src',
  'ls -R',
  './serve',
  'git diff',
  'make',
);

test('whatever comes: never longer, the same again, pairs of surrogates whole', () => {
  fc.assert(
    fc.property(command, text, (run, whole) => {
      const short = afterCommand(run, whole);
      if (!short) return;
      expect(short.text.length).toBeLessThanOrEqual(whole.length * 0.6);
      expect(short.kept).toBeLessThanOrEqual(short.text.length);
      expect(afterCommand(run, short.text)).toBeUndefined();
      expect(afterCommand(run, whole)).toEqual(short);
      expect(() => encodeURIComponent(short.text)).not.toThrow();
    }),
    { numRuns: 200 },
  );
});

test('in a test run and in a build whatever failed survives or is counted', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const run = afterCommand('npm test', whole)?.text;
      if (run) {
        expect(
          (run.match(/^not ok \d/gm)?.length ?? 0) + counted(run, 'with failures'),
        ).toBeGreaterThanOrEqual(whole.match(/^not ok \d/gm)?.length ?? 0);
      }
      const build = afterCommand('npx tsc', whole)?.text;
      if (build) {
        expect(
          (build.match(/: error TS1/g)?.length ?? 0) + counted(build, 'with errors'),
        ).toBeGreaterThanOrEqual(whole.match(/: error TS1/g)?.length ?? 0);
      }
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['npm test', '_ '],
  ['npm test', 'not ok 1 - a\n'],
  ['npm test', '\n'],
  ['npx tsc', 'a.b '],
  ['grep -rn x .', 'a-1'],
  ['grep -rn x .', 'a.ts:1:x\n'],
  ['ls -R', '├── a\n'],
  ['ls -R', 'a/'],
  ['./serve', '2026-03-01 10:00:00 error\n'],
  ['./serve', '\u001b['],
  ['git diff', '['],
  ['git diff', 'diff --git a b\n'],
])(
  '%s: five megabytes of %j end',
  (run, part) => {
    const whole = `TAP version 13\n${part.repeat(Math.ceil(5_000_000 / part.length))}`;
    expect(afterCommand(run, whole)?.text.length ?? 0).toBeLessThan(60_000);
  },
  60_000,
);
