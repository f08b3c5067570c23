import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed, movableClock, openTestJournal } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { decisionWith, Talk } from './fixture.suite.ts';
import {
  conversationById,
  conversationByKey,
  conversationsNamed,
  decisionsAbout,
  decisionsOf,
  goneByRule,
  lastTurns,
  pageOfConversations,
  passedBy,
  totals,
  turnsByDigests,
  turnsOf,
} from './queries.ts';

const { org, principal } = localOwner;

describe('conversations', () => {
  test('are found by what their host calls them, each by its own principal', async () => {
    const journal = await openTestJournal();
    const own = await Talk.begin(journal, { host_session: 'session-1' });
    const others = await Talk.begin(journal, { host_session: 'session-1' }, callerNamed('alice'));
    const { database } = journal;
    expect(conversationByKey(database, org, principal, 'session-1')?.id).toBe(own.id);
    expect(conversationByKey(database, org, 'alice', 'session-1')?.id).toBe(others.id);
    expect(conversationByKey(database, org, principal, 'session-2')).toBeUndefined();
    expect(conversationById(database, own.id)).toMatchObject({
      ...{ org, principal, host: 'claude-code', is_enabled: true, turns: 0, model: null },
      stream: `window.local.${own.id}`,
    });
  });

  test('that began alike are told by the one that was used last', async () => {
    const journal = await openTestJournal();
    const first = await Talk.begin(journal, { host_session: null, key: 'same' });
    const second = await Talk.begin(journal, { host_session: null, key: 'same' });
    expect(conversationByKey(journal.database, org, principal, 'same')?.id).toBe(second.id);
    await first.ask();
    expect(conversationByKey(journal.database, org, principal, 'same')?.id).toBe(first.id);
  });

  test('are switched off and on', async () => {
    const journal = await openTestJournal();
    const talk = await Talk.begin(journal);
    await talk.switch(false);
    expect(conversationById(journal.database, talk.id)?.is_enabled).toBe(false);
    await talk.switch(true);
    expect(conversationById(journal.database, talk.id)?.is_enabled).toBe(true);
  });

  test('are not used by being switched', async () => {
    const clock = movableClock();
    const journal = await openTestJournal(clock);
    const talk = await Talk.begin(journal);
    const { last_at, last_seq } = conversationById(journal.database, talk.id)!;
    clock.advance(1000);
    await talk.switch(false);
    expect(conversationById(journal.database, talk.id)).toMatchObject({ last_at, last_seq });
    expect(await journal.verifyTables()).toMatchObject({ ok: true, different: [] });
  });

  test('are named by a beginning of their id, with or without its prefix, or by the host', async () => {
    const journal = await openTestJournal();
    const talk = await Talk.begin(journal, { conversation: 'conv_abcdefgh', host_session: 'h-1' });
    await Talk.begin(journal, { conversation: 'conv_abxyz', host_session: 'h-2' });
    const named = (name: string) => conversationsNamed(journal.database, null, name).map(({ id }) => id);
    expect(named('conv_abc')).toEqual([talk.id]);
    expect(named('abc')).toEqual([talk.id]);
    expect(named('h-1')).toEqual([talk.id]);
    expect(named('conv_ab')).toHaveLength(2);
    expect(named('%')).toEqual([]);
    expect(conversationsNamed(journal.database, callerNamed('alice'), 'h-1')).toEqual([]);
  });

  test('are listed by their last use', async () => {
    const journal = await openTestJournal();
    const [one, two, three] = [
      await Talk.begin(journal),
      await Talk.begin(journal),
      await Talk.begin(journal),
    ];
    await one.ask();
    const page = pageOfConversations(journal.database, null, { limit: 2 });
    expect(page.map(({ id }) => id)).toEqual([one.id, three.id]);
    const rest = pageOfConversations(journal.database, null, { limit: 2, before: page[1]!.last_seq });
    expect(rest.map(({ id }) => id)).toEqual([two.id]);
  });
});

describe('a request goes on from', () => {
  test('the longest beginning that is known, and of equal ones the newest', async () => {
    const journal = await openTestJournal();
    const one = await Talk.begin(journal);
    await one.ask({ digest: 'a' });
    await one.ask({ digest: 'ab' });
    const other = await Talk.begin(journal, { host_session: 'session-2' });
    await other.ask({ digest: 'ab', model: 'another' });
    const find = (...digests: string[]) => turnsByDigests(journal.database, localOwner, digests)[0];
    expect(find('abc', 'ab', 'a')).toMatchObject({ conversation: other.id, model: 'another' });
    expect(find('ax', 'a')).toMatchObject({ conversation: one.id, turn: 1 });
    expect(find('x')).toBeUndefined();
    expect(find()).toBeUndefined();
    expect(turnsByDigests(journal.database, { org, principal: 'alice' }, ['ab'])).toEqual([]);
  });

  test('one far back', async () => {
    const journal = await openTestJournal();
    const talk = await Talk.begin(journal);
    await talk.ask({ digest: 'd3' });
    await talk.ask({ digest: 'd900' });
    const digests = Array.from({ length: 1000 }, (_, index) => `d${1000 - index}`);
    expect(turnsByDigests(journal.database, localOwner, digests)[0]?.turn).toBe(2);
    expect(turnsByDigests(journal.database, localOwner, digests.slice(200))[0]?.turn).toBe(1);
  });
});

