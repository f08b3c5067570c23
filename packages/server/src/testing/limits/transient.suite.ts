import { expect } from 'vitest';
import { openDatabase } from '../../kernel/sqlite.ts';
import { HOUR, START } from '../fixtures.suite.ts';
import { expectRefusal, type Probes, refusesAbove, type Settings, withSettings } from './probe.suite.ts';
import type { Outcome, Served } from './served.suite.ts';

const INVALID = 'invalid_arguments';
const things = (...rows: object[]): Settings => ({
  files: { 'things.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join('') },
  sources: { thing: { type: 'jsonl', file: 'things.jsonl' } },
});
const ten = things(...Array.from({ length: 10 }, (_, at) => ({ id: at + 1, text: `text ${at + 1}` })));
const search = (server: Served, input: object = {}) =>
  server.agent().call('search_records', { model: 'thing', ...input });

const findings = (server: Served, given: object[]) =>
  server.agent().call('store_analysis_memory', { analysis_id: 'a', findings: given });

/** A record whose JSON has as many bytes. */
const record = (id: number, bytes: number) => {
  const bare = JSON.stringify({ id, text: '' });
  return { id, text: 'x'.repeat(bytes - bare.length) };
};

/** What is kept for a while is there until that is over. */
const expiry = (input: object, nameOf: (outcome: Outcome) => unknown) => ({
  value: HOUR / 2,
  settings: { ...ten, limits: { sessionLifetime: 100 * HOUR } },
  async watch(server: Served, value: number) {
    const ref = nameOf(await search(server, input));
    const read = () => server.agent().call('context_expand', { handle: ref });
    server.clock.advance(value - 1);
    expect((await read()).refusal).toBeUndefined();
    server.clock.advance(1);
    expect((await read()).refusal).toMatchObject({ message: expect.stringMatching(/not found|unknown/i) });
  },
});

export const transientProbes: Probes = {
  recordsPerPage: {
    value: 3,
    settings: ten,
    async watch(server, value) {
      const page = await search(server, { per_page: value + 1 });
      expect(page.data.records).toHaveLength(value);
      expect(page.data.pagination).toMatchObject({ per_page: value });
      expect(page.notices.join()).toContain(`per_page was set to ${value}`);
      expect((await search(server, { per_page: value })).notices).toEqual([]);
      expect(await (await fetch(`${server.url}/mcp/tools/list`)).text()).toContain(`max ${value}`);
    },
  },
  pageCharacters: {
    value: 3000,
    settings: things(...Array.from({ length: 10 }, (_, at) => record(at + 1, 150))),
    async watch(server) {
      const page = await search(server, { per_page: 10 });
      expect((page.data.records as unknown[]).length).toBeLessThan(10);
      expect(JSON.stringify(page.data).length).toBeLessThan(3000);
      expect(page.notices.join()).toContain('under 3,000 characters');
      expect((await search(server, { per_page: 5 })).notices).toEqual([]);
    },
  },
  recordPageBytes: {
    value: 200,
    settings: things(record(1, 100), record(2, 100), record(3, 100)),
    async watch(server, value) {
      expect((await search(server, { per_page: 1 })).refusal).toBeUndefined();
      expectRefusal(await search(server, { per_page: 3 }), 'too_large', value);
    },
  },
  recordBytes: {
    value: 50,
    settings: things(record(1, 50), record(2, 51)),
    async watch(server) {
      const { data } = await search(server);
      expect((data.records as { id: number }[]).map(({ id }) => id)).toEqual([1]);
    },
  },
  recordColumns: {
    value: 2,
    settings: things({ id: 1, one: 1, two: 2 }),
    async watch(server, value) {
      const columns = async (input: object) =>
        ((await search(server, input)).data.schema as { columns: string[] }).columns;
      expect(await columns({})).toHaveLength(value);
      expect((await search(server, { fields: ['one'] })).refusal).toBeUndefined();
      expect((await search(server, { fields: ['two'] })).refusal).toMatchObject({ code: INVALID });
    },
  },
  filterValues: withSettings(
    ten,
    refusesAbove(3, INVALID, (server, size) =>
      search(server, { filters: { id: { in: Array.from({ length: size }, (_, id) => id) } } }),
    ),
  ),
  indexWait: {
    value: 1,
    settings: things(...Array.from({ length: 30_000 }, (_, id) => ({ id, text: `text ${id}` }))),
    async watch(server) {
      expect((await search(server)).refusal).toMatchObject({ code: 'source_indexing' });
    },
  },
  sourceWait: {
    value: 50,
    settings: { sources: { slow: { type: 'sqlite', file: 'slow.db', table: 'endless', id: 'id' } } },
    async watch(server) {
      const { path } = server.services.config.sources.slow as { path: string };
      const database = await openDatabase(path);
      database.exec(`CREATE VIEW endless AS WITH RECURSIVE counter(id) AS
        (SELECT 1 UNION ALL SELECT id + 1 FROM counter WHERE id < 5000000) SELECT max(id) AS id FROM counter`);
      database.close();
      expect((await search(server, { model: 'slow' })).refusal).toMatchObject({
        code: 'source_timeout',
        message: expect.stringContaining('0.05 s'),
      });
    },
  },
  scratchLifetime: expiry({ lean: true }, ({ data }) => data.scratch_ref),
  resultLifetime: expiry({}, ({ data }) => data.handle),
  scratchBytes: {
    value: 3000,
    settings: things(...Array.from({ length: 10 }, (_, at) => record(at + 1, 100))),
    async watch(server) {
      const keep = async () => (await search(server, { lean: true })).data.scratch_ref;
      const read = async (model: unknown) => (await search(server, { model })).refusal;
      const first = await keep();
      expect(await read(first)).toBeUndefined();
      const second = await keep();
      expect(await read(first)).toBeDefined();
      expect(await read(second)).toBeUndefined();
    },
  },
  findingsPerCall: refusesAbove(2, INVALID, (server, size) =>
    findings(
      server,
      Array.from({ length: size }, (_, at) => ({ finding: `number ${at}` })),
    ),
  ),
  findingCharacters: refusesAbove(20, INVALID, (server, size) =>
    findings(server, [{ finding: 'x'.repeat(size) }]),
  ),
  findingMetadataBytes: refusesAbove(30, INVALID, (server, size) =>
    findings(server, [{ finding: 'found', metadata: { a: 'x'.repeat(size - '{"a":""}'.length) } }]),
  ),
  findingLifetime: {
    value: HOUR,
    async watch(server, value) {
      const { data } = await findings(server, [{ finding: 'found' }]);
      expect(Date.parse(data.expires_at as string)).toBe(START + value);
    },
  },
};
