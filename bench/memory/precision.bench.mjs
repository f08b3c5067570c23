import { benchmark } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { readNotes } from './precision/read.mjs';
import { mean, openConversations } from './retrieval/evaluate.mjs';

const NOTES = 2000;
const LIMIT = 24;

/** What of a pack answers its goal, and whether a pack is empty where nothing does. */
export default benchmark({
  target:
    'precision at least 0.75 at a recall of at least 0.9; nothing for at least 80 % of goals that nothing answers',
  async run() {
    const { items, questions } = readNotes(NOTES);
    const turns = items.map((item) => ({ ...item, source: item.id }));
    const conversations = new Map([['notes', /** @type {any[]} */ (turns)]]);
    const set = await openConversations(temporaryFolder(), { conversations, questions: [] });
    const ask = (/** @type {string} */ text) =>
      set.ask({ text, conversation: 'notes', kind: '', evidence: [] }, set.weights, LIMIT);
    /** @type {{ precision: number[], recall: number[], empty: number[] }} */
    const found = { precision: [], recall: [], empty: [] };
    for (const { text, right } of questions) {
      const given = await ask(text);
      const hits = given.filter((/** @type {string} */ source) => right.includes(source)).length;
      if (right.length === 0) found.empty.push(given.length === 0 ? 1 : 0);
      else {
        found.precision.push(given.length === 0 ? 0 : hits / given.length);
        found.recall.push(hits / right.length);
      }
    }
    await set.close();
    const row = (/** @type {string} */ what, /** @type {number} */ ours, /** @type {number} */ atLeast) => ({
      what,
      unit: 'share',
      against: 'all of it',
      ours: [ours],
      floor: [1],
      limit: { atLeast },
    });
    const asked = `${found.precision.length} goals with one or two right items among ${NOTES.toLocaleString('en')}`;
    return [
      row(`precision of a pack, ${asked}`, mean(found.precision), 0.75),
      row('recall of it', mean(found.recall), 0.9),
      row(`empty packs for ${found.empty.length} goals that nothing answers`, mean(found.empty), 0.8),
    ];
  },
});
