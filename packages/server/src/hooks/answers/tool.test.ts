import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { words } from '../../fold/fixture.suite.ts';
import { HOUR } from '../../testing/fixtures.suite.ts';
import { startHost } from '../host.suite.ts';

describe('after a tool', () => {
  test('its call counts in the branch that is active, once, and a fold takes it along', async () => {
    verifies('HOST-05');
    const { host, agent } = await startHost();
    await host.tool({ callId: 'c1', input: words(5), output: words(50) });
    const { branch_id } = await agent.branch('look', words(10));
    for (const _ of [1, 2]) await host.tool({ callId: 'c2', input: words(7), output: words(100) });
    const { token_breakdown } = await agent.status();
    expect(token_breakdown).toMatchObject({ main_thread: 55, [branch_id]: 117, total: 172 });
    const { summary } = await agent.fold(words(4));
    expect(summary).toMatchObject({ tokens_folded: 117, tokens_saved: 113, operations_count: 1 });
  });

  test('calls without an id count each time, failed ones too, and so do those whose output nobody tells', async () => {
    const { host, agent } = await startHost('gemini');
    await host.tool({ input: words(5), output: words(10) });
    await host.tool({ input: words(5), output: words(10), failed: true });
    await host.tell({ kind: 'tool', tool: 'x', input: words(3), failed: false, isReplaceable: false });
    expect((await agent.status()).token_breakdown.main_thread).toBe(33);
  });

  test('a long call counts in the branch in which it was made', async () => {
    const { host, agent } = await startHost();
    const { branch_id } = await agent.branch('b', words(10));
    await host.tool({ callId: 'c1', output: words(20_000) });
    await agent.fold('done');
    await agent.services.meter.drain();
    expect(host.branches()).toMatchObject([{ id: branch_id, tokens: 20_010, tokens_folded: 20_010 }]);
    expect((await agent.status()).token_breakdown).toMatchObject({ folded_total: 20_010, total: 1 });
  });

  test('what was spooled goes where it happened, though that was folded since', async () => {
    const { host, agent, clock } = await startHost();
    await agent.branch('outer', words(10));
    await agent.branch('inner', words(10));
    clock.advance(1000);
    const inInner = clock.read();
    clock.advance(1000);
    await agent.fold('done', host.branch('outer').id);
    clock.advance(1000);
    const { total } = (await agent.status()).token_breakdown;
    for (const _ of [1, 2]) {
      await host.tool({ callId: 'c1', input: words(100), output: '' }, { at: inInner, isLate: true });
    }
    await host.tool({ callId: 'c2', input: words(30), output: '' }, { at: inInner - 5000, isLate: true });
    expect(host.branch('inner')).toMatchObject({ tokens: 110, tokens_folded: 110, operations: 1 });
    expect(host.branch('outer')).toMatchObject({ tokens: 10, tokens_folded: 120 });
    expect((await agent.status()).token_breakdown).toMatchObject({ total: total! + 30, folded_total: 120 });
  });

  test('what was spooled in a session that is over begins no other one', async () => {
    const { host, clock, services } = await startHost();
    await host.tool({ callId: 'c1', output: words(10) });
    const { id } = host.session!;
    const { seq } = services.journal.head();
    clock.advance(25 * HOUR);
    await host.tool({ callId: 'c2', output: words(10) }, { at: clock.read() - 24 * HOUR, isLate: true });
    expect(services.journal.head().seq).toBe(seq);
    await host.tool({ callId: 'c3', output: words(10) });
    expect(host.session!.id).not.toBe(id);
  });

  test('tools of this server are its own to count, whatever the host calls them', async () => {
    verifies('HOST-05');
    const { host, agent } = await startHost();
    await agent.branch('b', words(10));
    for (const tool of [
      'mcp__infold__context_branch',
      'mcp__plugin_infold_infold__search_records',
      'mcp_infold_remember',
      'infold_context',
    ]) {
      await host.tool({ callId: tool, tool, output: words(100) });
    }
    expect((await agent.status()).token_breakdown.total).toBe(10);
    await host.tool({ tool: 'mcp__infolder__search', output: words(100) });
    expect((await agent.status()).token_breakdown.total).toBe(110);
  });
});
