import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import { until } from '../../journal/journal-fixture.suite.ts';
import type { SqliteJournal } from '../../journal/sqlite.ts';
import { callerNamed, openTestJournal } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { addNamedProject, configureProject } from '../../trust/identity/commands.ts';
import { accessStream } from '../../trust/streams.ts';
import type { ContextConcluded } from '../events.ts';
import { expectRebuildToAgree, type TestGateway, tablesOf, testGateway } from '../fixture.suite.ts';

const IDLE = 200;
const DAY = 24 * 3_600_000;

function concluded({ journal }: Pick<TestGateway, 'journal'>): ContextConcluded[] {
  return journal
    .entriesAfter(0, 10_000)
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'context.concluded')
    .map(({ data }) => data as ContextConcluded);
}

/** Says it and lets the context conclude. */
async function reason(gateway: TestGateway, who: string, id: string, messages: object[], more: object = {}) {
  const before = concluded(gateway).length;
  const member = gateway.join(who, more);
  for (const [index, message] of messages.entries()) {
    member.say({ id: `${id}-${before}-${index}`, context: { id, type: 'reasoning' }, ...message });
  }
  await gateway.gateway.flushed();
  gateway.clock.advance(IDLE + 1);
  await until(() => concluded(gateway).length > before);
  return member;
}

const memory = (journal: SqliteJournal) =>
  journal.database.all<{ id: string; content: string; scope: string; project_id: string; origin: string }>(
    `SELECT i.id, i.content, i.origin, p.scope, p.project_id FROM memory_item AS i
     JOIN memory_partition AS p ON p.number = i.partition ORDER BY i.row`,
  );

async function addProject(journal: SqliteJournal, remember: boolean | null) {
  const commit = { stream: accessStream('local'), actor: localOwner.actor };
  const { answer } = await journal.commit({
    ...commit,
    decide: (database) => addNamedProject(database, 'local', 'shop', null),
  });
  await journal.commit({
    ...commit,
    decide: (database) => configureProject(database, 'local', answer.id, { rememberContexts: remember }),
  });
  return answer.id;
}

