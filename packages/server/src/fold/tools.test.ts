import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed, HOUR } from '../testing/fixtures.suite.ts';
import { Agent, PROJECT, startServer } from './fixture.suite.ts';
import { sweepSessions } from './sweep.ts';

/** A text of exactly so many tokens. */
const words = (count: number) => 'one'.concat(' two'.repeat(count - 1));

describe('context_branch', () => {
  test('answers with the fields and the arithmetic of the protocol', async () => {
    verifies('FOLD-01', 'FOLD-04');
    const { agent } = await startServer();
    await agent.spend(5000, 'main');
    const answer = await agent.branch('Search API logs', words(200));
    expect(Object.keys(answer).sort()).toEqual([
      'branch_depth',
      'branch_id',
      'context_state',
      'created_at',
      'parent_branch_id',
      'session_id',
    ]);
    expect(answer).toMatchObject({ parent_branch_id: null, branch_depth: 1 });
    expect(answer.branch_id).toMatch(/^br_/);
    expect(answer.session_id).toMatch(/^sess_/);
    expect(answer.context_state).toEqual({
      active_branch_id: answer.branch_id,
      branch_depth: 1,
      total_tokens: 5200,
      main_thread_tokens: 5000,
      current_branch_tokens: 200,
    });
  });

  test('made while another is active is its child', async () => {
    verifies('FOLD-02');
    const { agent } = await startServer();
    const first = await agent.branch();
    const second = await agent.branch();
    expect(second).toMatchObject({ parent_branch_id: first.branch_id, branch_depth: 2 });
    expect(second.session_id).toBe(first.session_id);
  });

  test('takes 200 characters of description, however many bytes they are, and not one more', async () => {
    verifies('FOLD-01');
    const { agent } = await startServer();
    await agent.branch('😀'.repeat(200));
    expect(
      await agent.refusal('context_branch', { description: 'a'.repeat(201), prompt: 'p' }),
    ).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining('200 characters'),
    });
  });

  test('goes eight deep by default', async () => {
    const { agent } = await startServer();
    for (let depth = 1; depth <= 8; depth++) expect((await agent.branch()).branch_depth).toBe(depth);
    expect(await agent.refusal('context_branch', { description: 'd', prompt: 'p' })).toMatchObject({
      code: 'depth_limit',
    });
  });
});

