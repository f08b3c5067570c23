import { createReporter } from '@infold/client';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { Conversation } from './conversation.ts';
import { type Called, hintsOf, shortInput, withTracked } from './entries.ts';
import { fakeServer } from './mcp/connection.suite.ts';

const called = (conversation: Conversation) =>
  conversation.state.read().entries.filter((entry) => entry.kind === 'called');
const hints = (conversation: Conversation) => called(conversation).map(hintsOf);

async function onePage(conversation = new Conversation()) {
  const server = fakeServer();
  await conversation.callByHand(server, 'get_workflow_step', { step: 2 });
  await conversation.callByHand(server, 'search_records', { page: 1 });
  return { conversation, server };
}

describe('a conversation', () => {
  test('shows a result in full until it is used, then as its summary, and keeps the original', async () => {
    verifies('TCP-15', 'TCP-18');
    const { conversation, server } = await onePage();
    expect(hints(conversation)).toEqual([[], ['transient']]);
    const before = called(conversation)[1]!;
    await conversation.callByHand(server, 'store_analysis_memory', {});
    expect(hints(conversation)).toEqual([[], ['collapsed'], ['consumed']]);
    const after = called(conversation)[1]!;
    expect(after.tracked?.summary).toBe('15 records (page 1/3)');
    expect(after.answer).toBe(before.answer);
  });

  test('counts each prompt with collapsing and without', async () => {
    const { conversation, server } = await onePage();
    await conversation.callByHand(server, 'store_analysis_memory', {});
    const { turns } = conversation.state.read();
    expect(turns).toHaveLength(3);
    expect(turns[1]!.sent).toBe(turns[1]!.whole);
    expect(turns[2]!.sent).toBeLessThan(turns[2]!.whole / 3);
    expect(turns[2]!.whole).toBeGreaterThan(turns[1]!.whole);
  });

  test('collapses nothing when the consumer fails', async () => {
    verifies('TCP-14');
    const { conversation, server } = await onePage();
    server.fail(1);
    await conversation.callByHand(server, 'store_analysis_memory', {});
    expect(hints(conversation)).toEqual([[], ['transient'], []]);
  });

  test('says what went wrong where an answer would be, and leaves the history as it was', async () => {
    const { conversation, server } = await onePage();
    const { length } = conversation.history;
    server.fail(1, 'throw');
    await expect(conversation.callByHand(server, 'search_records', {})).rejects.toThrow('The line is dead');
    expect(called(conversation).at(-1)).toMatchObject({ problem: 'The line is dead', answer: undefined });
    expect(conversation.history).toHaveLength(length);
  });

  test('begins anew with another session and nothing of what was', async () => {
    const { conversation, server } = await onePage();
    const { name } = conversation;
    conversation.clear();
    expect(conversation.state.read()).toEqual({ entries: [], turns: [], asked: 0 });
    expect(conversation.history).toEqual([]);
    expect(conversation.name).not.toBe(name);
    await conversation.callByHand(server, 'store_analysis_memory', {});
    expect(hints(conversation)).toEqual([[]]);
  });
});

test('the server is told what collapses, in the session that it is of', async () => {
  const told: [string, unknown][] = [];
  const reporterFor = (session: string) => {
    const send = async (_: unknown, init?: RequestInit) => {
      told.push([session, JSON.parse(init!.body as string)]);
      return new Response('{}');
    };
    return createReporter({
      url: 'http://localhost',
      session,
      fetch: send as typeof fetch,
      interval: 60_000,
    });
  };
  const { conversation, server } = await onePage(new Conversation(reporterFor));
  const { name } = conversation;
  await conversation.callByHand(server, 'store_analysis_memory', {});
  // Also what waits when another conversation begins.
  conversation.clear();
  await conversation.told();
  const collapsed = [expect.objectContaining({ handle: 'rs_1' })];
  expect(told).toEqual([[name, { operations: [], collapsed }]]);
});

test('what comes back after a new conversation began is none of its own', async () => {
  const { conversation, server } = await onePage();
  const late = conversation.callByHand(server, 'search_records', { page: 2 });
  conversation.clear();
  await late;
  expect(conversation.state.read()).toEqual({ entries: [], turns: [], asked: 0 });
  expect(conversation.history).toEqual([]);
});

test('entries that did not change stay the same', () => {
  const tracked = { callId: 'a', phase: 'pending' } as never;
  const entry: Called = {
    ...{ kind: 'called', id: 'a', tool: 't', input: {} },
    ...{ answer: undefined, problem: undefined, tracked },
  };
  expect(withTracked([entry], [tracked])[0]).toBe(entry);
  const next = { callId: 'a', phase: 'collapsed' } as never;
  expect(withTracked([entry], [next])[0]).toEqual({ ...entry, tracked: next });
});

test('an input is told in a few words', () => {
  expect(shortInput({ model: 'm', findings: [1, 2], filters: { a: 1 }, text: 'x'.repeat(90) })).toBe(
    `model m, findings [2], filters {…}, text ${'x'.repeat(39)}…`,
  );
});
