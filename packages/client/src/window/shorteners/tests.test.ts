import { describe, expect, test } from 'vitest';
import { afterCommand, counted, many, missing, sample } from './samples.suite.ts';

describe('what real runners printed', () => {
  test.each([
    ['vitest-verbose', 'npx vitest run --reporter=verbose', /×|→|FAIL|Error:|❯|Test Files|Tests {2}/, 0.25],
    ['vitest-colour', 'npm test', /×|FAIL|Error:|❯|Test Files|Tests {2}/, 0.4],
    ['node-tap', 'node --test', /^not ok|error:|location:|^# (?:tests|pass|fail)|1\.\.162/, 0.15],
    ['pytest', 'python3 -m pytest -v', /FAILED|ERROR|^E {3}|^>|Error$|passed/, 0.3],
    [
      'cargo-test',
      'cargo test',
      /FAILED|panicked|left:|right:|out of bounds|^warning|^error|test result/,
      0.45,
    ],
  ])('%s keeps every failure with its place and the totals', (name, command, form, share) => {
    const text = sample(name);
    const short = afterCommand(command, text)!;
    expect(short.kind).toBe('test run');
    expect(missing(text, short.text, form)).toEqual([]);
    expect(short.text.length).toBeLessThan(text.length * share);
    expect(short.text).toMatch(/… [\d,]+ lines(?:,? [\d,]*)? ?of passing tests,? left out …/);
  });

  test('all passing tests are counted', () => {
    const text = sample('cargo-test');
    expect(counted(afterCommand('cargo test', text)!.text, 'of passing tests')).toBe(
      text.match(/ \.\.\. ok$/gm)!.length,
    );
  });
});

const NAMES = many(60, (index) => `sorts shelf ${index} after an error`);

/** The formats of runners that are not at hand here: the lines that pass, what a failure looks like, and the end. */
const FORMATS: [runner: string, command: string, text: string, kept: RegExp][] = [
  [
    'Jest',
    'npx jest --verbose',
    [
      'PASS src/shelf.test.js',
      ...NAMES.map((name) => `  ✓ ${name} (2 ms)`),
      'FAIL src/book.test.js',
      '  ✕ opens (5 ms)',
      '',
      '  ● opens',
      '',
      '    expect(received).toBe(expected) // Object.is equality',
      '',
      '    Expected: 1',
      '    Received: 2',
      '',
      '      at Object.<anonymous> (src/book.test.js:4:13)',
      '',
      'Test Suites: 1 failed, 1 passed, 2 total',
      'Tests:       1 failed, 60 passed, 61 total',
    ].join('\n'),
    /FAIL|✕|●|Expected|Received|at Object|Tests:|Suites/,
  ],
  [
    'Mocha',
    'npx mocha',
    [
      '  shelf',
      ...NAMES.map((name) => `    ✔ ${name}`),
      '    1) opens',
      '',
      '  60 passing (20ms)',
      '  1 failing',
      '',
      '  1) shelf',
      '       opens:',
      '      AssertionError: expected 1 to equal 2',
      '      at Context.<anonymous> (test/book.js:9:14)',
    ].join('\n'),
    /1\)|opens|Assertion|at Context|passing|failing/,
  ],
  [
    'go test',
    'go test -v ./...',
    [
      ...NAMES.flatMap((name) => [`=== RUN   Test${name}`, `--- PASS: Test${name} (0.00s)`]),
      '=== RUN   TestOpens',
      '    book_test.go:12: got 1, want 2',
      '--- FAIL: TestOpens (0.00s)',
      '    book_test.go:14: the book is closed',
      'FAIL',
      'FAIL\texample.org/shelf\t0.012s',
      'ok  \texample.org/other\t0.010s',
    ].join('\n'),
    /FAIL|the book is closed/,
  ],
  [
    'Maven',
    'mvn test',
    [
      ...NAMES.map(
        (_, index) =>
          `[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.01 s -- in org.example.Shelf${index}Test`,
      ),
      '[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.02 s <<< FAILURE! -- in org.example.BookTest',
      '[ERROR] org.example.BookTest.opens -- Time elapsed: 0.005 s <<< FAILURE!',
      'org.opentest4j.AssertionFailedError: expected: <1> but was: <2>',
      '\tat org.example.BookTest.opens(BookTest.java:14)',
      '',
      '[ERROR] Failures: ',
      '[ERROR]   BookTest.opens:14 expected: <1> but was: <2>',
      '[ERROR] Tests run: 182, Failures: 1, Errors: 0, Skipped: 0',
      '[INFO] BUILD FAILURE',
    ].join('\n'),
    /ERROR|expected|at org\.example|BUILD/,
  ],
  [
    'Gradle',
    './gradlew test',
    [
      '> Task :test',
      ...NAMES.map((name) => `ShelfTest > ${name} PASSED`),
      'BookTest > opens FAILED',
      '    org.opentest4j.AssertionFailedError at BookTest.java:14',
      '61 tests completed, 1 failed',
      'BUILD FAILED in 3s',
    ].join('\n'),
    /FAILED|BookTest|completed/,
  ],
  [
    'RSpec',
    'bundle exec rspec -fd',
    [
      'Shelf',
      ...NAMES.map((name) => `  ${name.replace(' after an error', ' in the order of its books')}`),
      '  opens (FAILED - 1)',
      '',
      'Failures:',
      '',
      '  1) Shelf opens',
      '     Failure/Error: expect(1).to eq(2)',
      '       expected: 2',
      '            got: 1',
      '     # ./spec/shelf_spec.rb:9',
      '',
      '61 examples, 1 failure',
    ].join('\n'),
    /FAILED|Failure|1\)|expected|got:|spec\.rb|examples/,
  ],
  [
    'PHPUnit',
    'vendor/bin/phpunit --testdox',
    [
      ...NAMES.map((name) => ` ✔ ${name}`),
      ' ✘ Opens',
      '   │ Failed asserting that 1 matches expected 2.',
      '   │ /app/tests/BookTest.php:14',
      '',
      'Tests: 61, Assertions: 70, Failures: 1.',
    ].join('\n'),
    /✘|Failed|BookTest|Tests:/,
  ],
  [
    'dotnet test',
    'dotnet test',
    [
      ...NAMES.map((name) => `  Passed ${name} [3 ms]`),
      '  Failed Opens [5 ms]',
      '  Error Message:',
      '   Assert.Equal() Failure: Expected: 1 Actual: 2',
      '  Stack Trace:',
      '     at Shelf.BookTest.Opens() in /app/BookTest.cs:line 14',
      'Failed!  - Failed:     1, Passed:    60, Skipped:     0, Total:    61, Duration: 20 ms',
    ].join('\n'),
    /Failed|Error Message|Assert|at Shelf/,
  ],
  [
    'unittest',
    'python -m unittest -v',
    [
      ...NAMES.map((name) => `test_${name} (tests.Shelf) ... ok`),
      'test_opens (tests.Book) ... FAIL',
      '',
      '======================================================================',
      'FAIL: test_opens (tests.Book)',
      '----------------------------------------------------------------------',
      'Traceback (most recent call last):',
      '  File "/app/tests.py", line 14, in test_opens',
      'AssertionError: 1 != 2',
      '',
      'Ran 61 tests in 0.004s',
      '',
      'FAILED (failures=1)',
    ].join('\n'),
    /FAIL|File|Assertion|Ran/,
  ],
];

test.each(FORMATS)('%s: what failed stays, what passed is counted', (_runner, command, text, kept) => {
  const short = afterCommand(command, text)!;
  expect(short.kind).toBe('test run');
  expect(missing(text, short.text, kept)).toEqual([]);
  expect(short.text).toContain(' left out …');
});

test('a program that is no test runner, or a text without the end of a run, is not taken for one', () => {
  const text = sample('vitest-verbose');
  expect(afterCommand('curl https://example.org', text)).toBeUndefined();
  expect(afterCommand('npm test', text.slice(0, text.indexOf('Test Files')))?.kind).not.toBe('test run');
});

test('failures that do not fit are counted', () => {
  const text = [
    ...many(3_000, (index) => `not ok ${index} - shelf ${index} holds its books`),
    '# tests 3000',
  ].join('\n');
  const short = afterCommand('node --test', text)!.text;
  expect(short.match(/^not ok/gm)!.length + counted(short, 'with failures')).toBe(3_000);
  expect(short).toContain('# tests 3000');
});