describe('context_return', () => {
  test('folds the active branch with the figures of the protocol', async () => {
    verifies('FOLD-03', 'FOLD-04');
    const { agent } = await startServer();
    await agent.spend(5000, 'main');
    const { branch_id } = await agent.branch('Search logs', words(200));
    for (let call = 0; call < 12; call++) await agent.spend(call === 0 ? 8300 - 11 * 100 : 100);
    const answer = await agent.fold(words(200));
    expect(answer).toMatchObject({
      branch_id,
      parent_branch_id: null,
      summary: {
        tokens_folded: 8500,
        tokens_saved: 8300,
        operations_count: 12,
        secrets_scrubbed: 0,
        summary_redacted: false,
      },
      context_state: {
        active_branch_id: null,
        branch_depth: 0,
        total_tokens: 5200,
        main_thread_tokens: 5200,
        current_branch_tokens: 0,
      },
      context_health: { warning: 'none', main_thread_usage: 0.16 },
    });
  });

  test('warns by the share of the main thread', async () => {
    verifies('FOLD-03');
    const { agent } = await startServer();
    const health = async () => {
      await agent.branch();
      return (await agent.fold('')).context_health;
    };
    await agent.spend(16384, 'main');
    expect(await health()).toEqual({ warning: 'none', main_thread_usage: 0.5 });
    await agent.spend(18432 - 16384, 'main');
    expect(await health()).toEqual({ warning: 'medium', main_thread_usage: 0.56 });
    await agent.spend(23000 - 18432, 'main');
    expect(await health()).toEqual({ warning: 'high', main_thread_usage: 0.7 });
  });

  test('folds open children first, innermost out, in one entry', async () => {
    verifies('FOLD-15');
    const { agent, services } = await startServer();
    const outer = await agent.branch('outer', words(10));
    const middle = await agent.branch('middle', words(20));
    const inner = await agent.branch('inner', words(30));
    const before = services.journal.head().seq;
    const answer = await agent.fold(words(5), outer.branch_id);
    expect(services.journal.head().seq).toBe(before + 1);
    const events = services.journal
      .entryAt(before + 1)!
      .events.map(({ data }) => data as Record<string, unknown>);
    expect(events.map((event) => [event.branch_id, event.tokens_folded, event.folded_by])).toEqual([
      [inner.branch_id, 30, outer.branch_id],
      [middle.branch_id, 50, outer.branch_id],
      [outer.branch_id, 60, null],
    ]);
    expect(answer.summary).toMatchObject({ tokens_folded: 60, tokens_saved: 55 });
    expect(answer.context_state).toMatchObject({ active_branch_id: null, total_tokens: 5 });
    expect((await agent.status()).token_breakdown.folded_total).toBe(60);
  });

  test('of two callers one folds and the other is told that it is not active', async () => {
    verifies('FOLD-16', 'FOLD-08');
    const { agent } = await startServer();
    const { branch_id } = await agent.branch();
    const input = { message: 'done', project_path: PROJECT, branch_id };
    const both = await Promise.all([
      agent.outcome('context_return', input),
      agent.outcome('context_return', input),
    ]);
    const refused = both.filter((outcome) => 'rpc' in outcome);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({
      message: 'Cannot fold branch: branch is not active',
      rpc: { code: -32003, data: { branch_id, current_status: 'folded' } },
    });
  });

  test('takes secrets out of the summary and counts them', async () => {
    verifies('FOLD-10');
    const { agent, services } = await startServer();
    const secret = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
    const { branch_id } = await agent.branch();
    await agent.report([{ tool: 'Bash', output: `token ${secret}` }]);
    const answer = await agent.fold(`The token is ${secret}.`);
    expect(answer.summary).toMatchObject({ secrets_scrubbed: 2, summary_redacted: true });
    const everything = JSON.stringify(services.journal.entriesAfter(0, 100));
    expect(everything).not.toContain(secret);
    expect(everything).toContain('[REDACTED:');
    const expanded = await agent.call('context_expand', { handle: branch_id });
    expect(JSON.stringify(expanded)).not.toContain(secret);
  });

  test('without a scrubber that works nothing is folded', async () => {
    verifies('FOLD-10');
    const { agent, services } = await startServer();
    await agent.branch();
    const before = services.journal.head();
    services.scrubber = {
      scrub: () => {
        throw new Error('broken');
      },
      scrubValue: () => {
        throw new Error('broken');
      },
    };
    expect(await agent.refusal('context_return', { message: 'done' })).toMatchObject({
      code: 'scrub_failed',
    });
    expect(services.journal.head()).toEqual(before);
    expect((await agent.status()).branch_depth).toBe(1);
  });

  test('lists what the branch held and the summary does not say', async () => {
    verifies('FOLD-18');
    const { agent } = await startServer();
    await agent.branch('fix login', 'See src/auth/login.ts and https://example.org/tickets/7 for AUTH-1234');
    await agent.report([
      { tool: 'Bash', output: 'ECONNREFUSED at src/net/socket.ts\n- [ ] add a retry to the socket' },
    ]);
    const { dropped } = await agent.fold('Fixed AUTH-1234 in src/auth/login.ts.');
    expect(dropped).toEqual(
      expect.arrayContaining([
        { kind: 'task', text: 'add a retry to the socket' },
        { kind: 'url', text: 'https://example.org/tickets/7' },
        { kind: 'path', text: 'src/net/socket.ts' },
        { kind: 'identifier', text: 'ECONNREFUSED' },
      ]),
    );
    expect(dropped).toHaveLength(4);
  });
});

