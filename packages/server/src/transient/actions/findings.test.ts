import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import type { CallResult } from '../../mcp/tools/call.ts';
import { callerNamed, HOUR } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { sweepSessions } from '../../trust/sessions/sweep.ts';
import type { FindingsStored } from '../events.ts';
import { contextOf, noticesOf, Reader, type Started, startServer } from '../fixture.suite.ts';
import { transientForgetter } from '../forget.ts';

interface Stored {
  stored: number;
  ids: string[];
  expires_at: string | null;
}
interface Recalled {
  findings: { id: string; finding: string; category: string | null; metadata: unknown; match?: number }[];
  total: number;
}

const store = (reader: Reader, findings: unknown[], more: Record<string, unknown> = {}) =>
  reader.result('store_analysis_memory', { analysis_id: 'review', findings, ...more });
const recall = (reader: Reader, input: Record<string, unknown> = { analysis_id: 'review' }) =>
  reader.call<Recalled>('recall_analysis_memories', input);
const eventsOf = ({ services }: Started): FindingsStored[] =>
  services.journal
    .entriesAfter(0, 1000)
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'finding.stored')
    .map(({ data }) => data as FindingsStored);

const consumed = (result: CallResult) => result._meta?.['infold/consumes'];

const THREE = [
  { finding: '3 activities to Web Dev', category: 'gap', metadata: { ids: [72, 75] } },
  { finding: 'The importer drops empty cells', category: 'gap' },
  { finding: 'All dates are UTC' },
];

