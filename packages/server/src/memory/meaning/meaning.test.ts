import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { createServices } from '../../cli/services/create.ts';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import { PROJECTIONS } from '../../cli/services/projections.ts';
import { SqliteJournal } from '../../journal/sqlite.ts';
import { movableClock, temporaryFolder, testConfig } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { unrelate } from '../actions/unrelate.ts';
import { itemsOf, MemoryAgent } from '../fixture.suite.ts';
import { writeGroups } from './static/model-folder.suite.ts';

/** Words that nobody's lists of synonyms hold. */
const GROUPS = [
  ['brandoop', 'quillam', 'zorvex'],
  ['tessil', 'moquart'],
  ['haverlin', 'dosket'],
  ['plimmer', 'ostrel'],
];

/** A server on a data folder, with a model or without, that can be stopped and begun anew. */
async function serve(data: string, embeddings?: Record<string, unknown>) {
  const clock = movableClock();
  const journal = await SqliteJournal.open({
    folder: data,
    projections: PROJECTIONS,
    clock: clock.read,
    limits: LIMITS,
  });
  const services = createServices(testConfig({ embeddings }), journal, 'silent', clock.read);
  let isOpen = true;
  const stop = async () => {
    if (!isOpen) return;
    isOpen = false;
    await services.settle();
    await journal.close();
  };
  onTestFinished(stop);
  return { agent: new MemoryAgent(services), services, journal, stop };
}

type Served = Awaited<ReturnType<typeof serve>>;

interface VectorRow {
  row: number;
  model: string;
  version: string;
}

function vectorsIn({ journal }: Served): VectorRow[] {
  if (!journal.database.hasTable('cache_memory_vector')) return [];
  return journal.database.all<VectorRow>(
    `SELECT row, cache_memory_model.model, version FROM cache_memory_vector
     JOIN cache_memory_model ON number = cache_memory_vector.model ORDER BY row`,
  );
}

async function untilMade(served: Served, count: number): Promise<void> {
  await expect.poll(() => vectorsIn(served).length, { timeout: 8000, interval: 20 }).toBe(count);
}

const model = (groups = GROUPS, name = 'groups') => writeGroups(join(temporaryFolder(), name), groups);

const contents = async ({ agent }: Served, goal: string, more: object = {}) =>
  itemsOf(await agent.context(goal, { project: 'shop', ...more })).map(({ content }) => content);

async function remember({ agent }: Served, ...texts: string[]): Promise<string[]> {
  const ids = [];
  for (const text of texts) ids.push((await agent.remember(text, { project: 'shop' })).id);
  return ids;
}

async function begin({ agent }: Served): Promise<void> {
  await agent.project('shop');
}

