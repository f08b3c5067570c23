import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORGETTERS } from '../cli/forgetters.ts';
import { Agent, startServer } from '../fold/fixture.suite.ts';
import { listBranches } from '../fold/queries.ts';
import { callerNamed, errorOf } from '../testing/fixtures.suite.ts';
import { localOwner } from './caller.ts';
import { forget } from './forget.ts';

/** Whether any file of the data folder holds the text. */
function holds(folder: string, text: string): boolean {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((item) => item.isFile())
    .some((item) => readFileSync(join(item.parentPath ?? item.path, item.name)).includes(text));
}

function dump(agent: Agent): unknown {
  const { database } = agent.services.journal;
  return ['fold_branch', 'fold_main', 'fold_operation', 'session'].map((name) =>
    database.all(`SELECT * FROM ${name}`),
  );
}

async function workedIn(agent: Agent, word: string) {
  const branch = await agent.branch(`about ${word}`, `look for ${word}`);
  await agent.report([{ tool: 'Read', input: word, output: `${word} and `.repeat(40_000) }]);
  await agent.report([{ tool: 'Read', input: word, output: `small ${word}` }]);
  await agent.fold(`found ${word}`);
  return branch;
}

describe('forgetting', () => {
  test('a branch erases its texts everywhere and leaves the rest as it was', async () => {
    const { agent, services, folder } = await startServer();
    const gone = await workedIn(agent, 'marigold');
    const kept = await workedIn(agent, 'bluebell');
    const before = await agent.status();
    expect(holds(folder, 'marigold')).toBe(true);
    const target = { kind: 'branch', id: gone.branch_id, org: 'local' } as const;
    expect((await forget(services.journal, localOwner, target, FORGETTERS)).entries).toBe(4);
    expect(holds(folder, 'marigold')).toBe(false);
    expect(holds(folder, 'bluebell')).toBe(true);
    expect(await services.journal.verify()).toMatchObject({ ok: true, erased: 4 });
    expect(await agent.status()).toEqual(before);
    const [first, second] = listBranches(services.journal.database, gone.session_id);
    expect(first).toMatchObject({ description: '[forgotten]', summary: '[forgotten]', operations: 2 });
    expect(second).toMatchObject({ id: kept.branch_id, summary: 'found bluebell' });
    const trajectory = await agent.call('context_expand', { handle: gone.branch_id });
    expect(JSON.stringify(trajectory)).not.toContain('marigold');
    const tables = dump(agent);
    await services.journal.rebuild();
    expect(dump(agent)).toEqual(tables);
  });

  test('again and again, entries that were erased before included', async () => {
    const { agent, services, folder } = await startServer();
    const first = await workedIn(agent, 'marigold');
    await workedIn(agent, 'bluebell');
    const { journal } = services;
    await forget(journal, localOwner, { kind: 'branch', id: first.branch_id, org: 'local' }, FORGETTERS);
    await forget(journal, localOwner, { kind: 'session', id: first.session_id, org: 'local' }, FORGETTERS);
    expect(holds(folder, 'bluebell')).toBe(false);
    expect(await journal.verify()).toMatchObject({ ok: true });
    const tables = dump(agent);
    await journal.rebuild();
    expect(dump(agent)).toEqual(tables);
  });

  test('a report for two branches in one entry loses only its own part', async () => {
    const { agent, services, folder } = await startServer();
    const outer = await agent.branch('outer', 'p');
    const inner = await agent.branch('inner', 'p');
    await agent.report([
      { tool: 'Read', branch_id: outer.branch_id, output: 'marigold' },
      { tool: 'Read', branch_id: inner.branch_id, output: 'bluebell' },
    ]);
    const target = { kind: 'branch', id: outer.branch_id, org: 'local' } as const;
    await forget(services.journal, localOwner, target, FORGETTERS);
    expect([holds(folder, 'marigold'), holds(folder, 'bluebell')]).toEqual([false, true]);
    expect(JSON.stringify(await agent.call('context_expand', { handle: inner.branch_id }))).toContain(
      'bluebell',
    );
  });

  test('a principal erases what they wrote, and nothing of others', async () => {
    const { agent, services, folder } = await startServer();
    await workedIn(new Agent(services, callerNamed('alice')), 'marigold');
    await workedIn(agent, 'bluebell');
    await forget(services.journal, localOwner, { kind: 'principal', id: 'alice', org: 'local' }, FORGETTERS);
    expect([holds(folder, 'marigold'), holds(folder, 'bluebell')]).toEqual([false, true]);
  });

  test('what is not there is told so, and nothing is written', async () => {
    const { services } = await startServer();
    for (const kind of ['branch', 'session', 'principal', 'item'] as const) {
      const target = { kind, id: 'nobody', org: 'local' };
      const error = await errorOf(() => forget(services.journal, localOwner, target, FORGETTERS));
      expect(error.code).toBe('not_found');
    }
    expect(services.journal.head().seq).toBe(0);
  });
});
