import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { CallResult } from '../../mcp/tools/call.ts';
import { HOUR } from '../../testing/fixtures.suite.ts';
import { sweepSessions } from '../../trust/sessions/sweep.ts';
import { startServer } from '../fixture.suite.ts';

/** A text of exactly so many tokens. */
const _words = (count: number) => 'one'.concat(' two'.repeat(count - 1));

describe('expiry', () => {
  test('a session ends 24 hours after its last event; its archive and summaries stay', async () => {
    verifies('FOLD-12');
    const { agent, services, clock } = await startServer();
    const folded = await agent.branch('folded', 'p');
    await agent.fold('a summary');
    const open = await agent.branch('open', 'p');
    clock.advance(23 * HOUR);
    await agent.spend(1);
    clock.advance(23 * HOUR);
    const lifetime = services.config.limits.sessionLifetime;
    expect(await sweepSessions(services.journal, clock.read, lifetime)).toBe(0);
    clock.advance(HOUR);
    expect(await sweepSessions(services.journal, clock.read, lifetime)).toBe(1);
    expect((await agent.status()).session_id).toBeNull();
    expect(await agent.call('context_expand', { handle: open.branch_id })).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ status: 'expired' })]),
    });
    const trajectory = await agent.call('context_expand', { handle: folded.branch_id });
    expect(JSON.stringify(trajectory)).toContain('a summary');
    expect((await agent.branch()).session_id).not.toBe(open.session_id);
  });

  test('a clock that jumps back ends nothing', async () => {
    verifies('FOLD-12');
    const { agent, services, clock } = await startServer();
    await agent.branch();
    clock.advance(-100 * HOUR);
    expect(await sweepSessions(services.journal, clock.read, services.config.limits.sessionLifetime)).toBe(0);
    expect((await agent.status()).branch_depth).toBe(1);
  });
});

describe('context_expand', () => {
  test('gives a trajectory back in pages, and an operation whole', async () => {
    verifies('FOLD-17');
    const { agent } = await startServer();
    const { branch_id } = await agent.branch('b', 'the prompt');
    const output = 'line of output\n'.repeat(1000);
    for (let call = 0; call < 5; call++)
      await agent.report([{ tool: `tool-${call}`, input: { call }, output }]);
    await agent.fold('the summary');
    type Page = { items: { type: string; handle?: string; text?: string }[]; total_pages: number };
    const pages: Page['items'] = [];
    let total = 1;
    for (let page = 1; page <= total; page++) {
      const answer = await agent.call<Page>('context_expand', { handle: branch_id, page, per_page: 3 });
      total = answer.total_pages;
      pages.push(...answer.items);
    }
    expect(total).toBe(3);
    expect(pages.map(({ type }) => type)).toEqual(['branch', ...Array(5).fill('operation'), 'summary']);
    const whole = await agent.call<Page>('context_expand', { handle: pages[1]!.handle!, per_page: 100 });
    expect(whole.items[0]).toMatchObject({ type: 'call', tool: 'tool-0', input: { call: 0 } });
    expect(
      whole.items
        .slice(1)
        .map(({ text }) => text)
        .join(''),
    ).toBe(output);
  });

  test('keeps pages under 40,000 characters, and shows each operation once', async () => {
    verifies('FOLD-17');
    const { agent } = await startServer();
    const { branch_id } = await agent.branch('b', 'the prompt');
    const tools = Array.from({ length: 60 }, (_, index) => `tool-${index}`);
    for (const tool of tools) await agent.report([{ tool, output: '"line"\n'.repeat(400 + tools.length) }]);
    const seen: unknown[] = [];
    for (let page = 1, total = 1; page <= total; page++) {
      const result = (await agent.outcome('context_expand', { handle: branch_id, page })) as CallResult;
      expect(result.content[0].text.length).toBeLessThan(40_000);
      const { items, total_pages } = result.structuredContent as {
        items: { tool?: string }[];
        total_pages: number;
      };
      seen.push(...items.flatMap(({ tool }) => tool ?? []));
      total = total_pages;
    }
    expect(seen).toEqual(tools);
  });

  test('an unknown handle is told so', async () => {
    verifies('FOLD-17');
    const { agent } = await startServer();
    expect(await agent.refusal('context_expand', { handle: 'op_1_0' })).toMatchObject({ code: 'not_found' });
  });
});
