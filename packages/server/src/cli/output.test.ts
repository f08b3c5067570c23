import { afterEach, describe, expect, test, vi } from 'vitest';
import { InfoldError } from '../kernel/errors.ts';
import { createOutput, EXIT, exitCodeOf, printError, table } from './output.ts';

function captured(stream: 'stdout' | 'stderr'): () => string {
  const written: string[] = [];
  vi.spyOn(process[stream], 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  return () => written.join('');
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('an answer', () => {
  test('is JSON with --json and words without', () => {
    const text = captured('stdout');
    createOutput(true).answer({ a: 1 }, () => 'one');
    expect(JSON.parse(text())).toEqual({ a: 1 });
    createOutput(false).answer({ a: 1 }, () => 'one');
    expect(text().endsWith('\none\n')).toBe(true);
  });

  test('in JSON does not take the trouble to find words', () => {
    captured('stdout');
    const words = vi.fn(() => '');
    createOutput(true).answer({}, words);
    expect(words).not.toHaveBeenCalled();
  });

  test('a remark goes to stderr, so that the answer stays parseable', () => {
    const [answer, remark] = [captured('stdout'), captured('stderr')];
    createOutput(true).note('by the way');
    expect(answer()).toBe('');
    expect(remark()).toBe('by the way\n');
  });
});

describe('an error', () => {
  test('is one line, or one JSON document', () => {
    const text = captured('stderr');
    printError(new InfoldError('disk_full', 'The disk is full', { retryable: true }), false);
    expect(text()).toBe('infold: The disk is full\n');
    printError(new InfoldError('disk_full', 'The disk is full', { retryable: true }), true);
    const document = JSON.parse(text().split('\n')[1]!);
    expect(document).toEqual({ error: 'The disk is full', code: 'disk_full', retryable: true });
  });

  test('that we did not foresee is internal', () => {
    const text = captured('stderr');
    printError(new TypeError('x is undefined'), true);
    expect(JSON.parse(text())).toEqual({ error: 'x is undefined', code: 'internal', retryable: false });
  });

  test('ends with 2 where the command line was wrong, else with 1', () => {
    expect(exitCodeOf(new InfoldError('invalid_arguments', 'no'))).toBe(EXIT.usage);
    expect(exitCodeOf(new InfoldError('disk_full', 'no'))).toBe(EXIT.failed);
    expect(exitCodeOf(new Error('no'))).toBe(EXIT.failed);
    expect(exitCodeOf('no')).toBe(EXIT.failed);
  });

  test('exit codes are what scripts rely on', () => {
    expect(EXIT).toEqual({ done: 0, failed: 1, usage: 2, partly: 3, found: 4 });
  });
});

describe('a table', () => {
  test('has columns as wide as their widest cell, and nothing at the end of a line', () => {
    expect(
      table(
        [
          ['1', 'shop', ''],
          ['1000', 'x', 'y'],
        ],
        ['ID', 'NAME', 'PATH'],
      ),
    ).toBe('ID    NAME  PATH\n1     shop\n1000  x     y');
  });

  test('without rows is its header', () => {
    expect(table([], ['ID', 'NAME'])).toBe('ID  NAME');
  });
});
