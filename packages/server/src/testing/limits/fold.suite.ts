import { expect } from 'vitest';
import { HOUR } from '../fixtures.suite.ts';
import { type Probes, refusesAbove } from './probe.suite.ts';
import { type Agent, type Outcome, PROJECT, type Served } from './served.suite.ts';

const INVALID = 'invalid_arguments';

const branch = (agent: Agent, more: Record<string, unknown> = {}): Promise<Outcome> =>
  agent.call('context_branch', { description: 'look', prompt: 'Look.', project_path: PROJECT, ...more });

/** One in the other; the answer to the last one. */
async function nested(server: Served, count: number): Promise<Outcome> {
  const agent = server.agent();
  for (let made = 1; made < count; made++) await branch(agent);
  return branch(agent);
}

const operation = { tool: 'Read', tokens: 1 };
const collapsed = { call_id: 'call-1', summary_tokens: 1 };
const report = (server: Served, body: object) => server.post('/api/sessions/hook/operations', body);

export const foldProbes: Probes = {
  descriptionCharacters: refusesAbove(12, INVALID, (server, size) =>
    branch(server.agent(), { description: '🙂'.repeat(size) }),
  ),
  promptBytes: refusesAbove(40, INVALID, (server, size) =>
    branch(server.agent(), { prompt: 'x'.repeat(size) }),
  ),
  summaryBytes: refusesAbove(40, INVALID, async (server, size) => {
    const agent = server.agent();
    await branch(agent);
    return agent.call('context_return', { message: 'x'.repeat(size), project_path: PROJECT });
  }),
  branchDepth: refusesAbove(2, 'depth_limit', nested),
  activeBranches: refusesAbove(2, 'branch_limit', nested),
  operationsPerReport: refusesAbove(
    3,
    'invalid_arguments',
    (server, size) => report(server, { operations: Array.from({ length: size }, () => operation) }),
    (server, size) => report(server, { collapsed: Array.from({ length: size }, () => collapsed) }),
  ),
  sessionLifetime: {
    value: HOUR,
    async watch(server, value) {
      const { data } = await branch(server.agent());
      const isLive = async () => (await server.get(`/api/sessions/${data.session_id}`)).data.live;
      server.clock.advance(value - 1);
      expect(await isLive()).toBe(true);
      server.clock.advance(1);
      expect(await isLive()).toBe(false);
    },
  },
};
