import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { FORGETTERS } from '../cli/services/forgetters.ts';
import { callerNamed, HOUR } from '../testing/fixtures.suite.ts';
import { forget } from '../trust/forget.ts';
import { Agent, startServer } from './fixture.suite.ts';
import { liveDrafts } from './queries/drafts.ts';
import { allFiles, textByHash } from './queries/files.ts';
import { pageOfTurns, turnRecord } from './queries/turns.ts';
import { agentUsage, constraintUsage, dayUsage, projectUsage, ruleUsage } from './queries/usage.ts';

async function worked() {
  const server = await startServer({
    'r/USED.md': '# U\n\n## A\n\n- one\n- two\n',
    'r/LOADED.md': '# L\n\n## B\n\ntext\n',
    'r/CLAIMED.md': '# C\n\n## D\n\ntext\n',
    'r/NEVER.md': '# N\n\n## E\n\ntext\n',
  });
  const { agent, services, clock, project } = server;
  await agent.setup();
  const id = Object.fromEntries((await agent.discover()).map(({ name, id }) => [name, id])) as Record<
    string,
    string
  >;
  await agent.load(id.USED!, id.LOADED!);
  await agent.call('memory.refer', {
    refs: [
      { ruleId: id.USED, constraintId: 'A/1', reason: 'why' },
      { ruleId: id.CLAIMED, constraintId: 'D' },
    ],
  });
  await agent.draft('rule', { create: { path: 'r/NEW.md', body: 'x' } });
  await agent.call('memory.submit', { summary: 'first' });
  clock.advance(24 * HOUR - 1);
  const bob = new Agent(services, callerNamed('bob'));
  await bob.setup('bobs');
  await bob.load(id.USED!);
  await bob.refer(id.USED!, 'A/1', { ruleHash: 'sha256:old' });
  await bob.call('memory.reject', { reason: 'not followed' });
  return { ...server, id, bob, filter: { workspaces: [project.workspace_id], since: 0 } };
}

describe('a turn', () => {
  test('is one record of what was loaded, claimed and drafted, and how it ended', async () => {
    verifies('LIB-13', 'LIB-17');
    const { library, project, id, agent } = await worked();
    await agent.setup('later');
    await agent.load(id.NEVER!);
    const page = pageOfTurns(library.database, {
      workspaceId: project.workspace_id,
      principal: null,
      before: Number.MAX_SAFE_INTEGER,
      limit: 10,
    });
    const turns = page.map((turn) => turnRecord(library.database, turn));
    expect(turns.map(({ agent, turn, outcome }) => [agent, turn, outcome])).toEqual([
      ['owner', 1, 'open'],
      ['bob', 1, 'rejected'],
      ['owner', 1, 'submitted'],
    ]);
    expect(turns[1]).toMatchObject({
      reason: 'not followed',
      claimed: [{ constraint_id: 'A/1', loaded: true, stale: true }],
    });
    expect(turns[2]).toMatchObject({
      summary: 'first',
      discovered: [{ query: null, result_count: 4 }],
      loaded: [{ path: 'r/USED.md', changed: true, draft: false }, { path: 'r/LOADED.md' }],
      claimed: [
        { path: 'r/USED.md', constraint_id: 'A/1', reason: 'why', loaded: true, stale: false },
        { path: 'r/CLAIMED.md', constraint_id: 'D', loaded: false, stale: false },
      ],
      drafted: [{ action: 'create', path: 'r/NEW.md' }],
    });
  });

  test('ends with submit or reject; the next begins after it, also for a close without anything before', async () => {
    verifies('LIB-08');
    const { agent, library, project } = await startServer();
    await agent.setup();
    await agent.call('memory.submit', { summary: 'one' });
    await agent.call('memory.reject');
    await agent.discover();
    await agent.discover();
    await agent.call('memory.submit', { summary: 'three' });
    const page = pageOfTurns(library.database, {
      workspaceId: project.workspace_id,
      principal: 'owner',
      before: Number.MAX_SAFE_INTEGER,
      limit: 10,
    });
    expect(page.map(({ turn, outcome }) => [turn, outcome])).toEqual([
      [3, 'submitted'],
      [2, 'rejected'],
      [1, 'submitted'],
    ]);
    expect(turnRecord(library.database, page[0]!).discovered).toHaveLength(2);
    expect(
      pageOfTurns(library.database, {
        workspaceId: project.workspace_id,
        principal: 'nobody',
        before: 1e9,
        limit: 10,
      }),
    ).toEqual([]);
  });
});

