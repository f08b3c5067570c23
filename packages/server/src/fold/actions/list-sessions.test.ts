import { expect, test } from 'vitest';
import { callsOf } from '../../cli/services/calls.ts';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { Agent, startServer } from '../fixture.suite.ts';
import { listSessions, searchBranches } from './list-sessions.ts';

test('sessions are found by words of their names, in any order', async () => {
  const { agent, services } = await startServer();
  for (const session_id of ['night-build-42', 'Day build'])
    await agent.branch('work', 'do it', { session_id });
  const named = async (q: string | undefined, caller = localOwner) =>
    (await callsOf(services, caller)(listSessions, { q })).sessions.map(({ host_id }) => host_id);
  expect(await named('BUILD day')).toEqual(['Day build']);
  expect(await named('build 42')).toEqual(['night-build-42']);
  expect(await named('night day')).toEqual([]);
  expect(await named(undefined)).toHaveLength(2);
  expect(await named('build', callerNamed('eve'))).toEqual([]);
});

test('branches are found by words of their descriptions, the newest first, and only by who may read them', async () => {
  const { agent, services } = await startServer();
  await agent.branch('Look for the leak in the pool');
  const { branch_id } = await agent.branch('Find the 100% leak');
  await new Agent(services, callerNamed('eve')).branch('A leak of eve’s');
  const found = async (q: string | undefined, caller = localOwner) =>
    (await callsOf(services, caller)(searchBranches, { q })).branches;
  expect((await found('LEAK the')).map(({ description }) => description)).toEqual([
    'Find the 100% leak',
    'Look for the leak in the pool',
  ]);
  expect(await found('100%')).toMatchObject([{ id: branch_id, status: 'active' }]);
  expect(await found('%')).toHaveLength(1);
  expect(await found(undefined)).toHaveLength(2);
  expect((await callsOf(services, localOwner)(searchBranches, { limit: 1 })).branches).toHaveLength(1);
  const narrow = callerNamed(localOwner.principal, { projects: ['proj_elsewhere'] });
  expect(await found('leak', narrow)).toEqual([]);
});
