import { expect, test } from 'vitest';
import { isRefusal, sentenceOf } from './sentence.ts';

const posted = (body: string) => new Error(`Error POSTing to endpoint (HTTP 503): ${body}`);

test.each<[unknown, string]>([
  [new Error('It broke'), 'It broke'],
  ['just words', 'just words'],
  [posted('{"error":"Too much at once","code":"rate_limited"}'), 'Too much at once'],
  [posted('{"error":{"message":"Overloaded"}}'), 'Overloaded'],
  [posted('<h1>Bad\n gateway</h1>'), '<h1>Bad gateway</h1>'],
  [posted('{"error":null}'), '{"error":null}'],
  [posted(''), 'Error POSTing to endpoint (HTTP 503): '],
  [new TypeError('Failed to fetch'), 'The server does not answer. Is “infold serve” still running?'],
])('%s is told as a sentence', (error, sentence) => {
  expect(sentenceOf(error)).toBe(sentence);
});

test('only the server refuses', () => {
  expect(isRefusal(Object.assign(new Error('No branch is open'), { code: -32003 }))).toBe(true);
  for (const error of [
    new TypeError('Failed to fetch'),
    new DOMException('', 'AbortError'),
    'no',
    undefined,
  ]) {
    expect(isRefusal(error)).toBe(false);
  }
});
