import { readMaterial } from './material.mjs';

export const KINDS = ['single', 'multi', 'temporal', 'person', 'identifier', 'paraphrase'];

/** @param {string} path */
const built = (path) => import(new URL(`../../../packages/server/dist/${path}`, import.meta.url).href);

/**
 * A store with the whole material, each conversation a project of its own, as an import of a public data set would be.
 *
 * @param {string} folder
 * @param {string} [set]
 * @param {{ together?: boolean }} [options] all conversations in one project
 */
export function openMaterial(folder, set, options) {
  return openConversations(folder, readMaterial(set), options);
}

/**
 * @param {string} folder
 * @param {ReturnType<typeof readMaterial>} material
 * @param {{ together?: boolean }} [options] all conversations in one project
 */
export async function openConversations(folder, { conversations, questions }, { together = false } = {}) {
  const [{ SqliteJournal }, { PROJECTIONS }, { Importer }, { createScrubber }, { localOwner }] =
    await Promise.all([
      built('journal/sqlite.js'),
      built('cli/services/projections.js'),
      built('memory/ingest/importer.js'),
      import('@infold/scrub'),
      built('trust/identity/caller.js'),
    ]);
  const { selectItems } = await built('memory/pack/compile.js');
  const { WEIGHTS } = await built('memory/retrieval/weights.js');
  const { resolveProject } = await built('trust/identity/projects.js');
  const { LIMITS } = await import('@infold/protocol');
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS });
  for (const [project, turns] of conversations) {
    const importer = new Importer({
      journal,
      scrubber: createScrubber(),
      caller: localOwner,
      project: together ? 'all' : project,
    });
    for (const [index, turn] of turns.entries()) await importer.add(index + 1, turn);
    await importer.finish();
  }
  /** @type {Map<string, string>} */
  const projects = new Map();
  for (const project of conversations.keys()) {
    projects.set(project, resolveProject(journal.database, localOwner, together ? 'all' : project).id);
  }
  /** @param {import('./material.mjs').Question} question @param {object} weights @param {number} limit */
  const select = async (question, weights, limit) => {
    const { items } = await selectItems(journal.database, {
      goal: question.text,
      intent: 'general',
      layer: 'recall',
      limit,
      related_limit: 0,
      reader: { caller: localOwner, projectId: projects.get(question.conversation), agentId: null },
      now: Date.UTC(2026, 5, 1),
      weights,
    });
    return /** @type {{ isWish: boolean, view: { score: number, source: string } }[]} */ (items);
  };
  return {
    questions,
    weights: WEIGHTS,
    turns: [...conversations.values()].reduce((sum, turns) => sum + turns.length, 0),
    close: () => journal.close(),
    /**
     * Sources of the first items for a question, by score, as anybody would read a pack.
     *
     * @param {import('./material.mjs').Question} question
     * @param {object} weights
     * @param {number} limit
     */
    async ask(question, weights, limit) {
      return (await select(question, weights, limit))
        .map(({ view }) => view)
        .sort((one, other) => other.score - one.score)
        .map(({ source }) => source);
    },
    /**
     * Whether a pack holds anything but standing wishes, which are no answer.
     *
     * @param {import('./material.mjs').Question} question
     * @param {object} weights
     * @param {number} limit
     */
    async answers(question, weights, limit) {
      return (await select(question, weights, limit)).some(({ isWish }) => !isWish);
    },
  };
}

/** The share of a question's evidence that is among the first items. @param {string[]} found @param {string[]} evidence */
export function recall(found, evidence) {
  return evidence.filter((source) => found.includes(source)).length / evidence.length;
}

/** @param {readonly number[]} values */
export function mean(values) {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
