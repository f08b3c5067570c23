import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { EVENT_VERSIONS, type EventMap, type EventOf, type EventType } from '@infold/protocol/events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { PROJECTIONS } from '../cli/services/projections.ts';
import { FORGOTTEN, type JournalEvent } from './journal.ts';
import { appendAsWritten, someone } from './journal-fixture.suite.ts';
import { Projector } from './projections/projector.ts';
import { digestsOf } from './projections/tables.ts';
import { SqliteJournal } from './sqlite.ts';
import { UPCASTERS, type WrittenEvent } from './upcast.ts';

const SESSION = 'session.acme=3Aada.proj_shop.sess_1';

let folder: string;
const journals: SqliteJournal[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'infold-upcast-'));
});
afterEach(async () => {
  await Promise.all(journals.splice(0).map((journal) => journal.close()));
  rmSync(folder, { recursive: true });
});

async function open(name = 'data'): Promise<SqliteJournal> {
  let now = 1_700_000_000_000;
  const journal = await SqliteJournal.open({
    folder: join(folder, name),
    projections: PROJECTIONS,
    limits: LIMITS,
    clock: () => (now += 1000),
  });
  journals.push(journal);
  return journal;
}

const write = (journal: SqliteJournal, stream: string, ...events: JournalEvent[]) =>
  journal.commit({ stream, actor: someone, decide: () => ({ events, answer: null }) });

const writtenAt = (journal: SqliteJournal, seq: number) =>
  JSON.parse(
    journal.database.get<{ data: string }>('SELECT data FROM journal_entry WHERE seq = ?', seq)!.data,
  ) as { events: WrittenEvent[] };

const branch = (more: Partial<EventMap['branch.created']> = {}): EventMap['branch.created'] => ({
  ...{ session_id: 'sess_1', branch_id: 'br_1', parent_id: null, project_id: 'proj_shop', depth: 1 },
  ...{ description: 'd', prompt: 'p', tokens: 1, budget: null, secrets: 0 },
  ...more,
});

describe('the catalogue', () => {
  test('has a step from each earlier version of a type to the next, and no other', () => {
    const needed = Object.entries(EVENT_VERSIONS).flatMap(([type, version]) =>
      Array.from({ length: version - 1 }, (_, index) => `${type} ${index + 1}`),
    );
    expect(UPCASTERS.map(({ type, from }) => `${type} ${from}`).sort()).toEqual(needed.sort());
    expect(needed.length).toBeGreaterThan(0);
  });
});

describe('an event', () => {
  test('is written with its version, which nobody who reads it sees; the first version is not written', async () => {
    const journal = await open();
    const started = { session_id: 'sess_1', org: 'acme', principal: 'ada', project_id: 'proj_shop' };
    const { entry } = await write(
      journal,
      SESSION,
      { type: 'session.started', data: { ...started, host_id: null } },
      { type: 'branch.created', data: branch() },
    );
    expect(writtenAt(journal, 1).events.map(({ type, version }) => [type, version])).toEqual([
      ['session.started', undefined],
      ['branch.created', EVENT_VERSIONS['branch.created']],
    ]);
    expect(entry!.events[1]).toEqual({ type: 'branch.created', data: branch() });
    expect(journal.entryAt(1)).toEqual(entry);
  });

  test('of an earlier version is read as one of today, wherever entries are read', async () => {
    verifies('KERN-04');
    const journal = await open();
    const { project_id: _, ...old } = branch();
    appendAsWritten(journal, SESSION, [{ type: 'branch.created', data: old }]);
    const today = { type: 'branch.created', data: branch() };
    expect(journal.entryAt(1)?.events).toEqual([today]);
    expect(journal.entriesAt([1])[0]?.events).toEqual([today]);
    expect(journal.entriesAfter(0, 1)[0]?.events).toEqual([today]);
    expect(journal.entriesOf(SESSION, 0, 1)[0]?.events).toEqual([today]);
    // What was written stays as it was, and is what is verified.
    expect(writtenAt(journal, 1).events).toEqual([{ type: 'branch.created', data: old }]);
    expect(await journal.verify()).toMatchObject({ ok: true, events: 1 });
  });

  test('of a later version than this program knows is refused, and still verifies', async () => {
    const journal = await open();
    const version = EVENT_VERSIONS['branch.created'] + 1;
    appendAsWritten(journal, SESSION, [{ type: 'branch.created', version, data: { shape: 'unknown' } }]);
    const refused = {
      code: 'storage_newer',
      message: `Entry 1 was written by a newer Infold (branch.created ${version}; this one supports ${version - 1}). Upgrade Infold`,
    };
    expect(() => journal.entryAt(1)).toThrow(expect.objectContaining(refused));
    await expect(journal.rebuild()).rejects.toMatchObject(refused);
    expect((await journal.verify()).ok).toBe(true);
  });

  test('that was forgotten keeps its version where it is kept, however often it is forgotten', async () => {
    verifies('KERN-04');
    const journal = await open();
    const { project_id: _, ...old } = branch({ description: '[forgotten]' });
    const oldEvent: WrittenEvent = { type: 'branch.created', data: old };
    appendAsWritten(journal, SESSION, [oldEvent]);
    appendAsWritten(journal, SESSION, [oldEvent]);
    const target = { kind: 'branch', id: 'br_1' };
    // A forgetting of an earlier version holds events of an earlier version.
    const forgotten = { type: FORGOTTEN, data: { target, entries: [{ seq: 1, events: [oldEvent] }] } };
    appendAsWritten(journal, 'access.acme', [forgotten], [1]);
    const today: EventOf<'branch.created'> = {
      type: 'branch.created',
      data: branch({ description: '[forgotten]' }),
    };
    expect(journal.entryAt(1)).toMatchObject({ events: [today], erased: true });
    const read = journal.entryAt(3)!.events;
    expect(read).toMatchObject([{ data: { entries: [{ seq: 1, events: [today] }] } }]);

    // One of today erases the second entry, and the forgetting itself.
    const entries = [
      { seq: 2, events: [today] },
      { seq: 3, events: read as EventOf<EventType>[] },
    ];
    const events: JournalEvent[] = [{ type: FORGOTTEN, data: { target, entries } }];
    const erase = { events, answer: null, erase: [2, 3] };
    await journal.commit({ stream: 'access.acme', actor: someone, decide: () => erase });
    expect(JSON.stringify(writtenAt(journal, 4)).match(/"version":2/g)).toHaveLength(2);
    for (const seq of [1, 2]) expect(journal.entryAt(seq)).toMatchObject({ events: [today], erased: true });
    expect(journal.entryAt(4)?.events).toEqual(events);
    expect(await journal.verify()).toMatchObject({ ok: true, erased: 3 });
  });
});

