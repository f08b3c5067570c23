import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import type { Entry } from '../../journal/journal.ts';
import { callerNamed, temporaryFolder } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { listAgentUsage, listTurns, readItemUsage, reportUsage } from '../actions/usage.ts';
import type { UploadedEvent } from '../events.ts';
import { Agent, STYLE, startServer, type TestServer } from '../fixture.suite.ts';
import { receiveEvents } from '../hub/receive.ts';
import { agentUsage, constraintUsage, dayUsage, ruleUsage } from '../queries/usage.ts';
import { expireEvidence } from './retention.ts';

const DAY = 86_400_000;
const hashOf = (seq: number) => String(seq).padStart(64, '0');
const position = (seq: number) => ({ seq, hash: hashOf(seq) });

/** The ids of rules that anybody may have loaded, with a wording each. */
const RULES = ['rule-a', 'rule-b', '__proto__'];
const load = (...ids: string[]): UploadedEvent => ({
  type: 'attest.load',
  data: {
    items: ids.map((id) => ({
      ...{ id, kind: 'rule' as const, path: `${id}.md`, hash: `sha256:${hashOf(1)}` },
      ...{ changed: true, draft: false },
    })),
  },
});
const refer = (
  id: string,
  constraint = 'C',
  more: { loaded?: boolean; stale?: boolean } = {},
): UploadedEvent => ({
  type: 'attest.refer',
  data: {
    refs: [
      {
        ...{ rule_id: id, path: `${id}.md`, rule_hash: `sha256:${hashOf(1)}`, claimed_hash: null },
        ...{ constraint_id: constraint, constraint_name: constraint, constraint_text: '', reason: null },
        ...{ loaded: true, stale: false, ...more },
      },
    ],
  },
});
const reject: UploadedEvent = { type: 'attest.reject', data: { reason: null } };
const submit: UploadedEvent = { type: 'attest.agent_report', data: { summary: 'done' } };

/** A machine whose journal is sent to the hub, from anywhere, as often as one likes. */
class Machine {
  readonly entries: {
    id: string;
    at: number;
    agent: string | null;
    session: string;
    events: UploadedEvent[];
  }[] = [];
  sent = 0;
  readonly edge: string;
  readonly principal: string;

  constructor(edge: string, principal: string) {
    this.edge = `edge_${edge.repeat(20)}`;
    this.principal = principal;
  }

  did(
    at: number,
    session: string,
    event: UploadedEvent,
    agent: string | null = null,
    id = randomUUID(),
  ): void {
    this.entries.push({ id, at, agent, session, events: [event] });
  }

  async send({ library, project, clock }: TestServer, count = this.entries.length): Promise<void> {
    const upto = Math.min(this.entries.length, this.sent + count);
    const entries = this.entries.slice(this.sent, upto).map((entry, index) => ({
      ...entry,
      ...position(this.sent + index + 1),
      project: project.id,
    }));
    const batch = { edge: this.edge, after: position(this.sent), upto: position(upto), now: clock.read() };
    await library.act(callerNamed(this.principal), receiveEvents, { ...batch, entries });
    this.sent = upto;
  }
}

interface Recount {
  loaded: number;
  referred: number;
  claimed: number;
  stale: number;
  turns: Set<string>;
  followed: Set<string>;
  rejected: Set<string>;
}

