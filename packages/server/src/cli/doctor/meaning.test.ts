import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { MemoryAgent } from '../../memory/fixture.suite.ts';
import { writeGroups } from '../../memory/meaning/static/model-folder.suite.ts';
import { openTestJournal, temporaryFolder, testConfig } from '../../testing/fixtures.suite.ts';
import { createServices } from '../services/create.ts';
import { checkMeaning } from './meaning.ts';

test('tells which model memory is found by, and how much of it has vectors', async () => {
  verifies('PACK-15');
  const path = writeGroups(join(temporaryFolder(), 'small'), [['zorvex', 'quillam']]);
  const config = testConfig({ embeddings: { path } });
  const journal = await openTestJournal();
  const services = createServices(config, journal, 'silent');
  await new MemoryAgent(services).remember('zorvex was sold');
  const before = await checkMeaning(config, journal.database);
  expect(before).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('vectors of 0 of 1 passages'),
  });
  expect(before.detail).toMatch(/^small, version [0-9a-f]{16}, 8 dimensions/);
  services.parts.meaning!.start();
  const detail = async () => (await checkMeaning(config, journal.database)).detail;
  await expect.poll(detail, { timeout: 5000 }).toContain('vectors of 1 of 1 passages');
  await services.settle();
});

test('tells that it is off, or why it cannot be used', async () => {
  verifies('PACK-15');
  const { database } = await openTestJournal();
  expect(await checkMeaning(testConfig(), database)).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^off/),
  });
  const path = join(temporaryFolder(), 'nowhere');
  const missing = await checkMeaning(testConfig({ embeddings: { path } }), database);
  expect(missing).toMatchObject({ state: 'warning', detail: expect.stringContaining(path) });
  const away = { url: 'http://127.0.0.1:9/v1', model: 'small', dimensions: 3 };
  const unanswered = await checkMeaning(testConfig({ embeddings: away }), database);
  expect(unanswered).toMatchObject({ state: 'warning', detail: expect.stringContaining('does not answer') });
  expect((await checkMeaning(testConfig({ embeddings: {} }), database)).state).toBe('warning');
}, 15_000);