/** One event in both shapes. `old` is made from the new one by taking away what earlier versions did not have. */
interface Twin {
  stream: string;
  old: WrittenEvent;
  now: JournalEvent;
}

function twin<Type extends EventType>(
  stream: string,
  type: Type,
  data: EventMap[Type],
  before: (data: EventMap[Type]) => object = (same) => same,
): Twin {
  return { stream, old: { type, data: before(data) }, now: { type, data } as JournalEvent };
}

const POD = { org: 'acme', pod: 'room' };
const WORKSPACE = 'ws-1';
const began = twin(SESSION, 'session.started', {
  ...{ session_id: 'sess_1', org: 'acme', principal: 'ada', project_id: 'proj_shop', host_id: null },
});
const added = twin('access.acme', 'project.added', {
  ...{ id: 'proj_shop', org: 'acme', name: 'shop', path: '/shop', hash: 'h', workspace_id: WORKSPACE },
});
const setUp = twin(
  SESSION,
  'attest.setup',
  {
    ...{ session_id: 'sess_1', workspace_id: WORKSPACE, project_id: 'proj_shop', mpf_hash: null },
    ...{ mpf_changed: true, drafts: false },
  },
  ({ drafts: _, ...old }) => old,
);

let serial = 0;
const twins = fc.oneof(
  fc
    .record({ tokens: fc.nat(1000), depth: fc.integer({ min: 1, max: 8 }) })
    .map((more) =>
      twin(
        SESSION,
        'branch.created',
        branch({ ...more, branch_id: `br_${++serial}` }),
        ({ project_id: _, ...old }) => old,
      ),
    ),
  fc.constant(setUp),
  fc.constantFrom('full', 'off', null, undefined).map((level) =>
    twin(
      'access.acme',
      'project.configured',
      {
        ...{ id: 'proj_shop', org: 'acme' },
        settings: level === undefined ? { rememberContexts: true } : { mirrorBranches: level },
      },
      ({ settings, ...old }) => ({
        ...old,
        settings:
          typeof settings.mirrorBranches === 'string'
            ? { ...settings, mirrorBranches: settings.mirrorBranches === 'full' }
            : settings,
      }),
    ),
  ),
  fc
    .constantFrom('draft_1', 'draft_2')
    .map((draft_id) =>
      twin(
        `library.${WORKSPACE}`,
        'draft.submitted',
        { draft_id, workspace_id: WORKSPACE, session_id: null, path: '' },
        ({ session_id: _session, path: _path, ...old }) => old,
      ),
    ),
  fc
    .string()
    .map((message) =>
      twin(
        'pod.acme.room',
        'envelope.refused',
        { ...POD, id: `m_${++serial}`, from: 'ada', error: 'depth_limit', message, details: {} },
        ({ details: _, ...old }) => old,
      ),
    ),
  fc.integer({ min: 1, max: 9 }).map((seq) =>
    twin(
      'pod.acme.room',
      'envelope.expired',
      { accepted: { ...POD, seq, at: 1000 * seq, epoch: null } },
      ({ accepted }) => {
        const { epoch: _, ...old } = accepted!;
        return { accepted: old };
      },
    ),
  ),
);

const projector = new Projector(PROJECTIONS);

test('old events give the same tables as the events that they are read as', async () => {
  verifies('KERN-04');
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(twins, { minLength: 1, maxLength: 30 }), async (chosen) => {
      const all = [added, began, ...chosen];
      const [before, now] = [await open(`old-${++round}`), await open(`new-${round}`)];
      for (const { stream, old } of all) appendAsWritten(before, stream, [old]);
      await before.rebuild();
      for (const event of all) await write(now, event.stream, event.now);
      const [then, today] = [
        await digestsOf(before.database, projector),
        await digestsOf(now.database, projector),
      ];
      expect(then).toEqual(today);
      expect(before.entriesAfter(0, 99).map(({ events }) => events)).toEqual(
        now.entriesAfter(0, 99).map(({ events }) => events),
      );
      await Promise.all(journals.splice(0).map((journal) => journal.close()));
    }),
    { numRuns: 20 },
  );
});