/** Counts again, from the journal alone and in another way: first turns are made, then figures of them. */
function recount(entries: readonly Entry[]) {
  const works = entries.flatMap(({ events }) =>
    events.flatMap((event) => {
      if (event.type === 'hub.received') {
        const { principal } = event.data;
        return event.data.entries.flatMap((one) =>
          one.events.map((done) => ({ session: `${principal}/${one.session_id}`, done })),
        );
      }
      if (!event.type.startsWith('attest.')) return [];
      const { session_id } = event.data as { session_id: string };
      return [{ session: `here/${session_id}`, done: event as UploadedEvent }];
    }),
  );
  const turns: { key: string; events: UploadedEvent[]; isRejected: boolean }[] = [];
  for (const session of new Set(works.map((work) => work.session))) {
    let turn: (typeof turns)[number] | undefined;
    for (const { done } of works.filter((work) => work.session === session)) {
      turn ??= { key: `${session}#${turns.length}`, events: [], isRejected: false };
      if (!turns.includes(turn)) turns.push(turn);
      turn.events.push(done);
      if (done.type !== 'attest.reject' && done.type !== 'attest.agent_report') continue;
      turn.isRejected = done.type === 'attest.reject';
      turn = undefined;
    }
  }
  const found = new Map<string, Recount>();
  const at = (key: string): Recount => {
    const none = { loaded: 0, referred: 0, claimed: 0, stale: 0 };
    const known = found.get(key) ?? { ...none, turns: new Set(), followed: new Set(), rejected: new Set() };
    found.set(key, known);
    return known;
  };
  for (const { key, events, isRejected } of turns) {
    for (const { type, data } of events) {
      const used: [string, boolean][] = [];
      if (type === 'attest.load') {
        for (const { id } of data.items) {
          at(id).loaded++;
          used.push([id, false]);
        }
      }
      if (type === 'attest.refer') {
        for (const ref of data.refs) {
          for (const name of [ref.rule_id, `${ref.rule_id} ${ref.constraint_id}`]) {
            at(name).referred++;
            at(name).claimed += ref.loaded ? 0 : 1;
            at(name).stale += ref.stale ? 1 : 0;
            used.push([name, ref.loaded]);
          }
        }
      }
      for (const [name, isFollowed] of used) {
        at(name).turns.add(key);
        if (isFollowed) at(name).followed.add(key);
        if (isRejected) at(name).rejected.add(key);
      }
    }
  }
  return {
    turns: turns.length,
    rejected: turns.filter(({ isRejected }) => isRejected).length,
    rows: new Map(
      [...found].map(([name, { turns: all, followed, rejected, ...figures }]) => [
        name,
        { ...figures, turns: all.size, followed: followed.size, rejected: rejected.size },
      ]),
    ),
  };
}

/** As the tables have it: by rule, and by rule and constraint. */
function counted({ library }: TestServer, grain: 'day' | 'month') {
  const rows = library.database.all<Record<string, number | string>>(
    `SELECT file_id, constraint_id, sum(loaded) AS loaded, sum(referred) AS referred, sum(claimed) AS claimed,
       sum(stale) AS stale, sum(turns) AS turns, sum(followed) AS followed, sum(rejected) AS rejected
     FROM library_evidence_total WHERE grain = ? GROUP BY file_id, constraint_id`,
    grain,
  );
  return new Map(
    rows.map(({ file_id, constraint_id, ...figures }) => [
      `${file_id}${constraint_id === '' ? '' : ` ${constraint_id}`}`,
      figures,
    ]),
  );
}

const step = fc.record({
  machine: fc.nat(2),
  session: fc.nat(1),
  days: fc.nat(40),
  event: fc.oneof(
    fc.subarray(RULES, { minLength: 1 }).map((ids) => load(...ids)),
    fc
      .tuple(fc.constantFrom(...RULES), fc.constantFrom('A', 'B/1'), fc.boolean(), fc.boolean())
      .map(([id, constraint, loaded, stale]) => refer(id, constraint, { loaded, stale })),
    fc.constant(reject),
    fc.constant(submit),
  ),
  /** What comes after it: nothing, a batch of so many, or all of it a second time from another machine. */
  next: fc.constantFrom('nothing', 'nothing', 'send', 'again', 'here'),
  size: fc.integer({ min: 1, max: 3 }),
});

