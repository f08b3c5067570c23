import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { PROJECT, startServer, words } from './fixture.suite.ts';

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
      collapsible: 0,
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
      return (await agent.fold(words(1))).context_health;
    };
    // Each fold leaves one token of summary.
    await agent.spend(16383, 'main');
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
      message: expect.stringMatching(/^Cannot fold branch: branch is not active \(br_\w+ is folded\)$/),
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
    const working = services.scrubber;
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
    services.scrubber = working;
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
    await agent.spend(4999, 'main');
    await agent.branch('a', words(1));
    await agent.spend(18499);
    await agent.fold(words(1));
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
      collapsible: 0,
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

test('nothing of this door destroys: a rollback keeps everything in the archive', async () => {
  const { services } = await startServer();
  const hints = services.registry.tools
    .filter(({ action }) => action.door === 'fold')
    .map(({ name, annotations }) => [name, annotations.destructiveHint ?? false]);
  expect(hints).toContainEqual(['context_rollback', false]);
  expect(hints.filter(([, destructive]) => destructive)).toEqual([]);
});
