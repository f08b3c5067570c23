import { windowReceipt } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { isoTime } from '../../kernel/clock.ts';
import { movableClock, openTestJournal } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { decisionWith, Talk } from '../fixture.suite.ts';
import { conversationById } from '../queries.ts';
import { receiptOf, receiptText } from './receipts.ts';

async function setUp() {
  const clock = movableClock();
  const journal = await openTestJournal(clock);
  const talk = await Talk.begin(journal);
  const receipt = (since?: number) => receiptOf(journal, conversationById(journal.database, talk.id)!, since);
  return { clock, journal, talk, receipt };
}

const gone = [{ rule: 'shortened', count: 1, tokens: 1000 }];

describe('a receipt', () => {
  test('tells the provider’s figures, and marks what was reckoned here', async () => {
    verifies('WIN-06');
    const { talk, receipt } = await setUp();
    await talk.ask({ tokens: { asked: 2000, sent: 1000 }, gone }, [decisionWith()]);
    await talk.answer(1, { money: { actual: 0.01, untouched: 0.018 } });
    const made = receipt();
    expect(windowReceipt.parse(made)).toEqual(made);
    expect(made).toMatchObject({
      requests: { all: 1, with_usage: 1, without_usage: 0, unanswered: 0, failed: 0, passed: [] },
      tokens: { asked: 2000, sent: 1000, prompt: 1000, untouched: 2000, cache_read: 600, output: 50 },
      cache_hit_share: 0.6,
      gone: [{ rule: 'shortened', decisions: 1, requests: 1, tokens: 1000 }],
      money: { requests: 1, unpriced: 0, actual: 0.01, untouched: 0.018 },
      entries: { first: 1, last: 3 },
      checkpoint: null,
      entries_to_go: 997,
    });
    expect(made.money!.saved).toBeCloseTo(0.008);
    expect(made.estimated).toEqual([
      ...['tokens.asked', 'tokens.sent', 'tokens.untouched', 'gone.tokens'],
      ...['money.untouched', 'money.saved'],
    ]);
    const text = receiptText(made);
    expect(text).toMatch(/^ {2}prompts +1,000 tokens$/m);
    expect(text).toMatch(/^~ prompts untouched +2,000 tokens$/m);
    expect(text).toMatch(/^~ saved +\$0\.0080 \(44\.4 %\)$/m);
    expect(text).toContain('What is gone is counted in Infold’s tokens, prompts in the provider’s');
    expect(text).toContain('entries 1 to 3, not yet in a checkpoint: 997 entries to go');
  });

  test('claims nothing of requests whose answer told no usage', async () => {
    verifies('WIN-06');
    const { talk, receipt } = await setUp();
    await talk.ask({ tokens: { asked: 90_000, sent: 1000 }, gone });
    await talk.answer(1, { usage: null, money: null, status: 500 });
    await talk.ask({ tokens: { asked: 90_000, sent: 1000 } });
    const none = receipt();
    expect(none).toMatchObject({
      requests: { all: 2, with_usage: 0, without_usage: 2, unanswered: 1, failed: 1 },
      tokens: { asked: 0, sent: 0, prompt: 0, untouched: 0 },
      ...{ cache_hit_share: null, money: null },
    });
    expect(none.estimated).not.toContain('money.saved');
    expect(receiptText(none)).toContain('No answer told its usage: nothing is claimed.');
    expect(receiptText(none)).not.toContain('saved');
    // It has a price: that is not what is missing.
    expect(receiptText(none)).toMatch(/^ {2}cost +not known: no answer reported its usage$/m);
    await talk.answer(2, { money: null });
    expect(receipt()).toMatchObject({ requests: { with_usage: 1 }, money: null });
    expect(receiptText(receipt())).toContain('its models have no price');
  });

  test('tells of what was asked since a time alone', async () => {
    verifies('WIN-06');
    const { clock, talk, receipt } = await setUp();
    await talk.ask({ passed: 'unknown_block' });
    await talk.ask({ gone }, [decisionWith()]);
    await talk.answer(2);
    clock.advance(1000);
    const since = clock.read();
    await talk.answer(1, { status: 500 });
    expect(receipt(since)).toMatchObject({ requests: { all: 0, passed: [] }, gone: [], money: null });
    await talk.ask({ tokens: { asked: 2000, sent: 1000 }, gone });
    await talk.answer(3);
    const made = receipt(since);
    expect(windowReceipt.parse(made)).toEqual(made);
    expect(made).toMatchObject({
      since: isoTime(since),
      requests: { all: 1, with_usage: 1, failed: 0, passed: [] },
      tokens: { asked: 2000, sent: 1000, prompt: 1000 },
      gone: [{ rule: 'shortened', decisions: 0, requests: 1, tokens: 1000 }],
      money: { requests: 1 },
      entries: { first: 6, last: 7 },
    });
    expect(receiptText(made)).toMatch(new RegExp(`^Receipt of ${talk.id} .*, since ${made.since}\\n`));
    expect(receipt()).toMatchObject({ since: null, requests: { all: 3 }, entries: { first: 1 } });
  });

  test('says so where something cost more', async () => {
    const { talk, receipt } = await setUp();
    await talk.ask();
    await talk.answer(1, { money: { actual: 0.02, untouched: 0.01 } });
    expect(receipt().money!.saved).toBeCloseTo(-0.01);
    expect(receiptText(receipt())).toMatch(/^~ cost more +\$0\.0100/m);
    expect(receiptText(receipt())).not.toContain('saved');
  });

  test('says why requests passed untouched', async () => {
    const { talk, receipt } = await setUp();
    await talk.ask({ passed: 'unknown_block' });
    await talk.ask({ passed: 'unknown_block' });
    expect(receipt().requests.passed).toEqual([{ reason: 'unknown_block', count: 2 }]);
    expect(receiptText(receipt())).toContain('2 × unknown_block');
  });

  test('names the checkpoint that covers it', async () => {
    verifies('WIN-06');
    const { journal, talk, receipt } = await setUp();
    await talk.ask();
    const filler = { type: 'note.written' as const, data: {} };
    await Promise.all(
      Array.from({ length: 998 }, () =>
        journal.commit({
          stream: 'notes',
          actor: localOwner.actor,
          decide: () => ({ events: [filler], answer: null }),
          group: true,
        }),
      ),
    );
    await journal.checkpoint();
    const { checkpoint, entries_to_go } = receipt();
    expect(entries_to_go).toBeNull();
    expect(checkpoint).toMatchObject({ number: 1, seq: 1000, key: (await journal.keys.current()).id });
    expect(checkpoint!.root).toMatch(/^[0-9a-f]{64}$/);
    expect(receiptText(receipt())).toContain('covered by checkpoint 1');
    await talk.ask();
    expect(receipt()).toMatchObject({ checkpoint: null, entries_to_go: 999 });
  });
});
