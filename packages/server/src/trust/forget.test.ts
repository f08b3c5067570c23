import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FORGETTERS } from '../cli/services/forgetters.ts';
import { Agent, PROJECT, startServer } from '../fold/fixture.suite.ts';
import { listBranches } from '../fold/queries.ts';
import { callerNamed, errorOf } from '../testing/fixtures.suite.ts';
import { forget } from './forget.ts';
import { localOwner } from './identity/caller.ts';

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

  test('an item erases what tools wrote and read of it too, in files of their own as well', async () => {
    const { agent, services, folder } = await startServer();
    await agent.branch('b', 'p');
    const content = `The marigold is ${'very '.repeat(52_400)}old`;
    const { id } = await agent.call<{ id: string }>('remember', { content, project: PROJECT });
    await agent.call('remember', { content: 'A bluebell', project: PROJECT });
    await agent.call('context', { goal: 'marigold', project: PROJECT });
    await services.meter.drain();
    await agent.call('context_list_branches');
    expect(holds(folder, 'marigold is')).toBe(true);
    const target = { kind: 'item', id, org: 'local' } as const;
    await forget(services.journal, localOwner, target, FORGETTERS);
    expect(holds(folder, 'marigold is')).toBe(false);
    expect(holds(folder, 'A bluebell')).toBe(true);
    expect(await services.journal.verify()).toMatchObject({ ok: true });
    expect(await forget(services.journal, localOwner, target, FORGETTERS).catch(({ code }) => code)).toBe(
      'not_found',
    );
  });

  test('a branch erases what was read of it in other branches', async () => {
    const { agent, services, folder } = await startServer({ toolsets: ['fold', 'gateway'] });
    services.openGateway(true);
    onTestFinished(() => services.settle());
    const gone = await workedIn(agent, 'marigold');
    await agent.branch('reader', 'read');
    const read = await agent.call('pod_read', { project: PROJECT, filter: { kinds: ['*'] } });
    expect(JSON.stringify(read)).toContain('marigold');
    await agent.call('pod_send', { project: PROJECT, text: 'A bluebell' });
    await services.openGateway().flushed();
    const target = { kind: 'branch', id: gone.branch_id, org: 'local' } as const;
    await forget(services.journal, localOwner, target, FORGETTERS);
    expect(holds(folder, 'marigold')).toBe(false);
    expect(holds(folder, 'A bluebell')).toBe(true);
    expect(await services.journal.verify()).toMatchObject({ ok: true });
  });

  test('a report that is remembered is erased by its item', async () => {
    const { agent, services } = await startServer();
    const session_id = 'thread-1';
    await agent.call('memory.setup', { session_id });
    await agent.call('memory.submit', { session_id, summary: 'The marigold report' });
    const { id } = services.journal.database.get<{ id: string }>('SELECT id FROM memory_item')!;
    await forget(services.journal, localOwner, { kind: 'item', id, org: 'local' }, FORGETTERS);
    expect(services.journal.database.all('SELECT 1 FROM memory_item')).toEqual([]);
    const reports = services.journal.entriesAfter(0, 100).flatMap(({ events }) => events);
    expect(JSON.stringify(reports.filter(({ type }) => type === 'attest.agent_report'))).not.toContain(
      'marigold',
    );
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
