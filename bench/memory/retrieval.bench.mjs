import { benchmark } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { KINDS, mean, openConversations, openMaterial, recall } from './retrieval/evaluate.mjs';
import { readMaterial } from './retrieval/material.mjs';

const NEIGHBOURS = { previous: 0, previous2: 0, next: 0, next2: 0, asked: 0 };
const EXTRAS = { synonym: 0, member: 0, expansion: 0, shape: 0, question: 0, participant: 0, diversity: 0 };
/** Weights that switch a lane off. @type {Record<string, Record<string, number>>} */
const WITHOUT = {
  neighbours: NEIGHBOURS,
  thread: { thread: 0 },
  author: { author: 0, participant: 0 },
  time: { time: 0 },
  synonyms: { synonym: 0 },
  'general words': { member: 0 },
  shape: { shape: 0, question: 0 },
  identifiers: { identifier: 0 },
  expansion: { expansion: 0 },
  'proximity and coverage': { proximity: 0, coverage: 0 },
};
/** Weights that leave nothing but BM25, with the constants that textbooks give it. */
export const BM25 = {
  ...NEIGHBOURS,
  ...EXTRAS,
  saturation: 1.2,
  lengthPenalty: 0.75,
  heading: 1,
  thread: 0,
  author: 0,
  time: 0,
  identifier: 0,
  proximity: 0,
  coverage: 0,
  recency: 0,
  rarityPower: 1,
  person: 0,
  assistant: 0,
  personUnasked: 0,
  wish: 0,
  latest: 0,
  later: 0,
  changed: 0,
  changedUnasked: 0,
  sequence: 0,
  language: 0,
  updates: 0,
  guard: 0,
  relation: 0,
  meaning: 0,
};

/**
 * A store of its own for one dialogue of a set, because how rare a word is depends on all that is stored.
 *
 * @param {string} set
 * @param {string} name
 */
function openDialogue(set, name) {
  const { conversations, questions } = readMaterial(set);
  return openConversations(temporaryFolder(), {
    conversations: new Map([...conversations].filter(([conversation]) => conversation === name)),
    questions: questions.filter(({ conversation }) => conversation === name),
  });
}

/** The share of the evidence among the first ten items, on hand-written dialogues. */
export default benchmark({
  target: 'recall@10 by kind of question and without each lane, on material that is made for it',
  async run() {
    const material = await openMaterial(temporaryFolder());
    const heldout = await openMaterial(temporaryFolder(), 'heldout');
    const sealed = await openDialogue('sealed', 'choir');
    const second = await openDialogue('sealed', 'second');
    const third = await openDialogue('sealed', 'third');
    const together = await openMaterial(temporaryFolder(), 'material', { together: true });
    /** @param {typeof material} set @param {object} more @param {string} [kind] */
    const score = async (set, more, kind) => {
      const asked = set.questions.filter((question) => kind === undefined || question.kind === kind);
      const weights = { ...set.weights, ...more };
      const recalls = asked.map(async (question) =>
        recall(await set.ask(question, weights, 10), question.evidence),
      );
      return 100 * mean(await Promise.all(recalls));
    };
    const full = await score(material, {});
    const row = async (
      /** @type {string} */ what,
      /** @type {string} */ against,
      /** @type {number | Promise<number>} */ ours,
      /** @type {Promise<number>} */ floor,
    ) => ({
      what,
      unit: '% recall@10',
      against,
      ours: [await ours],
      floor: [await floor],
    });
    const rows = await Promise.all([
      row(
        `${material.questions.length} questions over ${material.turns} turns`,
        'BM25 alone',
        full,
        score(material, BM25),
      ),
      ...KINDS.map((kind) =>
        row(`… of kind ${kind}`, 'BM25 alone', score(material, {}, kind), score(material, BM25, kind)),
      ),
      row('… all conversations in one project', 'BM25 alone', score(together, {}), score(together, BM25)),
      row(
        `${heldout.questions.length} questions held out at first (two rules followed from their misses)`,
        'BM25 alone',
        score(heldout, {}),
        score(heldout, BM25),
      ),
      row(
        `${sealed.questions.length} questions of a sealed dialogue, as it came out`,
        'BM25 alone',
        score(sealed, {}),
        score(sealed, BM25),
      ),
      row(
        `second sealed part: ${second.questions.length} questions of another dialogue`,
        'BM25 alone',
        score(second, {}),
        score(second, BM25),
      ),
      row(
        `third sealed part: ${third.questions.length} questions of another dialogue`,
        'BM25 alone',
        score(third, {}),
        score(third, BM25),
      ).then((each) => ({ ...each, limit: { atLeast: 75 } })),
      ...Object.entries(WITHOUT).map(([lane, weights]) =>
        row('all lanes', `without ${lane}`, full, score(material, weights)),
      ),
    ]);
    await Promise.all([material, heldout, sealed, second, third, together].map((set) => set.close()));
    return rows;
  },
});
