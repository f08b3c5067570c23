import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { isoTime } from '../../kernel/clock.ts';
import { sessionById } from '../../trust/sessions/queries.ts';
import { startServer, words } from '../fixture.suite.ts';
import { branchById } from '../queries.ts';
import { branchState, eventState, isLogged, sessionState, stateRoot } from './values.ts';

async function openBranch() {
  const { agent, services, clock } = await startServer();
  const { journal } = services;
  const { branch_id, session_id } = await agent.branch('Search API logs', words(7));
  const state = (id = branch_id) => branchState(journal, branchById(journal.database, id)!);
  return { agent, journal, clock, branch_id, session_id, state };
}

describe('the state of a session', () => {
  test('a branch has the fields of the seed when it begins', async () => {
    verifies('FOLD-14');
    const { branch_id, clock, journal, state } = await openBranch();
    expect(state()).toEqual({
      key: `branches.${branch_id}`,
      value: {
        id: branch_id,
        description: 'Search API logs',
        prompt: words(7),
        parent_id: null,
        status: 'active',
        created_at: isoTime(clock.read()),
        tokens: 7,
        seq: journal.head().seq,
      },
    });
  });

  test('a fold adds what it came to', async () => {
    verifies('FOLD-14');
    const { agent, clock, branch_id, state } = await openBranch();
    await agent.spend(90, branch_id);
    clock.advance(60_000);
    await agent.fold('Found 3 patterns');
    expect(state().value).toMatchObject({
      ...{ id: branch_id, status: 'folded', folded_at: isoTime(clock.read()) },
      ...{ summary: 'Found 3 patterns', tokens_folded: 97, prompt: words(7) },
    });
  });

  test('a branch that was rolled back says when it ended, and keeps no summary', async () => {
    const { agent, branch_id, state } = await openBranch();
    const inner = await agent.branch('inner', words(3));
    await agent.fold('of no use');
    await agent.rollback(branch_id);
    const { value } = state(inner.branch_id);
    expect(value).toMatchObject({ status: 'discarded', parent_id: branch_id, ended_at: expect.any(String) });
    expect(value).not.toHaveProperty('summary');
  });

  test('the session says which branch is active, how deep it is, and what it has used', async () => {
    verifies('FOLD-14');
    const { agent, journal, branch_id, session_id } = await openBranch();
    const inner = await agent.branch('inner', words(3));
    const state = () =>
      sessionState({ database: journal.database, head: journal.head().seq }, session_id, 1000);
    expect(state()).toEqual({
      key: 'meta.session_state',
      value: {
        session_id,
        active_branch_id: inner.branch_id,
        branch_depth: 2,
        branch_path: ['main', branch_id, inner.branch_id],
        total_tokens: 10,
        folded_tokens: 0,
        context_usage: 0.01,
        seq: journal.head().seq,
      },
    });
    await agent.fold('a');
    await agent.fold('b');
    expect(state().value).toMatchObject({ active_branch_id: null, branch_depth: 0, branch_path: ['main'] });
  });

  test('events are told without what calls were given and answered, at the place where they are', async () => {
    verifies('FOLD-14');
    const { agent, journal, branch_id } = await openBranch();
    const operation = { tool: 'Read', input: { path: 'a.ts' }, output: 'a secret plan', tokens: 5 };
    await agent.report([operation, { ...operation, tool: 'Bash' }]);
    await agent.fold('done');
    const log = journal
      .entriesAfter(0, 100)
      .flatMap((entry) =>
        entry.events.flatMap((event, place) => (isLogged(event.type) ? eventState(entry, event, place) : [])),
      );
    const [created, read, bash, folded] = log;
    expect(log).toHaveLength(4);
    expect(created!.value).toMatchObject({
      type: 'branch.created',
      data: { branch_id, description: 'Search API logs' },
    });
    expect(read).toMatchObject({
      key: `events.operation.completed.${read!.value.seq}.0`,
      value: { at: expect.any(String), place: 0, data: { tool: 'Read', about: 'a.ts', tokens: 5 } },
    });
    expect(bash!.key).toBe(`events.operation.completed.${read!.value.seq}.1`);
    expect(folded!.key).toBe(`events.branch.folded.${folded!.value.seq}.0`);
    expect(JSON.stringify(log)).not.toContain('secret plan');
    expect(JSON.stringify(log)).not.toContain('"prompt"');
  });

  test('keys begin with owner, project and session, escaped as streams are', async () => {
    verifies('FOLD-14');
    const { journal, session_id } = await openBranch();
    const session = sessionById(journal.database, session_id)!;
    expect(stateRoot(session)).toMatch(/^[\w=-]+\.[\w=-]+\.[\w=-]+$/);
    expect(stateRoot(session)).toBe(
      `${session.org}=3A${session.principal}.${session.project_id}.${session_id}`,
    );
  });
});
