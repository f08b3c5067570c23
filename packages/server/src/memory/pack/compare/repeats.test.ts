import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { termsOf } from '../../text/terms.ts';
import { type ComparedText, mergeRepeated, saysTheSame } from './repeats.ts';

const say = (content: string, more: Partial<ComparedText> = {}): ComparedText => ({
  ...{ title: null, content, author: null, thread: null, day: null },
  ...{ bytes: Buffer.byteLength(content), terms: termsOf(content).join(' ') },
  ...more,
});

const DEPLOYS = 'The billing service is deployed on Mondays after the review of all open changes.';

describe('statements', () => {
  test.each([
    [DEPLOYS, DEPLOYS],
    [DEPLOYS, '**The billing service is deployed on Mondays, after a review of all the open changes!**'],
    [DEPLOYS, 'As agreed: the billing service is deployed on Mondays after the review of all open changes.'],
  ])('say the same: %s / %s', (one, other) => {
    expect(saysTheSame(say(one), say(other))).toBe(true);
  });

  test.each([
    ['another number', 'Kiln 3 is lit at noon by the keeper.', 'Kiln 4 is lit at noon by the keeper.'],
    [
      'another value in code',
      'Set `alpha` before the tests run in CI.',
      'Set `beta` before the tests run in CI.',
    ],
    ['another day', DEPLOYS, DEPLOYS.replace('Mondays', 'Fridays')],
    ['a denial', DEPLOYS, DEPLOYS.replace('is deployed', 'is not deployed')],
    ['another order', 'Ada reports to Ben.', 'Ben reports to Ada.'],
    [
      'much more',
      DEPLOYS,
      `${DEPLOYS} If the review finds something, the release waits for the fix and its tests.`,
    ],
  ])('with %s are two', (_what, one, other) => {
    expect(saysTheSame(say(one), say(other))).toBe(false);
  });

  test('are two where other people say them, where they are called otherwise, and where they only answer', () => {
    expect(saysTheSame(say(DEPLOYS, { author: 'Ada' }), say(DEPLOYS, { author: 'Ben' }))).toBe(false);
    expect(saysTheSame(say(DEPLOYS, { title: 'Old' }), say(DEPLOYS, { title: 'New' }))).toBe(false);
    const answer = say('Yes, let us do that.', { author: 'Ada', thread: 'one' });
    expect(saysTheSame(answer, { ...answer, thread: 'two' })).toBe(false);
    const told = say(DEPLOYS, { author: 'Ada', thread: 'one' });
    expect(saysTheSame(told, { ...told, thread: 'two' })).toBe(true);
  });

  test('of long items are compared as a whole, not by the passage that matched', () => {
    const shared = `${DEPLOYS} `;
    const long = (about: string) =>
      shared + `The ${about} has its own rules that nobody else follows. `.repeat(30);
    const terms = termsOf(shared).join(' ');
    expect(saysTheSame(say(long('kiln'), { terms }), say(long('fence'), { terms }))).toBe(false);
    expect(saysTheSame(say(long('kiln'), { terms }), say(`${long('kiln')} So it is.`, { terms }))).toBe(true);
  });
});

describe('merging', () => {
  test('reads what items say only where their terms are alike', () => {
    const read: string[] = [];
    const noted = (content: string): ComparedText => {
      const said = say(content);
      return Object.defineProperty({ ...said }, 'content', {
        get: () => {
          read.push(content);
          return content;
        },
      });
    };
    const other = 'Kilns are lit at noon by whoever keeps them, and swept once a month.';
    const again = DEPLOYS.replace('Mondays', 'Mondays,');
    const merged = mergeRepeated([DEPLOYS, other, again], noted);
    expect([...merged]).toEqual([
      [DEPLOYS, [again]],
      [other, []],
    ]);
    expect(read.sort()).toEqual([DEPLOYS, again].sort());
  });

  const word = fc.constantFrom(
    'we',
    'deploy',
    'billing',
    'Mondays',
    'not',
    'after',
    'review',
    '7',
    '`x`',
    'Ada',
    'the',
    'open',
  );
  const statement = fc
    .record({
      content: fc.array(word, { minLength: 1, maxLength: 14 }).map((all) => all.join(' ')),
      author: fc.constantFrom(null, 'Ada'),
      thread: fc.constantFrom(null, 'one', 'two'),
      title: fc.constantFrom(null, null, 'Deploys', 'deploys '),
    })
    .map(({ content, ...more }) => say(content, more));

  test('is the same whichever of two comes first', () => {
    fc.assert(
      fc.property(statement, statement, (one, other) => {
        expect(saysTheSame(one, other)).toBe(saysTheSame(other, one));
      }),
      { numRuns: 500 },
    );
  });

  test('loses nothing, repeats nothing, and keeps the best first', () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 30 }), (statements) => {
        const numbered = statements.map((said, id) => ({ id, said }));
        const merge = () => mergeRepeated(numbered, ({ said }) => said);
        const merged = merge();
        const all = [...merged].flatMap(([best, others]) => [best, ...others]).map(({ id }) => id);
        expect([...all].sort((one, other) => one - other)).toEqual(numbered.map(({ id }) => id));
        const kept = [...merged.keys()].map(({ id }) => id);
        expect(kept).toEqual([...kept].sort((one, other) => one - other));
        for (const [best, others] of merged)
          for (const { id, said } of others) {
            expect(id).toBeGreaterThan(best.id);
            expect(saysTheSame(best.said, said)).toBe(true);
          }
        expect(merge()).toEqual(merged);
      }),
    );
  });
});
