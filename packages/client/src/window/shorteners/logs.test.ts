import { expect, test } from 'vitest';
import { afterCommand, counted, many, missing } from './samples.suite.ts';

const stamp = (index: number) =>
  `2026-03-01T10:${String(Math.floor(index / 60) % 60).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}.000Z`;

test('each kind of line once, errors with their traces, and warnings; the rest is counted', () => {
  const lines = many(2_000, (index) => `${stamp(index)} INFO  served /shelf/${index} in ${index % 40} ms`);
  lines.splice(
    700,
    0,
    `${stamp(700)} ERROR no such book`,
    '    at open (/app/book.js:10:4)',
    '    at read (/app/shelf.js:3:1)',
  );
  lines.splice(900, 0, `${stamp(900)} WARN  the shelf is almost full`);
  lines.splice(1_500, 0, `${stamp(1_500)} INFO  moved to another room`);
  const text = lines.join('\n');
  const short = afterCommand('node server.js', text)!;
  expect(short.kind).toBe('log');
  expect(missing(text, short.text, /ERROR|WARN|^ {4}at|another room/)).toEqual([]);
  expect(short.text.length).toBeLessThan(text.length * 0.05);
});

test('an error that comes again and again is shown a few times and counted', () => {
  const text = many(
    3_000,
    (index) => `${stamp(index)} ${index % 3 ? 'info served' : 'error refused'} number ${index}`,
  ).join('\n');
  const short = afterCommand('docker compose logs api', text)!.text;
  expect(short.match(/error refused/g)!.length + counted(short, 'with errors')).toBe(1_000);
});

test.each([
  [
    'journalctl -u shelf',
    (index: number) => `Mar 01 10:00:${String(index % 60).padStart(2, '0')} host shelf[12]: served ${index}`,
  ],
  ['kubectl logs shelf', (index: number) => `I0301 10:00:00.${index} 1 shelf.go:12] served ${index}`],
  ['docker compose up', (index: number) => `api-1  | 2026-03-01 10:00:00 served ${index}`],
])('%s', (command, line) => {
  expect(afterCommand(command, many(200, line).join('\n'))?.kind).toBe('log');
});

test('without times only lines that are the same to the character are repeated', () => {
  expect(afterCommand('./serve', 'waiting for the shelf to open\n'.repeat(200))?.kind).toBe('log');
  expect(
    afterCommand('./measure', many(200, (index) => `the length is ${index * 17}`).join('\n')),
  ).toBeUndefined();
});

test('a log that is read as a file stays', () => {
  const text = many(500, (index) => `${stamp(index)} INFO served ${index}`).join('\n');
  for (const command of ['cat app.log', 'tail -500 app.log', 'less app.log'])
    expect(afterCommand(command, text)).toBeUndefined();
});
