import { describe, expect, it } from 'vitest';
import { LONG } from '../../../test/support/runs.ts';
import { examples } from './examples/index.suite.ts';
import { createScrubber } from './index.ts';
import { families } from './rules/index.ts';

const scrubber = createScrubber();
/** The longer text also shows a square of few steps, and takes a minute for all the thousands of attacks. */
const LENGTH = LONG ? 32_000 : 8_000;

const repeat = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** The best of a few runs in milliseconds of this process's own time, which a busy machine does not lengthen. */
function cost(text: string, rounds: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const begin = process.cpuUsage();
    scrubber.scrub(text);
    const { user, system } = process.cpuUsage(begin);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/** Four times the text may cost four times as much and some noise; a square would cost sixteen times. */
function growsLinearly(unit: string): boolean {
  const text = repeat(unit, LENGTH);
  // So little time cannot come of a square; nearly every attack ends here.
  if (cost(text, 1) < 4) return true;
  for (let attempt = 0; attempt < 4; attempt++) {
    if (cost(repeat(unit, 4 * LENGTH), 3) / cost(text, 3) < 10) return true;
  }
  return false;
}

/** Strings that drive an expression as far as it goes without letting it match: each part again and again. */
function attacksOn(keyword: string): string[] {
  return [keyword, `${keyword}a1B2-_`, ` ${keyword}0=`, `"${keyword}": "`];
}

const keywords = families.flatMap((family) => [
  ...(family.tokens ?? []).flatMap((rule) => rule.keywords.map((keyword) => [rule.kind, keyword] as const)),
  ...(family.contexts ?? []).flatMap((rule) => rule.names.map((name) => [rule.kind, name] as const)),
]);

describe('the cost of a text grows with its length only', () => {
  it.each(families.map((_, index) => [index]))(
    'whatever repeats the keywords of family %i',
    (index) => {
      const family = families[index]!;
      const own = [
        ...(family.tokens ?? []).flatMap((rule) => rule.keywords),
        ...(family.contexts ?? []).flatMap((rule) => rule.names),
      ];
      const slow = own.flatMap(attacksOn).filter((unit) => !growsLinearly(unit));
      expect(slow).toEqual([]);
    },
    120_000,
  );

  it.each([
    'key=',
    'api_key="',
    "token='",
    'password: ',
    'secret=a1b2&',
    '-----BEGIN RSA ' + 'PRIVATE KEY-----\n',
    '-----BEGIN ',
    '.eyJ',
    'eyJh.eyJh.',
    '://a:',
    'x://a:b@',
    'x://a:b/',
    '%41',
    '\\u0041',
    '\\',
    '"',
    '\\"',
    'curl -u a:',
    'Bearer a1',
    'Basic a1b2c3d4',
    'cookie: a=b;',
    'a=b;',
    '[REDACTED:',
    '[REDACTED:a]',
    '&quot;',
    'password is ',
    '<password>',
    'key" value="',
    'name: KEY\n value: ',
    'PuTTY-User-Key-File-2: ',
    'LS0tLS1CRUdJTi',
    'Z2hwX',
    "identified by '",
    'login a password ',
    '{"kty"',
    '"kty":"d":"a1B2',
    'kind: secret\n',
    'kind: Secret data:\n  a: b\n',
    'a:b1@tcp(',
    '$2y$10$',
    'user:$6$a$',
    'expect "password:" send "',
    '0x0123',
    'sid=a1B2-_',
    'token: ["a1b2c3d4",',
    'mysql -p',
    'Password:\n  Type: String\n',
    'password for the ',
    'token string = ',
    'key: string = ',
    'AAAA',
    'a1',
    '\uD800',
    '-',
    '.',
  ])(
    'with %j over and over',
    (unit) => {
      expect(growsLinearly(unit)).toBe(true);
    },
    60_000,
  );

  it('for every rule whose examples are cut short and repeated', () => {
    const slow: string[] = [];
    for (const [kind, samples] of examples) {
      const text = samples[0]!.true[0]!;
      for (const cut of [text.slice(0, -1), text.slice(0, text.length >> 1), `${text}${text.slice(-8)}`]) {
        if (!growsLinearly(cut)) slow.push(kind);
      }
    }
    expect(slow).toEqual([]);
  }, 120_000);

  it('covers every rule', () => {
    expect(keywords.length).toBeGreaterThan(500);
  });

  it('because every quantifier in a rule has an upper bound', () => {
    const unbounded = families
      .flatMap((family) => [
        ...(family.tokens ?? []).map((rule) => [rule.kind, rule.pattern] as const),
        ...(family.contexts ?? []).map((rule) => [rule.kind, rule.value] as const),
      ])
      .filter(([, source]) =>
        /(?<!\\)[*+]|\{\d+,\}/.test(source.replace(/\[(?:\\.|[^\]\\])*\]/g, 'x').replace(/\\./g, 'x')),
      );
    expect(unbounded).toEqual([]);
  });
});
