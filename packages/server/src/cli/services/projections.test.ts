import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '@infold/protocol';
import type { EventMap } from '@infold/protocol/events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { JournalEvent } from '../../journal/journal.ts';
import { someone } from '../../journal/journal-fixture.suite.ts';
import { type Projection, Projector, tablesOf } from '../../journal/projections/projector.ts';
import { digestsOf } from '../../journal/projections/tables.ts';
import { SqliteJournal } from '../../journal/sqlite.ts';
import { PROJECTIONS } from './projections.ts';

const GOLDEN = fileURLToPath(new URL('../../../../../test/golden', import.meta.url));
const versions = readdirSync(GOLDEN).filter((name) => /^v\d+$/.test(name));
const projector = new Projector(PROJECTIONS);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'infold-projections-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (projections: readonly Projection[] = PROJECTIONS) =>
  SqliteJournal.open({ folder, projections, limits: LIMITS });

/** As if the tables of one projection had been made by an earlier version: empty, and with what is no more. */
function ageTables(journal: SqliteJournal, projection: Projection): void {
  const { database } = journal;
  for (const table of tablesOf(projection))
    database.exec(`DROP TABLE "${table}"; CREATE TABLE "${table}" (old)`);
  const others = PROJECTIONS.map((one) => (one === projection ? { ...one, version: 0 } : one));
  database.run('UPDATE journal_head SET projections = ?', new Projector(others).versions);
}

/** The digests of all tables after those of one projection alone were made anew. */
async function remade(journal: SqliteJournal, projection: Projection): Promise<Map<string, string>> {
  ageTables(journal, projection);
  await journal.close();
  const again = await open();
  const digests = await digestsOf(again.database, projector);
  await again.close();
  return digests;
}

test('every table belongs to one projection, and every projection has a name of its own', async () => {
  const journal = await open();
  const owned = PROJECTIONS.flatMap(tablesOf);
  expect(new Set(owned).size).toBe(owned.length);
  expect([...owned].sort()).toEqual(projector.tableNames(journal.database));
  expect(new Set(PROJECTIONS.map(({ name }) => name)).size).toBe(PROJECTIONS.length);
  await journal.close();
});

describe.each(versions)('in the data folder that %s wrote', (version) => {
  test.each(PROJECTIONS.map((projection) => [projection.name, projection] as const))(
    'the tables of %s, made anew alone, are as they were',
    async (_, projection) => {
      verifies('KERN-04');
      cpSync(join(GOLDEN, version), folder, { recursive: true });
      const journal = await open();
      const expected = await digestsOf(journal.database, projector);
      expect(await remade(journal, projection)).toEqual(expected);
    },
  );
});

test('findings that outlived their time in a session are kept, though the session has ended since', async () => {
  verifies('TCP-08');
  const journal = await open();
  const write = (...events: JournalEvent[]) =>
    journal.commit({ stream: 'session.x', actor: someone, decide: () => ({ events, answer: null }) });
  const owner = { session_id: 'sess_1', org: 'acme', principal: 'ada', project_id: 'proj_1' };
  const stored = (id: string): EventMap['finding.stored'] => ({
    ...{ ...owner, analysis_id: 'a', ids: [id], persistent: false, expires_at: 1, sources: [], secrets: 0 },
    findings: [{ id, finding: `What ${id} says`, category: null, metadata: null }],
  });
  await write({ type: 'session.started', data: { ...owner, host_id: null } });
  await write({ type: 'finding.stored', data: stored('one') });
  await write({ type: 'finding.stored', data: stored('two') });
  await write({ type: 'session.expired', data: { session_id: 'sess_1' } });
  const kept = () =>
    journal.database.all<{ id: string }>('SELECT id FROM analysis_finding').map(({ id }) => id);
  expect(kept()).toEqual(['one', 'two']);
  const expected = await digestsOf(journal.database, projector);
  const transient = PROJECTIONS.find(({ name }) => name === 'transient')!;
  expect(await remade(journal, transient)).toEqual(expected);

  const later = await open();
  const other = { ...owner, session_id: 'sess_2' };
  const events: JournalEvent[] = [
    { type: 'session.started', data: { ...other, host_id: null } },
    { type: 'finding.stored', data: { ...stored('three'), ...other } },
  ];
  await later.commit({ stream: 'session.y', actor: someone, decide: () => ({ events, answer: null }) });
  expect(later.database.all('SELECT id FROM analysis_finding')).toEqual([{ id: 'three' }]);
  await later.close();
});