describe('store_analysis_memory', () => {
  test('stores findings, says so, and signals that their sources are used up', async () => {
    verifies('TCP-04', 'TCP-08');
    const { reader } = await startServer();
    const result = await store(reader, THREE);
    const { stored, ids, expires_at } = result.structuredContent as unknown as Stored;
    expect({ stored, expires_at }).toEqual({ stored: 3, expires_at: '2026-01-06T09:00:00.000Z' });
    expect(new Set(ids).size).toBe(3);
    expect(result.content[0]!.text.split('\n')).toEqual([
      'Stored 3 analysis finding(s) (ephemeral (as long as the session, at least 24 hours)).',
      'Analysis: review',
      'Categories: gap',
      `IDs: ${ids.join(', ')}`,
    ]);
    expect(contextOf(result)).toEqual({ consumed: true });
    // There is no page that it could be about.
    expect(consumed(result)).toEqual([]);
  });

  test('is durable before it says so: the finding is in the journal', async () => {
    verifies('TCP-04');
    const server = await startServer();
    await store(server.reader, THREE);
    expect(eventsOf(server)).toMatchObject([
      { analysis_id: 'review', findings: THREE.map(({ finding }) => ({ finding })) },
    ]);
    expect((await server.services.journal.verify()).ok).toBe(true);
  });

  test('names the results that it used up', async () => {
    verifies('TCP-04');
    const server = await startServer();
    const { reader } = server;
    const first = (await reader.search({ per_page: 15 })).handle!;
    const second = (await reader.search({ per_page: 15, page: 2 })).handle!;
    const result = await store(reader, THREE, { sources: [second, first, second] });
    expect(result._meta?.['infold/consumes']).toEqual([second, first]);
    expect(contextOf(result)).toEqual({ consumed: true });
    expect(eventsOf(server)[0]!.sources).toEqual([
      { ref: second, summary: '15 activity records (page 2/9, IDs: 87, 88, 89…)' },
      { ref: first, summary: '15 activity records (page 1/9, IDs: 72, 73, 74…)' },
    ]);
  });

  test('names the pages that hold the records which its findings name', async () => {
    verifies('TCP-04');
    const server = await startServer();
    const { reader } = server;
    const pages = [];
    for (const page of [1, 2, 3]) pages.push((await reader.search({ per_page: 15, page })).handle!);
    const [first, second, third] = pages;
    const summary = '15 activity records (page 2/9, IDs: 87, 88, 89…)';
    expect(consumed(await store(reader, [{ finding: '88 and 90 are Web Dev' }]))).toEqual([second]);
    expect(eventsOf(server)[0]!.sources).toEqual([{ ref: second, summary }]);
    // Used up, it is not named again; and a record of no page is nothing that could be dropped.
    expect(consumed(await store(reader, [{ finding: 'Activity 88 again' }]))).toEqual([]);
    expect(consumed(await store(reader, [{ finding: 'x', metadata: { ids: [72, 102] } }]))).toEqual([
      first,
      third,
    ]);
  });

  test('leaves it to the workflow where findings name no record', async () => {
    verifies('TCP-04');
    const { reader } = await startServer();
    await reader.search({ per_page: 15 });
    const result = await store(reader, [{ finding: '3 activities to Web Dev' }]);
    expect(contextOf(result)).toEqual({ consumed: true });
    expect(result._meta).not.toHaveProperty('infold/consumes');
  });

  test('a retry uses nothing up', async () => {
    verifies('KERN-05', 'TCP-04');
    const { reader } = await startServer();
    const handle = (await reader.search({ per_page: 15 })).handle!;
    const more = { sources: [handle], idempotency_key: 'once' };
    expect(consumed(await store(reader, THREE, more))).toEqual([handle]);
    expect(consumed(await store(reader, THREE, more))).toEqual([]);
    expect(consumed(await store(reader, THREE, { idempotency_key: 'once' }))).toEqual([]);
  });

  test('takes a scratch_ref, and keeps what it was', async () => {
    verifies('TCP-09');
    const server = await startServer();
    const { scratch_ref } = await server.reader.call<{ scratch_ref: string }>('search_records', {
      model: 'activity',
      lean: true,
    });
    const { handle } = await server.reader.call<{ handle: string }>('scratch_read', { ref: scratch_ref });
    const result = await store(server.reader, THREE, { scratch_ref });
    // What was read of it is used up with it.
    expect(consumed(result)).toEqual([scratch_ref, handle]);
    expect(eventsOf(server)[0]!.sources).toEqual([
      { ref: scratch_ref, summary: '50 activity records (page 1/3, IDs: 72, 73, 74…)' },
    ]);
  });

  test.each([
    ['no findings', { findings: [] }, /findings/],
    ['26 findings', { findings: Array.from({ length: 26 }, () => ({ finding: 'x' })) }, /findings/],
    [
      'an empty finding',
      { findings: [{ finding: 'x' }, { finding: ' ' }] },
      /findings\.1\.finding must not be empty/,
    ],
    ['an empty category', { findings: [{ finding: 'x', category: '' }] }, /findings\.0\.category/],
    ['a long finding', { findings: [{ finding: 'x'.repeat(16_385) }] }, /at most 16384/],
    [
      'large metadata',
      { findings: [{ finding: 'x', metadata: { a: 'y'.repeat(20_000) } }] },
      /findings\.0\.metadata/,
    ],
    [
      'metadata that is a list',
      { findings: [{ finding: 'x', metadata: [1] }] },
      /metadata: must be an object/,
    ],
    ['no analysis', { findings: [{ finding: 'x' }], analysis_id: ' ' }, /analysis_id must not be empty/],
    [
      'an unknown source',
      { findings: [{ finding: 'x' }], sources: ['rs_nobody'] },
      /sources not found: rs_nobody/,
    ],
    [
      'a scratch_ref that is none',
      { findings: [{ finding: 'x' }], scratch_ref: 'scr_x' },
      /Scratch not found/,
    ],
  ])('refuses %s, stores nothing and signals nothing', async (_what, input, message) => {
    verifies('TCP-04', 'TCP-08');
    const server = await startServer();
    const result = await server.reader.result('store_analysis_memory', { analysis_id: 'review', ...input });
    expect(result.isError).toBe(true);
    expect(result.content[0]!.text).toMatch(message);
    expect(contextOf(result)).toBeUndefined();
    expect(eventsOf(server)).toEqual([]);
    expect(server.services.journal.head().seq).toBe(0);
  });

  test('a handle or scratch of another principal is no source', async () => {
    const { reader, services } = await startServer();
    const bob = new Reader(services, callerNamed('bob'));
    const { handle } = await reader.search();
    expect((await store(bob, THREE, { sources: [handle] })).isError).toBe(true);
    const lean = await reader.call<{ scratch_ref: string }>('search_records', {
      model: 'activity',
      lean: true,
    });
    expect((await store(bob, THREE, { scratch_ref: lean.scratch_ref })).isError).toBe(true);
    // A marked result is a source, not a scratch.
    expect((await store(reader, THREE, { scratch_ref: handle })).isError).toBe(true);
  });

  test('the same key is stored once, and answered the same, also when its source has expired', async () => {
    verifies('TCP-08');
    const server = await startServer();
    const { reader, clock } = server;
    const { scratch_ref } = await reader.call<{ scratch_ref: string }>('search_records', {
      model: 'activity',
      lean: true,
    });
    const more = { idempotency_key: 'page-1', scratch_ref, persistent: true };
    const first = await store(reader, THREE, more);
    clock.advance(2 * HOUR);
    const again = await store(reader, [{ finding: 'another' }], more);
    expect(again.isError).toBe(false);
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(again.content).toEqual(first.content);
    expect(contextOf(again)).toEqual({ consumed: true });
    expect(eventsOf(server)).toHaveLength(1);
    const other = await store(reader, THREE, { idempotency_key: 'page-2' });
    expect(other.structuredContent.ids).not.toEqual(first.structuredContent.ids);
    const expired = await store(reader, THREE, { idempotency_key: 'page-3', scratch_ref });
    expect(expired.isError).toBe(true);
  });

  test('one key of two principals is two', async () => {
    const { reader, services } = await startServer();
    const mine = await store(reader, THREE, { idempotency_key: 'k' });
    const theirs = await store(new Reader(services, callerNamed('bob')), THREE, { idempotency_key: 'k' });
    expect(theirs.structuredContent.ids).not.toEqual(mine.structuredContent.ids);
  });

  test('secrets are taken out of findings, and out of what a source says', async () => {
    const token = ['ghp', 'x9Kd82mQpLw03nVbTzR7cYfHs5AeJu1GiO4t'].join('_');
    const server = await startServer();
    await store(server.reader, [{ finding: `The key is ${token}`, metadata: { seen: token } }]);
    const text = JSON.stringify(server.services.journal.entriesAfter(0, 1000));
    expect(text).not.toContain(token);
    expect(text).toContain('REDACTED');
  });
});