describe('context_branch_status and context_list_branches', () => {
  test('show the path, the tokens of open branches and the share of the limit', async () => {
    verifies('FOLD-05');
    const { agent } = await startServer();
    await agent.spend(5000, 'main');
    await agent.branch('a', words(1));
    await agent.spend(18499);
    await agent.fold('');
    const first = await agent.branch('b', words(3000));
    const second = await agent.branch('c', words(1200));
    expect(await agent.status()).toEqual({
      session_id: first.session_id,
      active_branch_id: second.branch_id,
      branch_depth: 2,
      branch_path: ['main', first.branch_id, second.branch_id],
      token_breakdown: {
        main_thread: 5000,
        [first.branch_id]: 3000,
        [second.branch_id]: 1200,
        total: 9200,
        folded_total: 18500,
      },
      context_limit: 32768,
      usage_percent: 28,
    });
  });

  test('the limit is configurable', async () => {
    verifies('FOLD-05');
    const { agent } = await startServer({ contextLimit: 1000 });
    await agent.spend(505, 'main');
    expect(await agent.status()).toMatchObject({ context_limit: 1000, usage_percent: 51 });
  });

  test('a project without a session has an empty state and no session is made', async () => {
    const { agent, services } = await startServer();
    expect(await agent.status()).toMatchObject({ session_id: null, branch_path: ['main'], usage_percent: 0 });
    expect(services.journal.head().seq).toBe(0);
  });

  test('list every branch with status, tokens and times', async () => {
    verifies('FOLD-06');
    const { agent } = await startServer();
    const folded = await agent.branch('folded', words(40));
    await agent.fold('x');
    const kept = await agent.branch('kept', words(10));
    await agent.branch('discarded', words(7));
    await agent.rollback(kept.branch_id);
    const list = await agent.call<{ branches: Record<string, unknown>[] }>('context_list_branches');
    expect(list).toMatchObject({
      total_branches: 3,
      active_branches: 1,
      folded_branches: 1,
      discarded_branches: 1,
      expired_branches: 0,
    });
    expect(list.branches[0]).toEqual({
      id: folded.branch_id,
      description: 'folded',
      status: 'folded',
      tokens: 40,
      created_at: expect.any(String),
      folded_at: expect.any(String),
    });
    expect(list.branches[1]).not.toHaveProperty('folded_at');
    expect(list.branches[2]).toMatchObject({ status: 'discarded', tokens: 7 });
  });
});