describe('counts of evidence', () => {
  test('are what a recount of the journal gives, in whatever order and however often it arrives', async () => {
    verifies('LIB-17', 'LIB-18');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const server = await startServer();
        const { services, clock, agent } = server;
        clock.advance(400 * DAY);
        const machines = [new Machine('a', 'alice'), new Machine('b', 'alice'), new Machine('c', 'carol')];
        await agent.setup();
        const id = await agent.idOf('coding/STYLE.md');
        for (const { machine: number, session, days, event, next, size } of steps) {
          const machine = machines[number]!;
          machine.did(clock.read() - days * DAY, `${machine.edge}-${session}`, event);
          if (next === 'send') await machine.send(server, size);
          if (next === 'here') {
            await agent.load(id);
            if (size > 1) await agent.refer(id, 'Naming/1');
            if (size > 2) await agent.call('memory.reject');
          }
          if (next === 'again') {
            // A copy of alice's machine: what was sent by one is not counted again from the other.
            machines[1]!.entries.push(...machines[0]!.entries.slice(machines[1]!.entries.length));
          }
        }
        for (const machine of machines)
          while (machine.sent < machine.entries.length) await machine.send(server, 2);
        const expected = recount(services.journal.entriesAfter(0, 10_000));
        expect(counted(server, 'day')).toEqual(expected.rows);
        expect(counted(server, 'month')).toEqual(expected.rows);
        const filter = { workspaces: null, since: 0 };
        const total = (of: 'turns' | 'rejected_turns') =>
          dayUsage(services.journal.database, filter).reduce((sum, row) => sum + row[of], 0);
        expect([total('turns'), total('rejected_turns')]).toEqual([expected.turns, expected.rejected]);
        expect(await services.journal.verifyTables()).toMatchObject({ ok: true, different: [] });
        await services.journal.close();
      }),
      { numRuns: runs(40) },
    );
  });

  test('of a period are those of its days, whole months or not', async () => {
    verifies('LIB-17');
    const server = await startServer();
    const { clock, library, project, agent } = server;
    await agent.setup();
    const id = await agent.idOf('coding/STYLE.md');
    // The server's clock begins on 5 January 2026.
    const machine = new Machine('a', 'alice');
    clock.advance(100 * DAY);
    const now = clock.read();
    for (let days = 0; days < 100; days++) machine.did(now - days * DAY, 's', load(id));
    await machine.send(server);
    for (const days of [0, 1, 13, 14, 15, 44, 45, 46, 99]) {
      const filter = { workspaces: [project.workspace_id], since: now - days * DAY };
      const [rule] = ruleUsage(library.database, filter);
      expect([days, rule!.loaded]).toEqual([days, Math.min(days, 99) + 1]);
    }
  });
});

async function busy(overrides: Parameters<typeof startServer>[1] = {}) {
  const files = {
    'r/DEAD.md': '# D\n\n## A\n\n- x\n',
    'r/UNREAD.md': '# U\n\n## A\n\n- x\n',
    'coding/STYLE.md': STYLE,
  };
  const server = await startServer(files, overrides);
  const { agent, clock } = server;
  clock.advance(40 * DAY);
  await agent.setup('thread-1', { model: 'opus-5' });
  const ids = Object.fromEntries((await agent.discover()).map(({ path, id }) => [path, id]));
  const [style, dead] = [ids['coding/STYLE.md']!, ids['r/DEAD.md']!];
  const machine = new Machine('a', 'ulla');
  const work = (turns: number, rejected: number, rule = style) => {
    for (let turn = 0; turn < turns; turn++) {
      machine.did(clock.read(), 's', load(rule, dead), 'claude-code');
      if (rule === style) machine.did(clock.read(), 's', refer(style, 'Naming/1'), null);
      machine.did(clock.read(), 's', turn < rejected ? reject : submit, 'claude-code');
    }
  };
  return { ...server, machine, work, style, server };
}