describe('with a model of embeddings', () => {
  test('what means the same is found, though it shares no word with the goal', async () => {
    verifies('PACK-15');
    const served = await serve(temporaryFolder(), { path: model() });
    await begin(served);
    served.services.parts.meaning!.start();
    await remember(served, 'Ann sold her quillam', 'The dosket was stale', 'Ben lives on an ostrel');
    await untilMade(served, 3);
    const pack = await served.agent.context('Zoe wants a zorvex', { project: 'shop' });
    expect(itemsOf(pack).map(({ content }) => content)).toEqual(['Ann sold her quillam']);
    expect(itemsOf(pack)[0]!.reason).toContain('close in meaning');
    expect(pack.markdown).toContain('3 passages by words and by meaning');
  });

  test('vectors are made of what was there before, and say by which model', async () => {
    verifies('PACK-15');
    const data = temporaryFolder();
    const before = await serve(data);
    await begin(before);
    await remember(before, 'Ann sold her quillam', 'The dosket was stale');
    expect(before.journal.database.hasTable('cache_memory_vector')).toBe(false);
    await before.stop();
    const served = await serve(data, { path: model() });
    served.services.parts.meaning!.start();
    await untilMade(served, 2);
    for (const { model, version } of vectorsIn(served)) {
      expect(model).toBe('groups');
      expect(version).toMatch(/^[0-9a-f]{16}\.\d+\.\d+$/);
    }
    expect(await contents(served, 'a zorvex')).toEqual(['Ann sold her quillam']);
  });

  test('another version makes all vectors anew, and the old ones go', async () => {
    verifies('PACK-15');
    const data = temporaryFolder();
    const first = await serve(data, { path: model() });
    await begin(first);
    first.services.parts.meaning!.start();
    await remember(first, 'Ann sold her quillam', 'The dosket was stale');
    await untilMade(first, 2);
    const [{ version }] = vectorsIn(first) as [VectorRow];
    await first.stop();
    const second = await serve(data, { path: model([['quillam', 'dosket'], ['zorvex']]) });
    // What another model made is never compared with.
    expect(await contents(second, 'a zorvex')).toEqual([]);
    second.services.parts.meaning!.start();
    await expect
      .poll(() => vectorsIn(second).filter((row) => row.version !== version).length, { timeout: 8000 })
      .toBe(2);
    expect((await contents(second, 'a dosket')).sort()).toEqual([
      'Ann sold her quillam',
      'The dosket was stale',
    ]);
    await expect
      .poll(() => second.journal.database.all('SELECT * FROM cache_memory_model').length, { timeout: 8000 })
      .toBe(1);
  });

  test('what leaves the index takes its vector along', async () => {
    verifies('PACK-15');
    const served = await serve(temporaryFolder(), { path: model() });
    await begin(served);
    served.services.parts.meaning!.start();
    const [id] = await remember(served, 'Ann sold her quillam', 'The dosket was stale');
    await untilMade(served, 2);
    expect(await contents(served, 'a zorvex')).toHaveLength(1);
    const relations = [{ type: 'supersedes', id }];
    await served.agent.remember('Ann kept the moquart', { project: 'shop', relations });
    expect(vectorsIn(served)).toHaveLength(1);
    expect(await contents(served, 'a zorvex')).toEqual([]);
    await untilMade(served, 2);
  });

  test('what comes back to the index gets a vector again, although others came after it', async () => {
    verifies('PACK-15');
    const served = await serve(temporaryFolder(), { path: model() });
    await begin(served);
    served.services.parts.meaning!.start();
    const [id] = await remember(served, 'Ann sold her quillam', 'The dosket was stale');
    const relations = [{ type: 'supersedes', id }];
    const newer = await served.agent.remember('Ann kept the moquart', { project: 'shop', relations });
    await untilMade(served, 2);
    await served.agent.act(unrelate, { item: newer.id, type: 'supersedes' });
    await untilMade(served, 3);
    expect(await contents(served, 'a zorvex')).toContain('Ann sold her quillam');
  });

  test('what is forgotten leaves no vector behind', async () => {
    verifies('PACK-15');
    const served = await serve(temporaryFolder(), { path: model() });
    await begin(served);
    served.services.parts.meaning!.start();
    const [id] = (await remember(served, 'Ann sold her quillam', 'A dosket and a quillam')) as [string];
    await untilMade(served, 2);
    expect(await contents(served, 'a zorvex')).toHaveLength(2);
    const rows = vectorsIn(served).map(({ row }) => row);
    await forget(served.journal, localOwner, { kind: 'item', id, org: 'local' }, FORGETTERS);
    expect(vectorsIn(served).map(({ row }) => row)).toEqual(rows.slice(1));
    expect(await contents(served, 'a zorvex')).toEqual(['A dosket and a quillam']);
  });

  test('nobody finds by meaning what they may not read', async () => {
    verifies('PACK-06');
    const served = await serve(temporaryFolder(), { path: model() });
    await begin(served);
    const own = await served.agent.project('own');
    served.services.parts.meaning!.start();
    await remember(served, 'Ann sold her quillam');
    await untilMade(served, 1);
    const guest = served.agent.as('guest', { projects: [own] });
    expect(itemsOf(await guest.context('a zorvex'))).toEqual([]);
  });

  test('a domain keeps out what is near, but of another field', async () => {
    const served = await serve(temporaryFolder(), { path: model() });
    await begin(served);
    served.services.parts.meaning!.start();
    await served.agent.remember('Ann sold her quillam', { project: 'shop', domain: 'travel' });
    await served.agent.remember('An quillam is an asset', { project: 'shop', domain: 'tax' });
    await untilMade(served, 2);
    expect(await contents(served, 'zorvex', { domain: 'tax' })).toEqual(['An quillam is an asset']);
  });

  test('it stops with the server, and goes on where it was', async () => {
    const data = temporaryFolder();
    const path = model();
    const first = await serve(data, { path });
    const lines = Array.from({ length: 3000 }, (_, index) => ({
      content: `quillam number ${index}`,
      kind: 'note',
    }));
    await first.agent.import(lines, 'shop');
    first.services.parts.meaning!.start();
    await expect.poll(() => vectorsIn(first).length, { timeout: 8000, interval: 1 }).toBeGreaterThan(0);
    await first.stop();
    const second = await serve(data, { path });
    const some = vectorsIn(second).length;
    expect(some).toBeLessThan(3000);
    second.services.parts.meaning!.start();
    await untilMade(second, 3000);
  });

  test('one of several processes makes vectors, and all of them find by those', async () => {
    const data = temporaryFolder();
    const path = model();
    const one = await serve(data, { path });
    const other = await serve(data, { path });
    await begin(one);
    one.services.parts.meaning!.start();
    other.services.parts.meaning!.start();
    await remember(one, 'Ann sold her quillam');
    await untilMade(one, 1);
    expect(await contents(other, 'a zorvex')).toHaveLength(1);
    await remember(other, 'The moquart came by plimmer');
    await untilMade(other, 2);
    expect(await contents(one, 'a tessil')).toHaveLength(1);
  });
});