describe('errors of the protocol', () => {
  test('an unknown branch, and a branch of another session or principal', async () => {
    verifies('FOLD-08');
    const { agent, services } = await startServer();
    const { branch_id, session_id } = await agent.branch();
    expect(await agent.rpcError('context_return', { message: 'm', branch_id: 'br_xyz' })).toEqual({
      code: -32602,
      message: 'Branch not found: br_xyz',
      data: { branch_id: 'br_xyz', session_id },
    });
    const stranger = new Agent(services, callerNamed('mallory'));
    await stranger.branch();
    for (const [tool, input] of [
      ['context_return', { message: 'm', branch_id }],
      ['context_rollback', { branch_id }],
      ['context_expand', { handle: branch_id }],
    ] as const) {
      expect(await stranger.rpcError(tool, input)).toMatchObject({
        code: -32602,
        message: `Branch not found: ${branch_id}`,
      });
    }
  });

  test('nothing active', async () => {
    verifies('FOLD-08');
    const { agent } = await startServer();
    const none = { code: -32003, data: { branch_id: null, current_status: 'none' } };
    expect(await agent.rpcError('context_return', { message: 'm' })).toMatchObject(none);
    await agent.branch();
    await agent.fold();
    expect(await agent.rpcError('context_return', { message: 'm' })).toMatchObject(none);
  });

  test('the hard limit, when it is configured', async () => {
    verifies('FOLD-08');
    const { agent } = await startServer({ hardLimit: true });
    await agent.branch();
    await agent.spend(34998);
    const error = {
      code: -32001,
      message: 'Context limit exceeded: 35001/32768 tokens',
      data: {
        current_tokens: 35001,
        context_limit: 32768,
        suggestion: 'Fold current branch before continuing',
      },
    };
    expect(await agent.rpcError('context_branch', { description: 'd', prompt: 'p' })).toEqual(error);
    expect(await agent.rpcError('infold_status', { project: PROJECT })).toMatchObject({ code: -32001 });
    expect((await agent.fold('folding is always allowed')).context_state.branch_depth).toBe(0);
  });

  test('a first branch over the hard limit makes no session', async () => {
    const { agent, services } = await startServer({ hardLimit: true, contextLimit: 5 });
    expect(await agent.rpcError('context_branch', { description: 'd', prompt: words(6) })).toMatchObject({
      code: -32001,
    });
    expect(services.journal.head().seq).toBe(0);
  });

  test.each([
    [
      'a relative project_path',
      'context_branch',
      { description: 'd', prompt: 'p', project_path: 'some/folder' },
    ],
    ['an empty description', 'context_branch', { description: '  ', prompt: 'p' }],
    ['a message with a control character', 'context_return', { message: 'bell \u0007' }],
    ['a message with half a surrogate pair', 'context_return', { message: 'half \ud800 pair' }],
    ['a megabyte of summary', 'context_return', { message: 'x'.repeat(1_000_000) }],
    ['a number for a description', 'context_branch', { description: 7, prompt: 'p' }],
    ['no message', 'context_return', {}],
    ['a budget of zero', 'context_branch', { description: 'd', prompt: 'p', budget: 0 }],
    ['page zero', 'context_expand', { handle: 'br_x', page: 0 }],
  ])('%s is refused and changes nothing', async (_what, tool, input) => {
    const { agent, services } = await startServer();
    await agent.branch();
    const before = services.journal.head();
    expect(await agent.refusal(tool, input)).toMatchObject({ code: 'invalid_arguments' });
    expect(services.journal.head()).toEqual(before);
  });

  test('rollback to a discarded branch', async () => {
    verifies('FOLD-08');
    const { agent } = await startServer();
    const { branch_id } = await agent.branch();
    await agent.rollback('main');
    expect(await agent.rpcError('context_rollback', { branch_id })).toEqual({
      code: -32003,
      message: 'Cannot roll back to branch: branch is discarded',
      data: { branch_id, current_status: 'discarded' },
    });
  });
});

describe('context_rollback', () => {
  test('discards what came after, and makes the target active', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    await agent.spend(5000, 'main');
    const first = await agent.branch('first', words(3000));
    const second = await agent.branch('second', words(10000));
    const third = await agent.branch('third', words(5000));
    expect(await agent.rollback(first.branch_id, true)).toEqual({
      rolled_back_to: first.branch_id,
      branches_discarded: [second.branch_id, third.branch_id],
      tokens_recovered: 15000,
      context_state: { active_branch_id: first.branch_id, branch_depth: 1, total_tokens: 8000 },
    });
    expect(JSON.stringify(await agent.call('context_expand', { handle: third.branch_id }))).toContain(
      'third',
    );
  });

  test('with restore_state also discards what the target did since', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    const target = await agent.branch('target', words(10));
    await agent.spend(100);
    await agent.branch('later', words(20));
    await agent.fold(words(5));
    await agent.spend(200);
    expect((await agent.rollback(target.branch_id, false)).tokens_recovered).toBe(5);
    await agent.branch('later again', words(20));
    await agent.fold(words(5));
    await agent.spend(300);
    const answer = await agent.rollback(target.branch_id, true);
    expect(answer.tokens_recovered).toBe(305);
    expect(answer.context_state.total_tokens).toBe(310);
  });

  test('to a folded branch reopens it and takes its summary back', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    await agent.spend(100, 'main');
    const outer = await agent.branch('outer', words(50));
    const inner = await agent.branch('inner', words(30));
    await agent.fold(words(4));
    await agent.fold(words(7));
    expect((await agent.status()).token_breakdown).toMatchObject({
      main_thread: 107,
      total: 107,
      folded_total: 84,
    });
    const answer = await agent.rollback(inner.branch_id);
    expect(answer).toMatchObject({
      branches_discarded: [],
      tokens_recovered: 0,
      context_state: { active_branch_id: inner.branch_id, branch_depth: 2, total_tokens: 180 },
    });
    expect((await agent.status()).token_breakdown).toEqual({
      main_thread: 100,
      [outer.branch_id]: 50,
      [inner.branch_id]: 30,
      total: 180,
      folded_total: 0,
    });
  });

  test('to main discards every branch', async () => {
    verifies('FOLD-07');
    const { agent } = await startServer();
    await agent.spend(100, 'main');
    await agent.branch('a', words(50));
    await agent.fold(words(5));
    await agent.branch('b', words(20));
    const answer = await agent.rollback('main');
    expect(answer).toMatchObject({ rolled_back_to: 'main', tokens_recovered: 25 });
    expect(answer.context_state).toEqual({ active_branch_id: null, branch_depth: 0, total_tokens: 100 });
  });
});

