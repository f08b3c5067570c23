import type { JournalEntry } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { callsOf } from '../../cli/services/calls.ts';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import type { Services } from '../../cli/services/services.ts';
import { listSessionEntries } from '../../fold/actions/list-session-entries.ts';
import { Agent, PROJECT, startServer, words } from '../../fold/fixture.suite.ts';
import { branchById, listBranches } from '../../fold/queries.ts';
import { until } from '../../journal/journal-fixture.suite.ts';
import {
  callerNamed,
  type MovableClock,
  movableClock,
  temporaryFolder,
} from '../../testing/fixtures.suite.ts';
import { countedTime, growthByTurn } from '../../testing/turns.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { configureProject } from '../../trust/identity/commands.ts';
import type { MirrorLevel } from '../../trust/identity/events.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { accessStream } from '../../trust/streams.ts';
import type { EnvelopeAccepted } from '../events.ts';
import { expectRebuildToAgree, TestWire, tablesOf } from '../fixture.suite.ts';
import { EVERYTHING } from '../pod/filter.ts';
import { Pod } from '../pod/pod.ts';
import { contextRows, podByName } from '../queries.ts';

const POD_TOOLS = ['fold', 'gateway'] as const;

interface Settings {
  gateway?: Record<string, unknown>;
  clock?: MovableClock;
  folder?: string;
}

/** A server whose branches are told in the pod of their project, and a watcher there. */
async function start({
  gateway: settings = { mirrorBranches: 'full' },
  clock = movableClock(),
  folder = temporaryFolder(),
}: Settings = {}) {
  const { services, agent } = await startServer(
    { gateway: settings, toolsets: [...POD_TOOLS] },
    clock,
    folder,
  );
  const pod = resolveProject(services.journal.database, localOwner, PROJECT).id;
  const gateway = services.openGateway(true);
  onTestFinished(() => services.settle());
  const wire = new TestWire();
  const caller = callerNamed('watcher');
  gateway.join(pod, {
    caller,
    participant: 'watcher',
    wire,
    filter: EVERYTHING,
    since: undefined,
    epoch: undefined,
  });
  const contexts = async () => {
    await gateway.flushed();
    const row = podByName(services.journal.database, 'local', pod);
    return row ? contextRows(services.journal.database, row.id, 1000) : [];
  };
  const context = async (id: string) => (await contexts()).find((one) => one.id === id);
  return { services, agent, gateway, pod, wire, contexts, context, clock, folder };
}

function envelopes({ journal }: Services): EnvelopeAccepted[] {
  return journal
    .entriesAfter(0, 100_000)
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'envelope.accepted')
    .map(({ data }) => data as EnvelopeAccepted);
}

async function mirror(services: Services, pod: string, mirrorBranches: MirrorLevel | null) {
  await services.journal.commit({
    stream: accessStream('local'),
    actor: localOwner.actor,
    decide: (database) => configureProject(database, 'local', pod, { mirrorBranches }),
  });
}

