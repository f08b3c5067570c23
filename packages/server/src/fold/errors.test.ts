import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed } from '../testing/fixtures.suite.ts';
import { Agent, PROJECT, startServer, words } from './fixture.suite.ts';

describe('errors of the protocol', () => {
  test('an unknown branch, and a branch of another session or principal', async () => {
    verifies('FOLD-08');
    const { agent, services } = await startServer();
    const { branch_id, session_id } = await agent.branch();
    expect(await agent.rpcError('context_return', { message: 'm', branch_id: 'br_xyz' })).toEqual({
      code: -32602,
      message: `Branch not found: br_xyz (not in session ${session_id}; pass session_id if it is a branch of another session)`,
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
        message: expect.stringContaining(`Branch not found: ${branch_id}`),
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
      message:
        'Context limit exceeded: 35001/32768 tokens. Fold current branch before continuing: folding the current branch would free up to 35000 tokens',
      data: {
        current_tokens: 35001,
        context_limit: 32768,
        suggestion: 'Fold current branch before continuing',
        foldable: 35000,
        collapsible: 0,
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
    ['an empty message', 'context_return', { message: '' }],
    ['a message of white space', 'context_return', { message: ' \n\t' }],
    ['the main thread, abandoned', 'context_rollback', { branch_id: 'main', abandon: true }],
    [
      'a state restored of what is abandoned',
      'context_rollback',
      { branch_id: 'br_x', abandon: true, restore_state: true },
    ],
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
      message: `Cannot roll back to branch: branch is discarded (${branch_id})`,
      data: { branch_id, current_status: 'discarded' },
    });
  });
});