describe('a report', () => {
  test('says which rules are dead and which are fought over, and nothing of what was seen too seldom', async () => {
    verifies('LIB-17');
    const { library, machine, work, server, publish } = await busy();
    const verdicts = async (more: Record<string, unknown> = {}) =>
      Object.fromEntries(
        (await library.act(localOwner, reportUsage, more)).rows.map((row) => {
          const { path, verdict, why } = row as { path: string; verdict: string; why: string | null };
          return [path, why ?? verdict];
        }),
      );
    work(10, 0);
    await machine.send(server);
    expect(await verdicts()).toEqual({
      'coding/STYLE.md': 'in_use',
      'r/DEAD.md': 'not_enough',
      'r/UNREAD.md': 'not_enough',
    });
    work(15, 0);
    await machine.send(server);
    expect(await verdicts()).toEqual({
      'coding/STYLE.md': 'in_use',
      'r/DEAD.md': 'never_referred',
      'r/UNREAD.md': 'never_loaded',
    });
    expect(await verdicts({ published_days: 60 })).toMatchObject({ 'r/DEAD.md': 'not_enough' });
    expect(await verdicts({ only: 'dead' })).not.toHaveProperty('coding/STYLE.md');
    work(25, 25);
    await machine.send(server);
    expect(await verdicts()).toMatchObject({ 'coding/STYLE.md': 'rejected', 'r/DEAD.md': 'rejected' });
    expect(await verdicts({ fought_share: 0.9 })).toMatchObject({ 'coding/STYLE.md': 'in_use' });
    for (let edit = 0; edit < 4; edit++) await publish({ 'r/UNREAD.md': `# U\n\n## A\n\n- x${edit}\n` });
    expect(await verdicts({ only: 'fought_over' })).toMatchObject({ 'r/UNREAD.md': 'edited' });
    expect(await verdicts({ min_edits: 5 })).toMatchObject({ 'r/UNREAD.md': 'never_loaded' });
  });

  test('is made by constraint, project, agent and model too, of one rule or of all', async () => {
    verifies('LIB-17', 'LIB-18');
    const { library, machine, work, server, project, agent, style } = await busy();
    work(3, 1);
    await machine.send(server);
    await agent.load(style);
    const report = async (more: Record<string, unknown>) =>
      (await library.act(localOwner, reportUsage, more)).rows as object[];
    expect(await report({ by: 'constraint' })).toContainEqual(
      expect.objectContaining({
        constraint_id: 'Naming/1',
        loaded: 4,
        referred: 3,
        turns: 3,
        rejected_turns: 1,
      }),
    );
    expect(await report({ by: 'project' })).toMatchObject([
      { project: project.name, turns: 4, rejected_turns: 1, loaded: 7, referred: 3 },
    ]);
    expect(await report({ by: 'agent' })).toMatchObject([
      { agent: 'ulla', is_person: true, referred: 3 },
      { agent: 'claude-code', is_person: false, turns: 3, loaded: 6 },
      { agent: 'owner', is_person: true, loaded: 1, sessions: 1 },
    ]);
    expect(await report({ by: 'model' })).toMatchObject([
      { model: null, turns: 3 },
      { model: 'opus-5', turns: 1, sessions: 1, loaded: 1 },
    ]);
    const ofRule = { project: project.id, rule: 'coding/STYLE.md' };
    expect(await report({ by: 'model', ...ofRule })).toMatchObject([
      { model: null, loaded: 3, referred: 3 },
      { model: 'opus-5', loaded: 1 },
    ]);
    expect(await report({ by: 'rule', model: 'opus-5' })).toMatchObject([{ loaded: 1 }, { loaded: 0 }, {}]);
    expect(await report({ by: 'rule', ...ofRule })).toHaveLength(1);
  });

  test('compares what was done with a wording before and after a revision', async () => {
    verifies('LIB-17');
    const { library, publish, agent, clock, project, style } = await busy();
    const turns = async (count: number, followed: number) => {
      for (let turn = 0; turn < count; turn++) {
        await agent.load(style);
        if (turn < followed) await agent.refer(style, 'Naming/1');
        await agent.call('memory.submit', { summary: 'x' });
      }
    };
    const trend = async (more: object = {}) =>
      (
        await library.act(localOwner, readItemUsage, {
          project: project.id,
          id: style,
          min_turns: 10,
          ...more,
        })
      ).trend;
    await turns(12, 2);
    expect(await trend()).toMatchObject({ revision: 1, result: 'not_enough', before: { turns: 0 } });
    clock.advance(1000);
    await publish({ 'coding/STYLE.md': `${STYLE}\nMore.\n` });
    await turns(3, 3);
    expect(await trend()).toMatchObject({ revision: 2, result: 'not_enough' });
    await turns(9, 9);
    const { result, before, after } = await trend();
    expect([result, before.followed.count, before.turns, after.followed.count, after.turns]).toEqual([
      'better',
      ...[2, 12, 12, 12],
    ]);
    expect(before.followed.low).toBeCloseTo(0.047, 3);
    expect(before.followed.high).toBeCloseTo(0.448, 3);
    await publish({ 'coding/STYLE.md': STYLE.replace('clever', 'smart') });
    await turns(20, 1);
    expect(await trend()).toMatchObject({ revision: 3, result: 'worse' });
    expect(await trend({ revision: 2, min_turns: 13 })).toMatchObject({ revision: 2, result: 'not_enough' });
    await expect(trend({ revision: 9 })).rejects.toThrow('this file has the revisions 1, 2, 3');
  });
});