describe('a branch', () => {
  test('is a context of its project’s pod, with its operations, its figures and its end', async () => {
    verifies('SUB-13');
    const { agent, wire, context, pod } = await start();
    const outer = await agent.branch('Find the slow query', words(7));
    await agent.spend(100, outer.branch_id);
    const inner = await agent.branch('Read the plan', words(3));
    await agent.report([
      {
        tool: 'Read',
        input: { path: '/plan.txt' },
        output: 'Seq scan on orders',
        branch_id: inner.branch_id,
      },
    ]);
    await agent.fold('The plan scans orders', inner.branch_id);
    await until(() => wire.said.length >= 6);
    expect(wire.said.map(({ kind, context }) => [kind, context?.id, context?.parent])).toEqual([
      ['fold/branch', outer.branch_id, undefined],
      ['fold/operation', outer.branch_id, undefined],
      ['fold/branch', inner.branch_id, outer.branch_id],
      ['fold/operation', inner.branch_id, undefined],
      ['conclusion', inner.branch_id, undefined],
      ['fold/return', outer.branch_id, undefined],
    ]);
    expect(wire.said[3]!.payload).toMatchObject({ tool: 'Read', output: 'Seq scan on orders' });
    expect(wire.said[4]!.payload).toMatchObject({ summary: 'The plan scans orders' });
    expect(wire.said[5]).toMatchObject({ correlation_id: inner.branch_id, from: 'owner' });
    expect(new Set(wire.said.map((envelope) => envelope.context?.type))).toEqual(new Set(['branch']));
    await until(async () => (await context(inner.branch_id))?.state === 'concluded');
    expect(await context(inner.branch_id)).toMatchObject({
      parent: outer.branch_id,
      messages: 3,
      summary: 'The plan scans orders',
    });
    const { database } = agent.services.journal;
    for (const id of [outer.branch_id, inner.branch_id]) {
      expect((await context(id))!.tokens).toBe(branchById(database, id)!.tokens);
    }
    await agent.fold('An index on orders is missing');
    expect(wire.said.at(-1)).toMatchObject({ kind: 'fold/return', correlation_id: outer.branch_id });
    expect(wire.said.at(-1)!.context).toBeUndefined();
    expect(JSON.parse((await context(outer.branch_id))!.metadata!)).toMatchObject({
      session_id: outer.session_id,
      description: 'Find the slow query',
    });
    expect(pod).toMatch(/^proj_/);
    await agent.services.openGateway().flushed();
    await expectRebuildToAgree(agent.services.journal as never);
  });

  test('and its context have the same tokens, whatever is done to the tree', async () => {
    verifies('SUB-13', 'KERN-04');
    const step = fc.oneof(
      fc.record({ do: fc.constant('branch' as const), tokens: fc.integer({ min: 1, max: 20 }) }),
      fc.record({
        do: fc.constant('operate' as const),
        tokens: fc.nat({ max: 300 }),
        on: fc.nat({ max: 5 }),
      }),
      fc.record({
        do: fc.constant('say' as const),
        tokens: fc.integer({ min: 1, max: 30 }),
        on: fc.nat({ max: 5 }),
      }),
      fc.record({
        do: fc.constant('fold' as const),
        tokens: fc.integer({ min: 1, max: 20 }),
        on: fc.nat({ max: 5 }),
      }),
      fc.record({ do: fc.constant('rollback' as const), on: fc.nat({ max: 9 }), restore: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const { agent, gateway, contexts, pod, services } = await start();
        const { database } = services.journal;
        let session: string | undefined;
        const all = () => (session === undefined ? [] : listBranches(database, session));
        for (const one of steps) {
          const open = all().filter(({ status }) => status === 'active');
          if (one.do === 'branch') {
            if (open.length < 8) session = (await agent.branch('b', words(one.tokens))).session_id;
            continue;
          }
          if (one.do === 'rollback') {
            const branch = all().filter(({ status }) => status !== 'discarded')[one.on];
            if (branch) await agent.rollback(branch.id, one.restore);
            continue;
          }
          const branch = open[one.on % Math.max(1, open.length)];
          if (!branch) continue;
          if (one.do === 'operate') await agent.spend(one.tokens, branch.id);
          else if (one.do === 'fold') await agent.fold(words(one.tokens), branch.id);
          else await agent.call('pod_send', { pod, text: words(one.tokens), context: { id: branch.id } });
        }
        await gateway.flushed();
        const found = new Map((await contexts()).map((row) => [row.id, row]));
        for (const branch of all()) {
          expect([branch.id, found.get(branch.id)?.tokens]).toEqual([branch.id, branch.tokens]);
          expect(found.get(branch.id)?.parent ?? null).toBe(branch.parent_id);
        }
        await expectRebuildToAgree(services.journal as never);
        await services.settle();
      }),
      { numRuns: runs(25) },
    );
  });

  test('is not told again what was told of it, and what was said in its context is not told back', async () => {
    verifies('SUB-13');
    const { agent, services, pod, context, gateway, wire } = await start();
    const { branch_id } = await agent.branch('b', words(2));
    for (let turn = 0; turn < 5; turn++) {
      await agent.call('pod_send', {
        pod,
        kind: 'reflection',
        text: 'thinking aloud',
        context: { id: branch_id },
      });
      await agent.call('pod_read', { pod });
    }
    await gateway.flushed();
    // One branch, five thoughts, five readings of which only the fact is told.
    expect(wire.said.map(({ kind }) => kind).sort()).toEqual([
      'fold/branch',
      ...Array(5).fill('fold/operation'),
      ...Array(5).fill('reflection'),
    ]);
    for (const { kind, payload } of wire.said) {
      if (kind === 'fold/operation')
        expect(Object.keys(payload as object).sort()).toEqual(['source', 'tokens', 'tool']);
    }
    const branch = branchById(services.journal.database, branch_id)!;
    expect(branch.operations).toBe(10);
    expect((await context(branch_id))!.tokens).toBe(branch.tokens);
    const causes = services.journal
      .entriesAfter(0, 1000)
      .filter(({ stream }) => stream.startsWith('session.'));
    expect(causes.every(({ cause }) => cause === null)).toBe(true);
  });

  test('counts what its own agent says in its context, and nothing that others say there', async () => {
    verifies('SUB-13');
    const { agent, services, gateway, pod, context } = await start();
    const { branch_id } = await agent.branch('b', words(2));
    const tokens = () => branchById(services.journal.database, branch_id)!.tokens;
    await agent.call('pod_send', { pod, text: words(10), context: { id: branch_id } });
    expect(tokens()).toBe(12);
    const envelope = (id: string, context: { id: string }) => ({
      id,
      kind: 'chat',
      context,
      payload: { text: words(50) },
    });
    await gateway.say(pod, callerNamed('mallory'), 'mallory', envelope('m-1', { id: branch_id }));
    await gateway.say('elsewhere', localOwner, 'owner', envelope('m-2', { id: branch_id }));
    expect(tokens()).toBe(12);
    expect((await context(branch_id))!.messages).toBe(3);
    await agent.fold('done');
    await gateway.say(pod, localOwner, 'owner', envelope('m-3', { id: branch_id }));
    expect(tokens()).toBe(12);
    expect(envelopes(services).filter(({ operation_of }) => operation_of)).toHaveLength(1);
  });

  test.each([1, 2, 1000])(
    'is told with its session what its agent said, %i entries at a time',
    async (limit) => {
      verifies('SUB-13', 'CON-03');
      const { agent, services, pod } = await start();
      const { branch_id, session_id } = await agent.branch('b', words(2));
      await agent.call('pod_send', { pod, text: words(10), context: { id: branch_id } });
      await agent.spend(5);
      await agent.call('pod_send', { pod, text: words(20), context: { id: branch_id } });
      await agent.call('pod_send', { pod, text: 'to everybody' });
      const list = callsOf(services, localOwner);
      const told: JournalEntry[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = { id: session_id, limit, ...(cursor !== undefined && { cursor }) };
        const answer: { entries: JournalEntry[]; next: string | null } = await list(listSessionEntries, page);
        told.push(...answer.entries);
        cursor = answer.next;
      }
      const seqs = told.map(({ seq }) => seq);
      expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
      const said = told.flatMap(({ kind, events }) => (kind === 'pod' ? events : []));
      expect(said.map(({ data }) => (data as EnvelopeAccepted).tokens)).toEqual([10, 20]);
      expect(told.filter(({ session_id: id }) => id === session_id)).toHaveLength(told.length - 2);
    },
  );

  test('keeps what its agent said in its archive, by handle too', async () => {
    const { agent, pod } = await start();
    const { branch_id } = await agent.branch('b', words(2));
    await agent.call('pod_send', {
      pod,
      kind: 'reflection',
      text: 'the cache is cold',
      context: { id: branch_id },
    });
    const { items } = await agent.call<{ items: { type: string; handle: string; tool: string }[] }>(
      'context_expand',
      { handle: branch_id },
    );
    const said = items.find(({ type }) => type === 'operation')!;
    expect(said).toMatchObject({
      tool: 'pod_send',
      input: { kind: 'reflection', payload: { text: 'the cache is cold' } },
    });
    const one = await agent.call<{ items: unknown[] }>('context_expand', { handle: said.handle });
    expect(JSON.stringify(one.items)).toContain('the cache is cold');
    // What the branch held and the summary leaves out is looked for there too.
    await agent.call('pod_send', { pod, text: 'see /srv/cache/warm.sh', context: { id: branch_id } });
    const folded = await agent.fold('nothing');
    expect(folded.dropped).toContainEqual({ kind: 'path', text: '/srv/cache/warm.sh' });
  });

  test('is shown by what it is about, used and came to, unless its project shares more or nothing', async () => {
    verifies('SUB-13');
    const { services, wire, pod, contexts } = await start({ gateway: {} });
    const alice = new Agent(services, callerNamed('alice', { tokenId: 'tok_1' }));
    const work = async (name: string) => {
      const { branch_id, session_id } = await alice.branch(`About ${name}`, `Prompt of ${name}`);
      const [input, output] = [{ path: `Input of ${name}` }, `Output of ${name}`];
      await alice.report([{ tool: 'Read', input, output, branch_id }]);
      await alice.fold(`Summary of ${name}`, branch_id);
      return session_id;
    };
    const session = await work('one');
    await until(() => wire.said.length === 4);
    const told = JSON.stringify([wire.envelopes, await contexts()]);
    for (const shared of ['About one', 'Summary of one', '"tool":"Read"']) expect(told).toContain(shared);
    for (const own of ['Prompt of', 'Input of', 'Output of', 'alice', session])
      expect(told).not.toContain(own);
    await mirror(services, pod, 'full');
    await work('two');
    await until(() => wire.said.length === 8);
    const all = JSON.stringify(wire.said.slice(4));
    for (const own of ['Prompt of', 'Input of', 'Output of', 'alice', session]) expect(all).toContain(own);
    await mirror(services, pod, 'off');
    await new Agent(services).branch('of the owner', words(2));
    expect(wire.said).toHaveLength(8);
  });

  test('is shown by the configuration where the project says nothing', async () => {
    const { agent, wire, services } = await start({ gateway: { mirrorBranches: false } });
    await agent.branch('b', words(2));
    expect(wire.said).toEqual([]);
    await services.settle();
    const open = await start({ gateway: { mirrorBranches: true } });
    await new Agent(open.services, callerNamed('alice', { tokenId: 'tok_1' })).branch('b', words(2));
    expect(open.wire.said).toHaveLength(1);
  });

  test('that works for another project than its session is told in that one’s pod', async () => {
    verifies('SUB-13');
    const { services, agent, gateway, pod, context } = await start();
    const outer = await agent.branch('here', words(2));
    const inner = await agent.branch('there', words(3), { project_path: '/work-of/alice/other' });
    await agent.fold('done there');
    await gateway.flushed();
    const other = resolveProject(services.journal.database, localOwner, '/work-of/alice/other').id;
    const told = envelopes(services).map(({ pod: where, envelope }) => [where, envelope.kind]);
    expect(told).toEqual([
      [pod, 'fold/branch'],
      [other, 'fold/branch'],
      [other, 'conclusion'],
      [pod, 'fold/return'],
    ]);
    const [, begun] = envelopes(services);
    expect(begun!.envelope.context).toMatchObject({
      id: inner.branch_id,
      metadata: { parent_branch_id: outer.branch_id },
    });
    expect(begun!.envelope.context).not.toHaveProperty('parent');
    expect(await context(inner.branch_id)).toBeUndefined();
    expect((await context(outer.branch_id))!.tokens).toBe(
      branchById(services.journal.database, outer.branch_id)!.tokens,
    );
  });

  test('that was made while nobody told it is told later, once', async () => {
    verifies('SUB-13');
    const [clock, folder] = [movableClock(), temporaryFolder()];
    const quiet = await startServer({ toolsets: [...POD_TOOLS] }, clock, folder);
    const { branch_id, session_id } = await quiet.agent.branch('early', words(2));
    for (let operation = 0; operation < 250; operation++) await quiet.agent.spend(1, branch_id);
    await quiet.services.settle();
    const first = await start({ clock, folder });
    await until(() => envelopes(first.services).length === 251);
    expect((await first.context(branch_id))!.tokens).toBe(252);
    await first.agent.call('context_return', { message: 'done', branch_id, session_id });
    await first.services.settle();
    const second = await start({ clock, folder });
    await new Promise((resolve) => setTimeout(resolve, 400));
    await second.agent.branch('late', words(2));
    await second.gateway.flushed();
    expect(envelopes(second.services)).toHaveLength(254);
    expect(new Set(envelopes(second.services).map(({ envelope }) => envelope.id)).size).toBe(254);
  });

  test('that has much to be told is told bit by bit', async () => {
    const [clock, folder] = [movableClock(), temporaryFolder()];
    const quiet = await startServer({ toolsets: [...POD_TOOLS] }, clock, folder);
    const { branch_id } = await quiet.agent.branch('early', words(2));
    for (let operation = 0; operation < 250; operation++) await quiet.agent.spend(1, branch_id);
    await quiet.services.settle();
    countedTime();
    const told = vi.spyOn(Pod.prototype, 'mirror');
    onTestFinished(() => told.mockRestore());
    const { most } = await growthByTurn(
      () => told.mock.calls.length,
      async () => {
        const { services } = await start({ clock, folder });
        await until(() => envelopes(services).length === 251);
      },
    );
    expect(told).toHaveBeenCalledTimes(251);
    expect(most).toBeLessThanOrEqual(20);
  });

  test('whose entry was told by half is told whole, and what was heard is not repeated', async () => {
    const [clock, folder] = [movableClock(), temporaryFolder()];
    const quiet = await startServer({ toolsets: [...POD_TOOLS] }, clock, folder);
    const { branch_id } = await quiet.agent.branch('early', words(2));
    await quiet.agent.report(
      Array.from({ length: 300 }, (_, index) => ({ tool: `T${index}`, tokens: 1, branch_id })),
    );
    const { journal } = quiet.services;
    const [begun, reported] = journal
      .entriesAfter(0, 100)
      .filter(({ stream }) => stream.startsWith('session.'))
      .slice(-2);
    // As a server leaves it that dies between two writes.
    const gateway = quiet.services.openGateway(true);
    onTestFinished(() => quiet.services.settle());
    await until(async () => {
      await gateway.flushed();
      return envelopes(quiet.services).length === 301;
    });
    const told = envelopes(quiet.services);
    expect(told[0]!.mirrors).toMatchObject({ through: begun!.seq });
    expect(told[1]!.mirrors).toMatchObject({ through: reported!.seq - 1 });
    expect(told.at(-1)!.mirrors).toMatchObject({ through: reported!.seq });
    journal.database.run('UPDATE gateway_mirrored SET through = ?', reported!.seq - 1);
    await quiet.services.settle();
    const again = await start({ clock, folder });
    await new Promise((resolve) => setTimeout(resolve, 400));
    await again.gateway.flushed();
    expect(envelopes(again.services)).toHaveLength(301);
  });

  test('and its session are forgotten in the pod too', async () => {
    const { agent, services, pod, gateway } = await start();
    const first = await agent.branch('Zanzibar', 'Zanzibar prompt');
    await agent.call('pod_send', { pod, text: 'Zanzibar thought', context: { id: first.branch_id } });
    await agent.fold('Zanzibar summary');
    const second = await agent.branch('Quito', 'Quito prompt');
    await gateway.flushed();
    await until(async () => tablesOf(services.journal as never).includes('"concluded"'));
    await gateway.flushed();
    const everything = () =>
      JSON.stringify(services.journal.entriesAfter(0, 1000)) + tablesOf(services.journal as never);
    expect(everything()).toContain('Zanzibar');
    await forget(
      services.journal,
      localOwner,
      { kind: 'branch', id: first.branch_id, org: 'local' },
      FORGETTERS,
    );
    const late = new TestWire();
    const caller = callerNamed('late');
    gateway.join(pod, {
      caller,
      participant: 'late',
      wire: late,
      filter: EVERYTHING,
      since: 0,
      epoch: undefined,
    });
    await until(() => late.said.length === 5);
    expect(JSON.stringify(late.said)).not.toContain('Zanzibar');
    expect(everything()).not.toContain('Zanzibar');
    expect(everything()).toContain('Quito');
    await expectRebuildToAgree(services.journal as never);
    await forget(
      services.journal,
      localOwner,
      { kind: 'session', id: second.session_id, org: 'local' },
      FORGETTERS,
    );
    expect(everything()).not.toContain('Quito');
    await expectRebuildToAgree(services.journal as never);
  });
});
