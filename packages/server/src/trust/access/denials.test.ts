import { expect, test } from 'vitest';
import { openTestJournal } from '../../testing/fixtures.suite.ts';
import { listDenials } from '../identity/queries.ts';
import { DenialLog } from './denials.ts';

const denial = {
  org: 'acme',
  principal: 'mallory',
  action: 'write',
  resource: 'context_branch',
  code: 'forbidden',
};

test('the first denial is on record at once, repeats are counted', async () => {
  const journal = await openTestJournal();
  const log = new DenialLog(journal, () => {});
  for (let count = 0; count < 500; count++) log.record(denial);
  log.record({ ...denial, resource: 'other' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(
    listDenials(journal.database, 10)
      .map(({ resource, count }) => [resource, count])
      .sort(),
  ).toEqual([
    ['context_branch', 1],
    ['other', 1],
  ]);
  await log.close();
  expect(
    listDenials(journal.database, 10)
      .map(({ resource, count }) => [resource, count])
      .sort(),
  ).toEqual([
    ['context_branch', 500],
    ['other', 1],
  ]);
  expect(journal.head().seq).toBe(3);
});

test('a flood of different denials stays bounded, and none is lost from the count', async () => {
  const journal = await openTestJournal();
  const log = new DenialLog(journal, () => {});
  for (let count = 0; count < 3000; count++) log.record({ ...denial, principal: `p${count}` });
  await log.close();
  expect(journal.head().seq).toBeLessThan(1100);
  const counts = listDenials(journal.database, 5000).map(({ count }) => count);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3000);
});