describe('decisions', () => {
  test('of a conversation come with those that it goes on from, the oldest first', async () => {
    const journal = await openTestJournal();
    const first = await Talk.begin(journal);
    const [one, two, three] = [decisionWith(), decisionWith({ rule: 'folded' }), decisionWith()];
    await first.ask({}, [one, two]);
    const fork = await Talk.begin(journal, { host_session: 'session-2', forked_from: first.id });
    await fork.ask({}, [three]);
    const forked = decisionsOf(journal.database, fork.id);
    expect(forked.map(({ handle }) => handle)).toEqual([one.handle, two.handle, three.handle]);
    expect(forked[1]).toMatchObject({ ...two, conversation: first.id, turn: 1 });
    expect(decisionsOf(journal.database, first.id)).toHaveLength(2);
  });

  test('are found by the calls that they are about', async () => {
    const journal = await openTestJournal();
    const talk = await Talk.begin(journal);
    const both = decisionWith({
      anchors: [
        { call: 'toolu_1', digest: 'a' },
        { call: 'toolu_2', digest: 'b' },
      ],
    });
    await talk.ask({}, [both, decisionWith()]);
    const about = (...calls: string[]) => decisionsAbout(journal.database, localOwner, calls);
    expect(about('toolu_2', 'toolu_1')).toMatchObject([both]);
    expect(about('toolu_3')).toEqual([]);
    expect(decisionsAbout(journal.database, callerNamed('alice'), ['toolu_1'])).toEqual([]);
  });
});

describe('turns', () => {
  test('hold what was asked, and what the provider answered', async () => {
    verifies('WIN-06');
    const journal = await openTestJournal();
    const talk = await Talk.begin(journal);
    const turn = await talk.ask({ parent: null });
    await talk.ask({ parent: { conversation: talk.id, turn } });
    expect(await talk.answer(turn)).toBe(true);
    expect(await talk.answer(turn, { status: 500 })).toBe(false);
    const [newest, before] = lastTurns(journal.database, talk.id, 2);
    expect(newest).toMatchObject({ turn: 2, parent: { conversation: talk.id, turn: 1 }, answer: null });
    expect(before).toMatchObject({
      turn: 1,
      held: { results: [{ tool: 'Bash', count: 2, tokens: 400 }] },
      answer: {
        status: 200,
        usage: { input: 100, cache_read: 600, cache_write: 300, cache_write_long: 0, output: 50 },
        money: { actual: 0.01, untouched: 0.01 },
      },
    });
    expect(turnsOf(journal.database, talk.id, { after: 1, limit: 5 }).map((one) => one.turn)).toEqual([2]);
  });

  test('are summed up, those without usage apart', async () => {
    verifies('WIN-06');
    const journal = await openTestJournal();
    const talk = await Talk.begin(journal);
    const gone = [
      { rule: 'folded', count: 1, tokens: 300 },
      { rule: 'shortened', count: 2, tokens: 100 },
    ];
    await talk.ask({ tokens: { asked: 1000, sent: 600 }, gone }, [decisionWith(), decisionWith()]);
    await talk.answer(1);
    await talk.ask({ tokens: { asked: 2000, sent: 1500 }, gone: gone.slice(0, 1) });
    await talk.answer(2, { usage: null, money: null, status: 529 });
    await talk.ask({ passed: 'unknown_block' });
    expect(totals(journal.database, talk.id)).toMatchObject({
      ...{ requests: 3, asked_tokens: 4000, sent_tokens: 3100, told: 1, input: 100, cache_read: 600 },
      ...{ told_asked_tokens: 1000, told_sent_tokens: 600, priced: 1, unanswered: 1, failed: 1 },
    });
    expect(goneByRule(journal.database, talk.id)).toEqual([
      { rule: 'folded', decisions: 0, requests: 2, tokens: 600 },
      { rule: 'shortened', decisions: 2, requests: 1, tokens: 100 },
    ]);
    expect(passedBy(journal.database, talk.id)).toEqual([{ reason: 'unknown_block', count: 1 }]);
    expect(totals(journal.database, 'conv_none').requests).toBe(0);
  });
});

test('the tables are the same when they are made anew', async () => {
  verifies('KERN-04');
  const journal = await openTestJournal();
  const talk = await Talk.begin(journal);
  await talk.ask({}, [decisionWith(), decisionWith({ effect: { kind: 'reopen' } })]);
  await talk.answer(1);
  await talk.switch(false);
  expect(await journal.verifyTables()).toMatchObject({ ok: true, different: [] });
});
