import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import { type Agent, PROJECT, startServer } from '../../fold/fixture.suite.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { type ForgetTarget, forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';

const DAY = 86_400_000;

function tablesOf(database: Database): Record<string, unknown> {
  const names = database
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'memory\\_%' ESCAPE '\\' AND name NOT LIKE 'memory\\_text%' ESCAPE '\\'`,
    )
    .map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, database.all(`SELECT * FROM ${name}`)]));
}

/** Ways to bring something into memory that is dated by when it came; each answers what to forget. */
const WAYS: Record<string, (agent: Agent) => Promise<Pick<ForgetTarget, 'kind' | 'id'>>> = {
  'a folded branch': async (agent) => {
    const { branch_id } = await agent.branch('about marigolds', 'look');
    await agent.fold('The marigold is old');
    return { kind: 'branch', id: branch_id };
  },
  'the item of a folded branch': async (agent) => {
    const { branch_id } = await agent.branch('about marigolds', 'look');
    await agent.fold('The marigold is old');
    return { kind: 'item', id: branch_id };
  },
  'a report': async (agent) => {
    await agent.call('memory.setup', { session_id: 'thread-1' });
    await agent.call('memory.submit', { session_id: 'thread-1', summary: 'The marigold report' });
    const { id } = agent.services.journal.database.get<{ id: string }>(
      `SELECT id FROM memory_item WHERE content LIKE '%marigold%'`,
    )!;
    return { kind: 'item', id };
  },
  'a remembered item': async (agent) => {
    const content = `The marigold is ${'very '.repeat(600)}old.`;
    const at = new Date(1_900_000_000_000).toISOString();
    const { id } = await agent.call<{ id: string }>('remember', { content, at, project: PROJECT });
    return { kind: 'item', id };
  },
};

describe('a rebuild gives the tables that there were', () => {
  test.each(Object.keys(WAYS))('after forgetting %s, the newest or the only one', async (way) => {
    verifies('KERN-04');
    for (const isAlone of [true, false]) {
      const { agent, services, clock } = await startServer();
      if (!isAlone) {
        await agent.call('remember', { content: 'A bluebell', project: PROJECT, at: '2020-01-01' });
        clock.advance(3 * DAY);
      }
      const target = await WAYS[way]!(agent);
      await forget(services.journal, localOwner, { ...target, org: 'local' }, FORGETTERS);
      const before = tablesOf(services.journal.database);
      expect(Object.keys(before)).toContain('memory_partition');
      expect(JSON.stringify(before)).not.toContain('marigold');
      await services.journal.rebuild();
      expect(tablesOf(services.journal.database)).toEqual(before);
    }
  });
});
