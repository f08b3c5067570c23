import { existsSync } from 'node:fs';
import { benchmark } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { KINDS, readConversations } from './assistant/read.mjs';
import { mean, openConversations, recall } from './retrieval/evaluate.mjs';
import { BM25 } from './retrieval.bench.mjs';

const OPEN = new URL('./assistant/open/', import.meta.url);
const SEALED = new URL('./assistant/sealed/', import.meta.url);
const SECOND_SEALED = new URL('./assistant/sealed2/', import.meta.url);
const THIRD_SEALED = new URL('./assistant/sealed3/', import.meta.url);

/**
 * The share of the evidence among the first ten items, on conversations with an assistant: code, plans, long answers, wishes and
 * changes of mind. The sealed part was written before retrieval was changed for such conversations, and opened once afterwards.
 * The second and the third sealed part were written later, without reading the code of retrieval, and nobody had measured on them
 * when their hashes were committed.
 */
export default benchmark({
  target:
    'on each sealed part 40 % of the gap between BM25 and 100 % closed, and no kind of question below BM25',
  async run() {
    const rows = [];
    for (const [name, folder] of /** @type {const} */ ([
      ['open', OPEN],
      ['sealed', SEALED],
      ['second sealed', SECOND_SEALED],
      ['third sealed', THIRD_SEALED],
    ])) {
      if (!existsSync(folder)) continue;
      const set = await openConversations(temporaryFolder(), readConversations(folder));
      const score = async (/** @type {object} */ more, /** @type {string} */ kind = '') => {
        const asked = set.questions.filter(
          (each) => each.kind !== 'none' && (kind === '' || each.kind === kind),
        );
        const recalls = asked.map(async (question) =>
          recall(await set.ask(question, { ...set.weights, ...more }, 10), question.evidence),
        );
        return 100 * mean(await Promise.all(recalls));
      };
      const row = async (/** @type {string} */ what, /** @type {string} */ kind) => ({
        ...{ what, unit: '% recall@10', against: 'BM25 alone' },
        ...{ ours: [await score({}, kind)], floor: [await score(BM25, kind)] },
      });
      const answered = set.questions.filter(({ kind }) => kind !== 'none').length;
      const all = await row(`${name} part: ${answered} questions over ${set.turns} messages`, '');
      const least = (all.floor[0] ?? 0) + 0.4 * (100 - (all.floor[0] ?? 0));
      const isSealed = name !== 'open';
      rows.push({ ...all, ...(isSealed ? { limit: { atLeast: least } } : {}) });
      for (const kind of KINDS.filter((each) => each !== 'none')) {
        const limit = isSealed ? { limit: { ratioAtLeast: 1 } } : {};
        rows.push({ ...(await row(`… of kind ${kind}, ${name} part`, kind)), ...limit });
      }
      const unanswered = set.questions.filter(({ kind }) => kind === 'none');
      const answers = await Promise.all(unanswered.map((each) => set.answers(each, set.weights, 10)));
      rows.push({
        what: `${unanswered.length} goals that nothing answers, ${name} part: nothing, or only wishes`,
        unit: '% of packs',
        against: 'all of them',
        ours: [100 * mean(answers.map((isAnswered) => (isAnswered ? 0 : 1)))],
        floor: [100],
      });
      await set.close();
    }
    return rows;
  },
});