describe('a context that concludes', () => {
  test('is announced with what it came to', async () => {
    verifies('SUB-11', 'SUB-03');
    const gateway = await testGateway({ idleMs: IDLE });
    const bob = gateway.join('bob');
    await reason(gateway, 'alice', 'r', [
      { kind: 'reflection', payload: { thought: 'Does the import drop the last line?' } },
      { kind: 'conclusion', payload: { conclusion: 'The import drops the last line without a newline' } },
      { kind: 'chat', payload: { text: 'That was it' } },
    ]);
    const summary = 'The import drops the last line without a newline';
    await until(() =>
      bob.wire.envelopes.some(({ payload }) => (payload as { event?: string }).event === 'concluded'),
    );
    expect(bob.wire.envelopes.at(-1)).toMatchObject({
      kind: 'system/context',
      payload: { event: 'concluded', id: 'r', messages: 3, summary },
    });
    expect(concluded(gateway)).toMatchObject([{ id: 'r', summary, sources: [2], principals: ['alice'] }]);
    await expectRebuildToAgree(gateway.journal);
  });

  test('leaves no secret in its summary, wherever it was said', async () => {
    verifies('SUB-11', 'KERN-12');
    const secret = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
    for (const history of ['durable', 'memory'] as const) {
      const gateway = await testGateway({ idleMs: IDLE, history });
      const alice = gateway.join('alice');
      alice.say({
        id: 'm',
        kind: 'conclusion',
        context: { id: 'r' },
        payload: { conclusion: `It works with the token ${secret} alone` },
      });
      await gateway.gateway.flushed();
      gateway.clock.advance(IDLE + 1);
      const end = () =>
        alice.wire.envelopes.find(({ payload }) => (payload as { event?: string }).event === 'concluded');
      await until(() => end() !== undefined);
      expect(JSON.stringify(end())).toContain('It works with the token [REDACTED');
      expect(JSON.stringify(end())).not.toContain(secret);
      expect(JSON.stringify(concluded(gateway))).not.toContain(secret);
    }
  });

  test('is remembered where its pod asks for it, and nowhere else', async () => {
    verifies('SUB-11');
    const thought = (text: string) => [{ kind: 'conclusion', payload: { conclusion: text } }];
    const gateway = await testGateway({
      idleMs: IDLE,
      remember: ['lounge'],
      templates: { secret: { remember: false }, reasoning: {} },
    });
    const project = await addProject(gateway.journal, true);
    await reason(gateway, 'alice', 'a', thought('Prices are in cents'), { pod: project });
    await reason(gateway, 'alice', 'b', thought('Lunch is at noon'), { pod: 'lounge' });
    await reason(gateway, 'alice', 'c', thought('Nobody needs this'), { pod: 'other' });
    const hidden = gateway.join('alice', { pod: project });
    hidden.say({ id: 's', context: { id: 's', type: 'secret' }, ...thought('Not for later')[0] });
    await gateway.gateway.flushed();
    gateway.clock.advance(IDLE + 1);
    await until(() => concluded(gateway).length === 4);
    expect(memory(gateway.journal)).toEqual([
      {
        id: expect.stringMatching(/^ctx_/),
        content: 'Prices are in cents',
        origin: 'gateway',
        scope: 'project',
        project_id: project,
      },
      {
        id: expect.stringMatching(/^ctx_/),
        content: 'Lunch is at noon',
        origin: 'gateway',
        scope: 'organisation',
        project_id: '',
      },
    ]);
    await expectRebuildToAgree(gateway.journal);
  });

  test('that goes on and concludes again is remembered as it is then', async () => {
    const gateway = await testGateway({ idleMs: IDLE, remember: true });
    const say = (conclusion: string) => [{ kind: 'conclusion', payload: { conclusion } }];
    await reason(gateway, 'alice', 'r', say('It is the cache'));
    await reason(gateway, 'bob', 'r', say('It was the clock'));
    expect(memory(gateway.journal).map(({ content }) => content)).toEqual(['It was the clock']);
    expect(concluded(gateway).map(({ principals }) => principals)).toEqual([['alice'], ['bob']]);
    // What is left of the first conclusion concerns nobody who reads now.
    await forget(gateway.journal, localOwner, { kind: 'principal', id: 'alice', org: 'local' }, FORGETTERS);
    expect(memory(gateway.journal).map(({ content }) => content)).toEqual(['It was the clock']);
    await expectRebuildToAgree(gateway.journal);
  });

  test('is forgotten with who said it, in memory too', async () => {
    const gateway = await testGateway({ idleMs: IDLE, remember: true });
    await reason(gateway, 'alice', 'r', [
      { kind: 'conclusion', payload: { conclusion: 'Zanzibar is the password hint' } },
    ]);
    await reason(gateway, 'bob', 's', [{ kind: 'conclusion', payload: { conclusion: 'Nothing to see' } }]);
    await forget(gateway.journal, localOwner, { kind: 'principal', id: 'alice', org: 'local' }, FORGETTERS);
    expect(memory(gateway.journal).map(({ content }) => content)).toEqual(['Nothing to see']);
    const all = JSON.stringify(gateway.journal.entriesAfter(0, 1000)) + tablesOf(gateway.journal);
    expect(all).not.toContain('Zanzibar');
    expect(all).toContain('Nothing to see');
    await expectRebuildToAgree(gateway.journal);
  });

  test('was left behind by a process that does not serve, and is concluded by one that does', async () => {
    const settings = { idleMs: IDLE, remember: true };
    const guest = await testGateway(settings, {}, { serves: false });
    const { clock } = guest;
    const say = (id: string) =>
      guest.gateway.say('p', callerNamed('alice'), 'alice', {
        id,
        kind: 'conclusion',
        context: { id },
        payload: { conclusion: `The ${id} one` },
      });
    expect(await say('first')).toMatchObject({ seq: 1 });
    const journal = await openTestJournal(clock, dirname(guest.journal.database.path));
    await testGateway(settings, {}, { journal, clock });
    await new Promise((resolve) => setTimeout(resolve, 300));
    clock.advance(IDLE + 1);
    await until(() => concluded(guest).length === 1);
    expect(await say('second')).toMatchObject({ seq: 2 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    clock.advance(IDLE + 1);
    await until(() => concluded(guest).length === 2);
    expect(memory(guest.journal).map(({ content }) => content)).toEqual(['The first one', 'The second one']);
  });

  test('is forgotten as an item of memory, with what it came to before', async () => {
    const gateway = await testGateway({ idleMs: IDLE, remember: true });
    const say = (conclusion: string) => [{ kind: 'note', payload: { text: conclusion } }];
    await reason(gateway, 'alice', 'r', say('Wombat first'));
    await reason(gateway, 'alice', 'r', say('Wombat second'));
    const [item] = memory(gateway.journal);
    const target = { kind: 'item', id: item!.id, org: 'local' } as const;
    expect(await forget(gateway.journal, localOwner, target, FORGETTERS)).toEqual({ entries: 2 });
    expect(memory(gateway.journal)).toEqual([]);
    expect(JSON.stringify(concluded(gateway))).not.toContain('Wombat');
    await expectRebuildToAgree(gateway.journal);
    await expect(forget(gateway.journal, localOwner, target, FORGETTERS)).resolves.toEqual({ entries: 0 });
  });

  test('keeps what is remembered when history is trimmed, and loses the rest', async () => {
    verifies('SUB-09', 'SUB-11');
    const gateway = await testGateway({ idleMs: IDLE, remember: ['kept'], history: { days: 1 } });
    const say = (conclusion: string) => [
      { kind: 'conclusion', payload: { conclusion } },
      { kind: 'chat', context: undefined, payload: { text: 'and outside of it' } },
    ];
    await reason(gateway, 'alice', 'a', say('The kept one'), { pod: 'kept' });
    await reason(gateway, 'alice', 'b', say('The other one'), { pod: 'gone' });
    gateway.clock.advance(2 * DAY);
    await until(async () => {
      await gateway.gateway.trim();
      return gateway.journal.database.all('SELECT 1 FROM gateway_pod WHERE trimmed > 0').length === 2;
    });
    expect(memory(gateway.journal).map(({ content }) => content)).toEqual(['The kept one']);
    const summaries = gateway.journal.database.all('SELECT id, summary FROM gateway_context ORDER BY id');
    expect(summaries).toEqual([
      { id: 'a', summary: 'The kept one' },
      { id: 'b', summary: '[expired]' },
    ]);
    expect(JSON.stringify(gateway.journal.entriesAfter(0, 1000))).not.toContain('The other one');
    await expectRebuildToAgree(gateway.journal);
  });
});
