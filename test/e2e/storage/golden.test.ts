import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVENT_VERSIONS } from '@infold/protocol/events';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../../packages/server/src/cli/services/journal.ts';
import { loadConfig } from '../../../packages/server/src/kernel/config.ts';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import { verifies } from '../../requirements.ts';
import { run, runJson, startServer, temporaryFolder } from '../support/program.ts';
import { answersOf, searchesOf } from './golden-answers.ts';

/** Data folders that earlier versions wrote, each with events of every kind that its version had. */
const GOLDEN = fileURLToPath(new URL('../../golden', import.meta.url));
const versions = readdirSync(GOLDEN).filter((name) => /^v\d+$/.test(name));

interface Report {
  entries: number;
  events: number;
  erased: number;
  head: { seq: number; hash: string };
}

interface Expected {
  report: Report;
  /** Every type of event that the version declares. */
  declared: string[];
  /** How many there are of each; of erased entries, what is left. */
  events: Record<string, number>;
  answers: Record<string, unknown>;
}

function copyOf(version: string): string {
  const data = join(temporaryFolder(), version);
  cpSync(join(GOLDEN, version), data, { recursive: true });
  return data;
}

async function eventsOf(data: string): Promise<Record<string, number>> {
  const journal = await openJournal(loadConfig({ data }, {}).config);
  const counts: Record<string, number> = {};
  for (const { events } of journal.entriesAfter(0, Number.MAX_SAFE_INTEGER)) {
    for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  }
  await journal.close();
  return Object.fromEntries(Object.entries(counts).sort());
}

/** Written once, when a new folder is added; to be read before it is kept. */
async function record(version: string, file: string): Promise<never> {
  const { entries, events, erased, head } = await runJson<Report>(copyOf(version), 'verify');
  const expected: Expected = {
    report: { entries, events, erased, head },
    declared: Object.keys(EVENT_VERSIONS).sort(),
    events: await eventsOf(copyOf(version)),
    answers: await answersOf(copyOf(version)),
  };
  writeFileSync(file, `${JSON.stringify(expected, null, 2)}\n`);
  throw new Error(`${file} was not there and is now: read whether it is right, format it, and run again`);
}

async function expectedOf(version: string): Promise<Expected> {
  const file = join(GOLDEN, `${version}.json`);
  if (!existsSync(file)) return record(version, file);
  return JSON.parse(readFileSync(file, 'utf8')) as Expected;
}

/** Every row of every table that is made from the journal. Full-text indexes are asked instead. */
async function tablesOf(data: string): Promise<Record<string, unknown[]>> {
  const database = await openDatabase(join(data, 'infold.db'));
  const all = database.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'journal_*'
       AND name NOT GLOB 'cache_*' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
  );
  const indexes = all.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => name);
  const plain = all.filter(
    ({ name }) => !indexes.some((index) => name === index || name.startsWith(`${index}_`)),
  );
  const rows = plain.map(({ name }) => {
    const found = database.all(`SELECT * FROM "${name}"`).map((row) => JSON.stringify(row));
    return [name, found.sort()] as const;
  });
  database.close();
  return Object.fromEntries(rows);
}

/** The program at its work for longer than the first looks that a server takes at what is old. */
async function serveForAWhile(data: string): Promise<void> {
  const server = await startServer({ data });
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect((await server.stop()).code).toBe(0);
}

/** Puts another text of the same length in the place of one, in whatever file of the folder it is. */
function tamper(data: string, text: string, other: string): void {
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  for (const file of files) {
    const path = join(file.parentPath ?? file.path, file.name);
    const content = readFileSync(path).toString('latin1');
    if (content.includes(text)) writeFileSync(path, content.replaceAll(text, other), 'latin1');
  }
}

async function seqOf(data: string, text: string): Promise<number> {
  const journal = await openJournal(loadConfig({ data }, {}).config);
  const entries = journal.entriesAfter(0, Number.MAX_SAFE_INTEGER);
  await journal.close();
  return entries.find(({ events }) => JSON.stringify(events).includes(text))!.seq;
}

/** The program is started some thirty times for all the answers. */
const PATIENCE = 180_000;

describe.each(versions)('the data folder that %s wrote', (version) => {
  test('is as it was written, with events of every kind', async () => {
    verifies('KERN-03');
    const { report, declared, events } = await expectedOf(version);
    const data = copyOf(version);
    expect(await runJson(data, 'verify')).toMatchObject({ ok: true, ...report });
    expect(await eventsOf(data)).toEqual(events);
    expect(Object.keys(events)).toEqual(expect.arrayContaining(declared));
    expect(report.erased).toBeGreaterThan(0);
    expect(readdirSync(join(data, 'blobs'))).not.toEqual([]);
  });

  test('answers as it did', { timeout: PATIENCE }, async () => {
    const { answers } = await expectedOf(version);
    expect(await answersOf(copyOf(version))).toEqual(answers);
  });

  test('gives the same tables and answers when they are made anew', { timeout: PATIENCE }, async () => {
    verifies('KERN-04');
    const { report, answers } = await expectedOf(version);
    const data = copyOf(version);
    await runJson(data, 'verify');
    const opened = await tablesOf(data);
    expect(Object.values(opened).flat().length).toBeGreaterThan(100);
    expect(await runJson(data, 'rebuild')).toMatchObject({ entries: report.entries });
    expect(await tablesOf(data)).toEqual(opened);
    expect(await runJson(data, 'verify')).toMatchObject({ ok: true, ...report });
    expect(await searchesOf(data)).toEqual(answers.memory);
  });

  test('can be worked with, and verifies afterwards', async () => {
    const { report } = await expectedOf(version);
    const data = copyOf(version);
    // Its tokens are known to nobody, so that nobody can ask: what was left undone is done nevertheless.
    await serveForAWhile(data);
    await runJson(data, 'pod', 'send', 'room', 'Good evening');
    const { ok, entries } = await runJson<Report & { ok: boolean }>(data, 'verify');
    expect(ok).toBe(true);
    expect(entries).toBeGreaterThan(report.entries);
  });

  test.each([
    ['in the file', 'Good morning', 'Good evening'],
    ['in a blob', 'nothing unusual', 'nothing strange'],
  ])('is found out when something in it was changed (%s)', async (_where, text, other) => {
    verifies('KERN-03');
    const data = copyOf(version);
    const seq = await seqOf(data, text);
    tamper(data, text, other);
    const { code, stdout } = await run(['--data', data, '--json', 'verify']);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, first: { seq } });
  });
});
