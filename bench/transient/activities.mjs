import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

const NOTE =
  'Paired with the platform group on the rollout checklist, then fixed the flaky retry test that blocked the release twice. ';
const CATEGORIES = ['Web Dev', 'AI', 'Support', 'Unsorted'];

/** @param {number} index from 0 */
export function activityRow(index) {
  return {
    id: index + 1,
    title: `Activity ${index} about ${index % 977}`,
    category: CATEGORIES[(index * 7) % 4],
    project: `client-${(index * 13) % 1700}`,
    minutes: 15 + ((index * 37) % 200),
    started_at: new Date(1.7e12 + index * 60_000).toISOString(),
    billable: index % 4 !== 0,
    notes: NOTE.repeat(6) + index,
    tags: ['billing', 'review', 'urgent'].slice(index % 3),
  };
}

/**
 * Writes so many records as JSONL, about 930 bytes each.
 *
 * @param {string} path
 * @param {number} rows
 */
export async function writeActivities(path, rows) {
  const file = createWriteStream(path);
  let text = '';
  for (let index = 0; index < rows; index++) {
    text += `${JSON.stringify(activityRow(index))}\n`;
    if (text.length < 1 << 20 && index < rows - 1) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end();
  await once(file, 'close');
}