describe('metering', () => {
  test('every call of another door in a session is an operation; those of this door cost nothing', async () => {
    verifies('FOLD-14');
    const { agent, services } = await startServer();
    const { branch_id } = await agent.branch('b', words(10));
    await agent.status();
    await agent.call('context_list_branches');
    expect((await agent.status()).token_breakdown.total).toBe(10);
    await agent.call('infold_status', { project: PROJECT });
    expect((await agent.status()).token_breakdown[branch_id]).toBeGreaterThan(100);
    const types = services.journal
      .entriesAfter(0, 100)
      .flatMap((entry) => entry.events.map(({ type }) => type));
    expect(types).toEqual(['project.added', 'session.started', 'branch.created', 'operation.completed']);
  });

  test('a call id counts once, within a report and between reports', async () => {
    const { agent } = await startServer();
    const once = { tool: 'Read', call_id: 'c1', tokens: 10 };
    const answer = await agent.report([once, once]);
    expect(Object.keys(answer)).toEqual(['accepted', 'duplicates', 'context_state']);
    expect(answer).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await agent.report([once, { ...once, call_id: 'c2' }])).toMatchObject({
      accepted: 1,
      duplicates: 1,
      context_state: { main_thread_tokens: 20 },
    });
  });

  test('one report for a branch that is not open refuses the whole batch', async () => {
    const { agent } = await startServer();
    const { branch_id } = await agent.branch();
    await agent.fold('');
    const good = { tool: 'Read', tokens: 10, branch_id: 'main' };
    for (const bad of [branch_id, 'br_unknown']) {
      await expect(agent.report([good, { ...good, branch_id: bad }])).rejects.toThrow(/branch/i);
    }
    expect((await agent.status()).token_breakdown.total).toBe(0);
  });

  test('a budget is announced at 80% and enforced when it is passed', async () => {
    const { agent } = await startServer();
    const { branch_id } = await agent.branch('b', words(10), { budget: 1000 });
    const notices = async () => {
      const outcome = await agent.outcome('infold_status', { project: PROJECT });
      return (outcome as { _meta: Record<string, unknown> })._meta['infold/notices'];
    };
    expect(await notices()).toBeUndefined();
    await agent.spend(450);
    expect(await notices()).toEqual([expect.stringContaining(`Branch ${branch_id} has used`)]);
    await agent.spend(1000);
    for (const tool of ['infold_status', 'context_branch']) {
      expect(await agent.refusal(tool, { project: PROJECT, description: 'd', prompt: 'p' })).toMatchObject({
        code: 'budget_exceeded',
        budget: 1000,
      });
    }
    await agent.fold('folding is always allowed');
    expect((await agent.call('infold_status', { project: PROJECT })).version).toBeDefined();
  });
});

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

  test('an unknown handle is told so', async () => {
    verifies('FOLD-17');
    const { agent } = await startServer();
    expect(await agent.refusal('context_expand', { handle: 'op_1_0' })).toMatchObject({ code: 'not_found' });
  });
});