describe('a page of turns', () => {
  test('reads its own rows, however many others have', async () => {
    verifies('LIB-17');
    const { agent, library, project } = await startServer();
    await agent.setup();
    for (let turn = 0; turn < 3; turn++) await agent.call('memory.submit', { summary: `turn ${turn}` });
    const { database } = library;
    const filter = { workspaceId: project.workspace_id, before: Number.MAX_SAFE_INTEGER, limit: 10 };
    const now = Date.now();
    database.run(
      `WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 200000)
       INSERT INTO library_turn SELECT 'sess_other', value, ?, 'local', 'p', 'other', '', 'submitted', '', 1000, 2000,
         -value, -value FROM numbers`,
      project.workspace_id,
    );
    const page = pageOfTurns(database, { ...filter, principal: 'owner' });
    expect(page.map(({ note }) => note)).toEqual(['turn 2', 'turn 1', 'turn 0']);
    const { iterate } = database;
    let rows = 0;
    const plans: string[] = [];
    vi.spyOn(database, 'iterate').mockImplementation(function* (sql, ...values) {
      const plan = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      plans.push(plan.map(({ detail }) => detail).join('; '));
      for (const row of iterate.call(database, sql, ...values)) {
        rows++;
        yield row as never;
      }
    });
    for (const [principal, since] of [['owner', 0] as const, ['owner', now] as const, [null, now] as const]) {
      pageOfTurns(database, { ...filter, principal, since });
    }
    // By an index, in its order, and no further than the page goes: of 200,000 others one row tells that they are older.
    for (const plan of plans) expect(plan).toMatch(/^SEARCH library_turn USING INDEX \S+ \([^;]*$/);
    expect(plans).toHaveLength(3);
    expect(rows).toBeLessThanOrEqual(3 * 4);
  });
});

describe('forgetting', () => {
  test('takes what was said and leaves what was published and counted', async () => {
    const { library, services, filter, project, agent } = await worked();
    const before = ruleUsage(library.database, filter);
    const target = { kind: 'principal', id: 'owner', org: 'local' } as const;
    await forget(services.journal, agent.caller, target, FORGETTERS);
    const tables = () =>
      [
        'library_draft',
        'library_text',
        'library_turn',
        'library_refer',
        'library_discovery',
        'library_comment',
        'library_search',
      ].map((name) => library.database.all(`SELECT * FROM ${name} ORDER BY 1, 2, 3`));
    const after = tables();
    expect(JSON.stringify(after)).not.toContain('"first"');
    await services.journal.rebuild();
    expect(tables()).toEqual(after);
    expect(ruleUsage(library.database, filter)).toEqual(before);
    const [turn] = pageOfTurns(library.database, {
      workspaceId: project.workspace_id,
      principal: 'owner',
      before: Number.MAX_SAFE_INTEGER,
      limit: 1,
    });
    expect(turnRecord(library.database, turn!)).toMatchObject({
      summary: '[forgotten]',
      claimed: [{ reason: null }, {}],
    });
    const [draft] = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'owner' });
    expect(textByHash(library.database, draft!.hash!)).toBe('[forgotten]');
    expect(allFiles(library.database, project.workspace_id)).toHaveLength(4);
  });
});

