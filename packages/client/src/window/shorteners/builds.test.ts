import { describe, expect, test } from 'vitest';
import { afterCommand, counted, many, missing, sample } from './samples.suite.ts';

describe('what real programs printed', () => {
  test.each([
    ['make', 'make -k', /error:|warning:|\*\*\*/, 0.5],
    ['tsc', 'npx tsc -p .', /error|Found/, 0.6],
    ['biome', 'npx biome check src', /×|━━|Found|Checked/, 0.6],
  ])('%s keeps every error and warning with its place', (name, command, form, share) => {
    const text = sample(name);
    const short = afterCommand(command, text)!;
    expect(short.kind).toBe('build');
    expect(missing(text, short.text, form)).toEqual([]);
    expect(short.text.length).toBeLessThanOrEqual(text.length * share);
  });
});

const FORMATS: [program: string, command: string, text: string, kept: RegExp][] = [
  [
    'cargo build',
    'cargo build --release',
    [
      ...many(80, (index) => `   Compiling error-shelf-${index} v1.${index}.0`),
      'error[E0425]: cannot find value `c` in this scope',
      ' --> src/lib.rs:1:32',
      '  |',
      '1 | pub fn add(a: u32, b: u32) -> u32 { a + c }',
      '  |                                         ^ not found in this scope',
      '',
      'error: could not compile `shelf` (lib) due to 1 previous error',
    ].join('\n'),
    /error\[|error:|-->|pub fn/,
  ],
  [
    'npm ci',
    'npm ci',
    [
      ...many(
        80,
        (index) => `npm http fetch GET 200 https://registry.example/shelf-${index} 20ms (cache hit)`,
      ),
      'npm warn deprecated shelf@1.0.0: use book instead',
      'npm error code ERESOLVE',
      'npm error ERESOLVE could not resolve',
      'added 212 packages, and audited 213 packages in 4s',
      'found 0 vulnerabilities',
    ].join('\n'),
    /warn|error|added|found/,
  ],
  [
    'pip install',
    'python3 -m pip install -r requirements.txt',
    [
      ...many(
        60,
        (index) =>
          `Collecting shelf-${index}>=1.${index}\n  Downloading shelf_${index}-1.0-py3-none-any.whl (61 kB)`,
      ),
      'ERROR: Cannot install a and b because these package versions have conflicting dependencies.',
      'Successfully installed shelf-1-1.0',
    ].join('\n'),
    /ERROR|Successfully/,
  ],
  [
    'docker build',
    'docker build -t shelf .',
    [
      '#1 [internal] load build definition from Dockerfile',
      ...many(
        90,
        (index) => `#12 ${index}.345 Get:${index} http://archive.example stable/main shelf ${index}`,
      ),
      '#13 1.234 npm ERR! code E404',
      '#13 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
      '------',
      'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
    ].join('\n'),
    /ERR!|ERROR/,
  ],
  [
    'a build with Vite',
    'npm run build',
    [
      'vite v7.0.0 building for production...',
      ...many(80, (index) => `dist/assets/shelf-${index}.js    ${index}.12 kB │ gzip: 1.01 kB`),
      '(!) Some chunks are larger than 500 kB: a warning',
      '✓ built in 2.04s',
    ].join('\n'),
    /built in|warning/,
  ],
];

test.each(FORMATS)('%s: errors, warnings and totals stay', (_program, command, text, kept) => {
  const short = afterCommand(command, text)!;
  expect(short.kind).toBe('build');
  expect(missing(text, short.text, kept)).toEqual([]);
  expect(short.text.length).toBeLessThan(text.length * 0.4);
});

test('the file that a linter names before what is wrong in it stays with it', () => {
  const text = many(
    80,
    (index) =>
      `/app/src/shelf-${index}.js\n  ${index}:5  ${index % 8 ? 'warning' : 'error'}  A book is unused  no-unused\n`,
  )
    .concat('✖ 80 problems (10 errors, 70 warnings)')
    .join('\n');
  const long = `${many(400, (index) => `Checking /app/src/shelf-${index}.js for books`).join('\n')}\n${text}`;
  const short = afterCommand('npx eslint .', long)!.text;
  for (let index = 0; index < 80; index += 8)
    expect(short).toContain(`/app/src/shelf-${index}.js\n  ${index}:5  error`);
  expect(short.match(/ warning /g)!.length + counted(short, 'with warnings')).toBe(70);
});

test('errors that do not fit are counted', () => {
  const text = many(
    2_000,
    (index) => `src/shelf.ts(${index},9): error TS6133: 'book${index}' is declared but never read.`,
  ).join('\n');
  const short = afterCommand('npx tsc --pretty false', text)!.text;
  expect(short.match(/error TS/g)!.length + counted(short, 'with errors')).toBe(2_000);
});

test('what a script prints of its own is no build', () => {
  const report = many(200, (index) => `Shelf ${index} holds ${index * 7} books of ${index * 3} writers`).join(
    '\n',
  );
  expect(afterCommand('npm run report', report)).toBeUndefined();
  expect(afterCommand('npx tsc -p .', report)).toBeUndefined();
});