describe('retention', () => {
  test('takes old evidence out of reports at once and out of tables by an entry, also what arrives late', async () => {
    verifies('LIB-17');
    const { library, services, machine, server, clock, agent, style } = await busy({
      evidence: { retentionDays: 30, anonymous: false },
    });
    const now = clock.read();
    await agent.load(style);
    await agent.call('memory.submit', { summary: 'old' });
    for (const days of [1, 20]) machine.did(now - days * DAY, 's', load(style));
    await machine.send(server);
    clock.advance(20 * DAY);
    const loaded = async () => {
      const { rows, since } = await library.act(localOwner, reportUsage, {});
      return [since, (rows[0] as { loaded: number }).loaded];
    };
    const before = await loaded();
    expect(before).toEqual([new Date(clock.read() - 30 * DAY).toISOString().slice(0, 10), 2]);
    const rows = () =>
      library.database.get<{ n: number }>('SELECT sum(loaded) AS n FROM library_evidence_wording')!.n;
    expect(rows()).toBe(3);
    expect(await expireEvidence(services.journal, clock.read, 30)).toBe(true);
    expect(await expireEvidence(services.journal, clock.read, 30)).toBe(false);
    expect([rows(), await loaded()]).toEqual([2, before]);
    machine.did(now - 30 * DAY, 's', load(style));
    await machine.send(server);
    expect([rows(), await loaded()]).toEqual([2, before]);
    expect(await services.journal.verifyTables()).toMatchObject({ ok: true, different: [] });
    clock.advance(40 * DAY);
    await expireEvidence(services.journal, clock.read, 30);
    expect((await library.act(localOwner, listTurns, { project: server.project.id })).turns).toEqual([]);
    expect(library.database.all('SELECT * FROM library_load')).toEqual([]);
    await agent.setup('thread-2');
    await agent.load(style);
    expect(await loaded()).toMatchObject([expect.any(String), 1]);
    expect(await services.journal.verifyTables()).toMatchObject({ ok: true, different: [] });
  });
});

describe('anonymous evidence', () => {
  test('shows the same stand-in for a principal everywhere, and the name nowhere', async () => {
    verifies('LIB-17');
    const data = temporaryFolder();
    const evidence = { retentionDays: undefined, anonymous: true };
    const { library, machine, work, server, services, project } = await busy({ data, evidence });
    work(2, 1);
    await machine.send(server);
    const zoe = new Agent(services, callerNamed('zoe'));
    await zoe.setup('zoes-thread');
    await zoe.call('memory.submit', { summary: 'done' });
    const reviewer = callerNamed('rita', { scopes: ['read', 'write', 'review'] });
    const answers = await Promise.all([
      ...['rule', 'constraint', 'project', 'agent', 'model', 'day'].map((by) =>
        library.act(reviewer, reportUsage, { by }),
      ),
      library.act(reviewer, listAgentUsage, { project: project.id }),
      library.act(reviewer, listTurns, { project: project.id }),
      library.act(reviewer, readItemUsage, { project: project.id, id: 'coding/STYLE.md' }),
    ]);
    const text = JSON.stringify(answers);
    expect(['ulla', '"zoe"', '"owner"'].filter((name) => text.includes(name))).toEqual([]);
    expect(text).toContain('claude-code');
    const { agents } = (await library.act(reviewer, listAgentUsage, { project: project.id })) as {
      agents: { agent: string; is_person: boolean; referred: number }[];
    };
    const person = agents.find((row) => row.is_person && row.referred === 2)!.agent;
    expect(person).toMatch(/^person-[a-z2-9]{10}$/);
    const ask = async (agent: string) =>
      (await library.act(reviewer, reportUsage, { by: 'day', agent })).rows as { referred: number }[];
    expect(await ask(person)).toMatchObject([{ referred: 2 }]);
    expect(await ask('ulla')).toEqual([]);
    expect(readFileSync(join(data, 'evidence.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });
});

test('figures of one agent are its own, and those of a rule without constraints are there too', async () => {
  verifies('LIB-17');
  const { library, machine, work, server, project, style } = await busy();
  work(2, 1);
  await machine.send(server);
  const filter = { workspaces: [project.workspace_id], since: 0 };
  expect(agentUsage(library.database, { ...filter, agent: 'ulla' })).toMatchObject([
    { referred: 2, loaded: 0 },
  ]);
  expect(constraintUsage(library.database, { ...filter, agent: 'claude-code', fileId: style })).toMatchObject(
    [{ referred: 0, loaded: 2 }, ...[{}, {}, {}]],
  );
});