describe('usage', () => {
  test('of rules tells evidence from claims', async () => {
    verifies('LIB-17');
    const { library, filter } = await worked();
    const rows = ruleUsage(library.database, filter).map((row) => [
      row.path,
      row.state,
      row.loaded,
      row.referred,
      row.claimed_without_loading,
      row.stale,
      row.agents,
      row.rejected_turns,
    ]);
    expect(rows).toEqual([
      ['r/USED.md', 'referred', 2, 2, 0, 1, 2, 1],
      ['r/CLAIMED.md', 'referred', 0, 1, 1, 0, 1, 0],
      ['r/LOADED.md', 'loaded_never_referred', 1, 0, 0, 0, 1, 0],
      ['r/NEVER.md', 'never_loaded', 0, 0, 0, 0, 0, 0],
    ]);
  });

  test('of context, which is no target of references, says whether it was loaded', async () => {
    verifies('LIB-17');
    const { agent, library, project } = await startServer({
      'context/READ.md': '# Read\n',
      'context/UNREAD.md': '# Unread\n',
    });
    await agent.setup();
    await agent.load(await agent.idOf('context/READ.md'));
    const rows = ruleUsage(library.database, { workspaces: [project.workspace_id], since: 0 });
    expect(rows.map(({ path, state }) => [path, state])).toEqual([
      ['context/READ.md', 'loaded'],
      ['context/UNREAD.md', 'never_loaded'],
    ]);
  });

  test('of constraints shows those that nobody applies, and those that are gone', async () => {
    verifies('LIB-17');
    const { library, filter, publish } = await worked();
    const shown = () =>
      constraintUsage(library.database, filter).map(({ path, constraint_id, referred, current }) => [
        path,
        constraint_id,
        referred,
        current,
      ]);
    expect(shown()).toEqual([
      ['r/USED.md', 'A/1', 2, true],
      ['r/CLAIMED.md', 'D', 1, true],
      ['r/LOADED.md', 'B', 0, true],
      ['r/USED.md', 'A', 0, true],
      ['r/USED.md', 'A/2', 0, true],
    ]);
    await publish({ 'r/CLAIMED.md': '# C\n\n## F\n\ntext\n' });
    expect(shown()).toContainEqual(['r/CLAIMED.md', 'D', 1, false]);
  });

  test('by agent, by day and by project', async () => {
    verifies('LIB-17');
    const { library, filter, clock, project } = await worked();
    expect(agentUsage(library.database, filter)).toEqual([
      {
        agent: 'owner',
        is_person: true,
        sessions: 1,
        turns: 1,
        submitted_turns: 1,
        rejected_turns: 0,
        loaded: 2,
        referred: 2,
        claimed_without_loading: 1,
        stale: 0,
      },
      {
        agent: 'bob',
        is_person: true,
        sessions: 1,
        turns: 1,
        submitted_turns: 0,
        rejected_turns: 1,
        loaded: 1,
        referred: 1,
        claimed_without_loading: 0,
        stale: 1,
      },
    ]);
    expect(
      dayUsage(library.database, filter).map(({ day, loaded, referred, rejected_turns }) => [
        day,
        loaded,
        referred,
        rejected_turns,
      ]),
    ).toEqual([
      ['2026-01-06', 1, 1, 1],
      ['2026-01-05', 2, 2, 0],
    ]);
    expect(projectUsage(library.database, { workspaces: null, since: 0 })).toEqual([
      {
        workspace_id: project.workspace_id,
        agents: 2,
        turns: 2,
        rejected_turns: 1,
        loaded: 3,
        referred: 3,
        claimed_without_loading: 1,
        stale: 1,
      },
    ]);
    expect(
      ruleUsage(library.database, { ...filter, agent: 'bob' }).filter(({ loaded }) => loaded > 0),
    ).toHaveLength(1);
    expect(ruleUsage(library.database, { ...filter, since: clock.read() - HOUR })[0]).toMatchObject({
      loaded: 1,
      referred: 1,
    });
    expect(ruleUsage(library.database, { workspaces: ['ws-other'], since: 0 })).toEqual([]);
  });
});