describe('without one', () => {
  const TEXTS = ['Ann sold her quillam', 'Ann bought a zorvex from a tessil', 'The dosket was stale'];

  test('the pack is what it was, and says nothing of it', async () => {
    verifies('PACK-15');
    const served = await serve(temporaryFolder());
    await begin(served);
    await remember(served, ...TEXTS);
    expect(served.services.parts.meaning).toBeUndefined();
    const pack = await served.agent.context('the zorvex of a tessil', { project: 'shop' });
    expect(pack.markdown).toMatch(/looked at \d+ of 3 passages[,)]/);
    expect(pack.markdown).not.toContain('meaning');
  });

  test('a model that is missing is said in the pack, which comes as if there were none', async () => {
    verifies('PACK-15');
    const data = temporaryFolder();
    const plain = await serve(data);
    await begin(plain);
    await remember(plain, ...TEXTS);
    const expected = await plain.agent.context('the zorvex of a tessil', { project: 'shop' });
    await plain.stop();
    const path = join(temporaryFolder(), 'nowhere');
    const served = await serve(data, { path });
    served.services.parts.meaning!.start();
    const pack = await served.agent.context('the zorvex of a tessil', { project: 'shop' });
    expect(itemsOf(pack)).toEqual(itemsOf(expected));
    expect(pack.markdown).toContain('not by meaning: its model cannot be opened');
    expect(pack.markdown).not.toContain(path);
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    [{}, /embeddings.*either "path".*or "url"/],
    [{ url: 'https://models.example/v1' }, /embeddings\.model/],
    [{ url: 'ftp://models.example', model: 'm' }, /embeddings\.url/],
    [{ path: '/m', apiKey: 'x' }, /apiKey/],
  ])('a configuration that says too little or too much is refused: %j', async (embeddings, message) => {
    await expect(serve(temporaryFolder(), embeddings)).rejects.toThrow(message);
  });
});

test('a model that moved away while the server ran is not missed', async () => {
  const served = await serve(temporaryFolder(), { path: model() });
  const { path } = served.services.config.embeddings as { path: string };
  await begin(served);
  served.services.parts.meaning!.start();
  await remember(served, 'Ann sold her quillam');
  await untilMade(served, 1);
  renameSync(path, `${path}-away`);
  await remember(served, 'A second quillam');
  await untilMade(served, 2);
  expect(await contents(served, 'a zorvex')).toHaveLength(2);
});
