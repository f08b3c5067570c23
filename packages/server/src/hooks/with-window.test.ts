import { expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { words } from '../fold/fixture.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { HOST_SESSION, type Host, startHost } from './host.suite.ts';

const user = (content: unknown) => ({ role: 'user', content });
const bash = (id: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }],
});
const result = (id: string, text: string) => user([{ type: 'tool_result', tool_use_id: id, content: text }]);

/** A request of the host to its model, which passes the window door. */
async function ask({ agent }: Host, messages: unknown[], hostSession = HOST_SESSION): Promise<void> {
  const body = Buffer.from(JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 100, messages }));
  const { answered } = await agent.services.prepare({
    ...{
      caller: localOwner,
      upstream: 'anthropic',
      dialect: 'anthropic',
      method: 'POST',
      path: '/v1/messages',
    },
    ...{ headers: {}, hostSession, body, signal: new AbortController().signal },
  });
  const milliseconds = { first: 1, all: 1, own: 1 };
  await answered({ status: 200, usage: null, milliseconds, isComplete: true });
}

function counted({ agent }: Host) {
  return agent.services.journal.database.all<{ call_id: string; source: string; tokens: number }>(
    `SELECT call_id, source, tokens FROM fold_call JOIN fold_operation USING (session_id, branch_id, seq, place)
     ORDER BY call_id`,
  );
}

test('what the window door sends is what a call counts with, once, though its hook told another figure', async () => {
  verifies('HOST-05');
  const { host, agent } = await startHost();
  const { branch_id } = await agent.branch('b', words(10));
  await host.tool({ callId: 't1', input: { command: 'ls' }, output: words(1000) });
  const first = [user('Look around.'), bash('t1'), result('t1', words(100))];
  await ask(host, first);
  await expect.poll(() => counted(host)[0]?.source).toBe('window');
  const { tokens } = counted(host)[0]!;
  expect(tokens).toBeGreaterThan(50);
  expect(tokens).toBeLessThan(300);
  expect((await agent.status()).token_breakdown[branch_id]).toBe(10 + tokens);
  // The next request brings the first call again, and one that no hook tells of before.
  await ask(host, [...first, bash('t2'), result('t2', words(100))]);
  await expect.poll(() => counted(host).length).toBe(2);
  await host.tool({ callId: 't2', input: { command: 'ls' }, output: words(1000) });
  expect(counted(host)).toEqual([
    { call_id: 't1', source: 'window', tokens },
    { call_id: 't2', source: 'window', tokens },
  ]);
  expect(host.branches()).toMatchObject([{ operations: 2, tokens: 10 + 2 * tokens }]);
});

test('a subagent’s requests count in its branch, and those of a session that nobody began nowhere', async () => {
  const { host } = await startHost();
  await ask(host, [user('Hi.'), bash('t0'), result('t0', 'x')]);
  await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Explore' });
  await ask(host, [user('Look.'), bash('t1'), result('t1', words(100))], `${HOST_SESSION}_a1`);
  await expect.poll(() => host.branch('Subagent Explore').operations).toBe(1);
  expect(counted(host)).toMatchObject([{ call_id: 't1', source: 'window' }]);
});