describe('recall_analysis_memories', () => {
  test('groups by category, with metadata', async () => {
    verifies('TCP-08');
    const { reader } = await startServer();
    await store(reader, THREE);
    const result = await reader.result('recall_analysis_memories', { analysis_id: 'review' });
    expect(result.content[0]!.text).toBe(
      [
        '## gap (2)',
        '- 3 activities to Web Dev | {"ids":[72,75]}',
        '- The importer drops empty cells',
        '',
        '## uncategorized (1)',
        '- All dates are UTC',
      ].join('\n'),
    );
    expect(result.structuredContent).toMatchObject({ total: 3, findings: THREE });
    expect(contextOf(result)).toBeUndefined();
  });

  test('by category, by query, or both', async () => {
    verifies('TCP-08');
    const { reader } = await startServer();
    await store(reader, THREE);
    await store(reader, [{ finding: 'Imports of empty files fail', category: 'bug' }], {
      analysis_id: 'other',
    });
    expect((await recall(reader, { category: 'gap' })).findings).toHaveLength(2);
    const found = await recall(reader, { query: 'which importers drop empty cells?' });
    expect(found.findings.map(({ finding }) => finding)).toEqual([
      'The importer drops empty cells',
      'Imports of empty files fail',
    ]);
    expect(found.findings.map(({ match }) => match)).toEqual([1, 0.5]);
    const text = (await reader.result('recall_analysis_memories', { query: 'empty cells' })).content[0]!.text;
    expect(text).toContain('- The importer drops empty cells [100.0% match]');
    expect((await recall(reader, { query: 'empty', category: 'bug' })).findings).toHaveLength(1);
    expect((await recall(reader, { query: 'empty', analysis_id: 'review' })).findings).toHaveLength(1);
    expect((await recall(reader, { query: 'giraffe' })).findings).toEqual([]);
  });

  test('a query may hold anything', async () => {
    const { reader } = await startServer();
    await store(reader, THREE);
    for (const query of ['" OR finding MATCH', '*', 'AND NOT (', 'the', 'NEAR(a b)', 'a:b', '\u0000']) {
      await recall(reader, { query });
    }
  });

  test('neither analysis, query nor category: says what to give', async () => {
    verifies('TCP-08');
    const { reader } = await startServer();
    for (const input of [{}, { analysis_id: '' }, { query: '  ' }]) {
      expect((await reader.refusal('recall_analysis_memories', input)).error).toContain('Please provide');
    }
  });

  test('the oldest first, up to a limit that is told', async () => {
    const { reader } = await startServer();
    for (let part = 0; part < 3; part++) {
      await store(
        reader,
        Array.from({ length: 25 }, (_, index) => ({ finding: `f${part * 25 + index}` })),
      );
    }
    const result = await reader.result('recall_analysis_memories', { analysis_id: 'review' });
    const { findings, total } = result.structuredContent as unknown as Recalled;
    expect(findings.map(({ finding }) => finding)).toEqual(
      Array.from({ length: 50 }, (_, index) => `f${index}`),
    );
    expect(total).toBe(75);
    expect(noticesOf(result)).toEqual(['25 more findings: go on with offset 50, or narrow the question']);
    const rest = await recall(reader, { analysis_id: 'review', offset: 50 });
    expect(rest.findings.map(({ finding }) => finding)[0]).toBe('f50');
    expect(rest).toMatchObject({ total: 75, next: null });
    expect((await recall(reader, { analysis_id: 'review', limit: 100 })).findings).toHaveLength(75);
    const clamped = await reader.result('recall_analysis_memories', { analysis_id: 'review', limit: 0 });
    expect(noticesOf(clamped)).toContain('limit was set to 1 (1 to 200)');
  });

  test('in pages under 40,000 characters, each finding once', async () => {
    const { reader } = await startServer();
    for (let part = 0; part < 4; part++) {
      await store(
        reader,
        Array.from({ length: 10 }, (_, index) => ({ finding: `${part * 10 + index} ${'y"'.repeat(2000)}` })),
      );
    }
    const seen: number[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const input = { analysis_id: 'review', offset };
      const result = await reader.result('recall_analysis_memories', input);
      expect(result.content[0].text.length).toBeLessThan(40_000);
      expect(JSON.stringify(result.structuredContent).length).toBeLessThan(40_000);
      const { findings, next } = result.structuredContent as unknown as Recalled & { next: number | null };
      seen.push(...findings.map(({ finding }) => Number.parseInt(finding, 10)));
      offset = next;
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  test('what is ephemeral stays as long as its session and at least a day, what is persistent for good', async () => {
    verifies('TCP-08');
    const { reader, clock, services } = await startServer();
    const day = 24 * HOUR;
    await store(reader, [{ finding: 'for now' }]);
    const kept = await store(reader, [{ finding: 'for good' }], { persistent: true });
    expect(kept.content[0]!.text).toContain('Stored 1 analysis finding(s) (persistent).');
    expect(kept.structuredContent.expires_at).toBeNull();
    // The session goes on for three days; nothing of what it found is lost, and a write takes nothing away.
    for (let half = 0; half < 6; half++) {
      clock.advance(day / 2);
      await sweepSessions(services.journal, clock.read, day);
      await store(reader, [{ finding: `after ${half}` }], { analysis_id: 'on' });
    }
    expect((await recall(reader)).findings).toHaveLength(2);
    expect((await recall(reader, { query: 'now' })).findings).toHaveLength(1);
    clock.advance(day);
    await sweepSessions(services.journal, clock.read, day);
    expect((await recall(reader)).findings.map(({ finding }) => finding)).toEqual(['for good']);
    // The next write takes the expired rows away, also from the index.
    await store(reader, [{ finding: 'later' }]);
    expect(services.journal.database.all('SELECT 1 FROM analysis_finding')).toHaveLength(2);
    expect(services.journal.database.all('SELECT 1 FROM analysis_text')).toHaveLength(2);
  });

  test('is within a principal, an organisation and a project', async () => {
    const { reader, services } = await startServer();
    await store(reader, THREE);
    for (const caller of [callerNamed('bob'), callerNamed('owner', { org: 'acme' })]) {
      expect((await recall(new Reader(services, caller))).findings).toEqual([]);
    }
    expect((await recall(reader, { analysis_id: 'review', project: '/elsewhere' })).findings).toEqual([]);
  });
});

describe('clear_analysis_memories', () => {
  test('removes an analysis and leaves the others', async () => {
    verifies('TCP-08');
    const { reader } = await startServer();
    await store(reader, THREE, { persistent: true });
    await store(reader, THREE, { analysis_id: 'other' });
    const result = await reader.result('clear_analysis_memories', { analysis_id: 'review' });
    const text = 'Cleared 3 finding(s) for analysis "review".';
    expect(result.content[0]!.text).toBe(text);
    expect(result.structuredContent).toEqual({ analysis_id: 'review', cleared: 3, text });
    expect((await recall(reader)).findings).toEqual([]);
    expect((await recall(reader, { query: 'importer' })).findings).toHaveLength(1);
    expect(
      (await reader.call<{ cleared: number }>('clear_analysis_memories', { analysis_id: 'review' })).cleared,
    ).toBe(0);
  });

  test('of nothing needs no session, and puts nothing on record but the call', async () => {
    const { reader, services } = await startServer();
    expect(await reader.call('clear_analysis_memories', { analysis_id: 'review' })).toMatchObject({
      cleared: 0,
    });
    const events = services.journal.entriesAfter(0, 10).flatMap((entry) => entry.events);
    expect(events.map(({ type }) => type)).toEqual([
      'project.added',
      'session.started',
      'operation.completed',
    ]);
  });
});

test('a rebuild gives the same tables, expired findings and cleared ones included', async () => {
  const { reader, clock, services } = await startServer();
  await store(reader, THREE);
  clock.advance(HOUR);
  await store(reader, THREE, { analysis_id: 'other', persistent: true });
  clock.advance(25 * HOUR);
  await sweepSessions(services.journal, clock.read, 24 * HOUR);
  await store(reader, THREE, { analysis_id: 'third' });
  await reader.call('clear_analysis_memories', { analysis_id: 'third' });
  await store(reader, THREE, { analysis_id: 'fourth' });
  const tables = () => ({
    findings: services.journal.database.all('SELECT * FROM analysis_finding ORDER BY ordinal'),
    texts: services.journal.database.all('SELECT rowid, * FROM analysis_text ORDER BY rowid'),
  });
  const before = tables();
  expect(before.findings).toHaveLength(6);
  await services.journal.rebuild();
  expect(tables()).toEqual(before);
});

describe('forgetting', () => {
  const textIn = ({ services }: Started) => JSON.stringify(services.journal.entriesAfter(0, 1000));

  test('one finding takes its text out of the journal and the tables, and leaves the others', async () => {
    const server = await startServer();
    const { reader, services } = server;
    const { ids } = (await store(reader, THREE, { persistent: true })).structuredContent as unknown as Stored;
    const target = { kind: 'item' as const, id: ids[1]!, org: 'local' };
    // The call itself, with its arguments, is an operation of the session; that one is the fold door's to forget.
    await forget(services.journal, localOwner, target, [transientForgetter]);
    expect(eventsOf(server)[0]!.findings.map(({ finding }) => finding)).toEqual([
      '3 activities to Web Dev',
      '[forgotten]',
      'All dates are UTC',
    ]);
    const left = async () => (await recall(reader)).findings.map(({ id }) => id);
    expect(await left()).toEqual([ids[0], ids[2]]);
    expect((await recall(reader, { query: 'importer drops cells' })).findings).toEqual([]);
    const rows = () => services.journal.database.all('SELECT * FROM analysis_finding ORDER BY ordinal');
    const before = rows();
    await services.journal.rebuild();
    expect(rows()).toEqual(before);
    expect((await services.journal.verify()).ok).toBe(true);
  });

  test('a principal or a session leaves nothing of theirs', async () => {
    for (const kind of ['principal', 'session'] as const) {
      const server = await startServer();
      const { reader, services } = server;
      await store(reader, THREE);
      const session = services.journal.database.get<{ id: string }>('SELECT id FROM session')!.id;
      const id = kind === 'session' ? session : 'owner';
      await forget(services.journal, localOwner, { kind, id, org: 'local' }, FORGETTERS);
      expect(textIn(server)).not.toContain('importer');
      expect((await recall(reader)).findings).toEqual([]);
    }
  });
});

describe('persistent findings are memory of the project', () => {
  const packed = async (reader: Reader): Promise<string> =>
    JSON.stringify(
      await reader.call('context', {
        goal: 'why does the importer drop cells?',
        project: '/home/someone/shop',
      }),
    );

  test('that later packs return, for others in the project too, until they are cleared', async () => {
    verifies('PACK-10');
    const { reader, services } = await startServer();
    await store(reader, [{ finding: 'The importer drops cells that are empty' }], { analysis_id: 'short' });
    expect(await packed(reader)).not.toContain('drops cells that are empty');
    const kept = await store(reader, [{ finding: 'The importer drops cells after a tab', category: 'bug' }], {
      persistent: true,
    });
    const [id] = (kept.structuredContent as unknown as Stored).ids;
    expect(await packed(reader)).toContain('drops cells after a tab');
    expect(await packed(reader)).toContain(id);
    expect(await packed(new Reader(services, callerNamed('bob')))).toContain('drops cells after a tab');
    await reader.call('clear_analysis_memories', { analysis_id: 'review' });
    expect(await packed(reader)).not.toContain('drops cells after a tab');
  });
});
