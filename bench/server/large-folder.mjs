import { LIMITS } from '@infold/protocol';
import { PROJECTIONS } from '../../packages/server/dist/cli/services/projections.js';
import { SqliteJournal } from '../../packages/server/dist/journal/sqlite.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { ensureProject, resolveProject } from '../../packages/server/dist/trust/identity/projects.js';
import { memoryStream, podStream, sessionStream } from '../../packages/server/dist/trust/streams.js';
import { randomFrom, sentence } from '../memory/retrieval/bulk.mjs';

/** @typedef {{ stream: string, events: { type: string, data: object }[] }} Written */

const { org, principal, actor } = localOwner;
const DAY = 24 * 60 * 60_000;
/** How long the folder has been in use. The last day's sessions live, and those of the day before are to be ended. */
const DAYS = 30;
const ENDED_DAYS = 28;
export const PROJECTS = 20;
const PODS = 40;
/** Entries of a session, and of a branch in it: its beginning, operations, its end. */
const SESSION = 250;
const BRANCH = 10;
const BATCH = 512;

/**
 * Fills a data folder with so many entries: half of them sessions with branches, operations and folds, a quarter pods
 * with contexts, a quarter memory, in turns, as they would have come. Nobody told in pods what the last sessions did,
 * which a server has to make up for when it starts.
 *
 * @param {string} folder
 * @param {number} entries
 */
export async function fillFolder(folder, entries) {
  const now = Date.now();
  let written = 0;
  const clock = () => Math.floor(now - DAYS * DAY * (1 - written / entries));
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: LIMITS, clock });
  // Nobody needs this folder after a crash.
  journal.database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  /** @type {string[]} */
  const projects = [];
  for (let index = 0; index < PROJECTS; index++) {
    const project = resolveProject(journal.database, localOwner, projectPath(index));
    await ensureProject(journal, localOwner, project);
    projects.push(project.id);
  }
  const random = randomFrom(15);
  const sources = [sessions(projects, random, clock, now), pods(random, clock), memory(projects, random)];
  const turns = [0, 1, 0, 2];
  while (written < entries) {
    const batch = Array.from({ length: Math.min(BATCH, entries - written) }, (_, index) => {
      const source = /** @type {Generator<Written>} */ (
        sources[turns[(written + index) % turns.length] ?? 0]
      );
      const { stream, events } = source.next().value;
      return journal.commit({
        stream,
        actor,
        group: true,
        decide: () => ({ events, answer: undefined }),
      });
    });
    await Promise.all(batch);
    written += batch.length;
  }
  await journal.close();
}

/** @param {number} index */
export const projectPath = (index) => `/bench/project-${index}`;
/** @param {number} index */
export const podName = (index) => `pod-${index}`;

/**
 * Eight sessions at a time.
 *
 * @param {string[]} projects
 * @param {() => number} random
 * @param {() => number} clock
 * @param {number} now
 */
function* sessions(projects, random, clock, now) {
  let begun = 0;
  const next = () => oneSession(begun++, projects, random, clock, now);
  const open = Array.from({ length: 8 }, next);
  for (let turn = 0; ; turn = (turn + 1) % open.length) {
    const { value, done } = /** @type {Generator<Written>} */ (open[turn]).next();
    if (!done) yield value;
    else open[turn] = next();
  }
}

/**
 * @param {number} number
 * @param {string[]} projects
 * @param {() => number} random
 * @param {() => number} clock
 * @param {number} now
 * @returns {Generator<Written>}
 */
function* oneSession(number, projects, random, clock, now) {
  const session_id = `sess_bench${number}`;
  const project_id = projects[number % projects.length] ?? '';
  const stream = sessionStream(org, principal, project_id, session_id);
  const entry = (/** @type {string} */ type, /** @type {object} */ data) => ({
    stream,
    events: [{ type, data: { session_id, ...data } }],
  });
  yield entry('session.started', { org, principal, project_id, host_id: `host-${number}` });
  for (let branch = 0; branch < SESSION / BRANCH; branch++) {
    const place = { branch_id: `br_bench${number}_${branch}`, parent_id: null };
    yield entry('branch.created', {
      ...place,
      ...{ project_id, depth: 1, tokens: 40, budget: null, secrets: 0 },
      ...{ description: sentence(random, 6), prompt: sentence(random, 30) },
    });
    for (let count = 0; count < BRANCH - 2; count++) {
      yield entry('operation.completed', {
        ...{ branch_id: place.branch_id, tool: 'Grep', call_id: `call-${branch}-${count}`, tokens: 120 },
        ...{ input: { pattern: sentence(random, 3) }, output: sentence(random, 60) },
        ...{ secrets: 0, source: 'reported' },
      });
    }
    yield entry('branch.folded', {
      ...place,
      ...{ summary: sentence(random, 25), summary_tokens: 40, tokens_folded: 1000, tokens_own: 1000 },
      ...{ secrets: 0, summary_redacted: false, folded_by: null },
    });
  }
  if (clock() < now - (DAYS - ENDED_DAYS) * DAY) yield entry('session.expired', {});
}

/**
 * Every third message is said in a context, of which every other one was concluded.
 *
 * @param {() => number} random
 * @param {() => number} clock
 * @returns {Generator<Written>}
 */
function* pods(random, clock) {
  for (let count = 0; ; count++) {
    const pod = podName(count % PODS);
    const seq = Math.floor(count / PODS) + 1;
    const at = clock();
    const context = seq % 3 === 0 ? { id: `context-${Math.floor(seq / 60)}`, type: 'analysis' } : undefined;
    const accepted = {
      ...{ org, pod, seq, epoch: 'epoch_bench.0', at, tokens: context ? 40 : 0, type: context?.type ?? null },
      envelope: {
        protocol: 'mcpp/v0.1',
        id: `message-${count}`,
        ts: new Date(at).toISOString(),
        from: `participant-${count % 7}`,
        kind: 'chat',
        ...(context ? { context } : {}),
        payload: { text: sentence(random, 30) },
      },
      secrets: 0,
    };
    const events = [{ type: 'envelope.accepted', data: accepted }];
    const ends = context !== undefined && seq % 120 === 57;
    yield {
      stream: podStream(org, pod),
      events: ends
        ? [
            ...events,
            {
              type: 'context.concluded',
              data: {
                ...{ org, pod, id: context.id, type: context.type, summary: sentence(random, 20) },
                ...{ sources: [seq], principals: [principal] },
              },
            },
          ]
        : events,
    };
  }
}

/**
 * @param {string[]} projects
 * @param {() => number} random
 * @returns {Generator<Written>}
 */
function* memory(projects, random) {
  const kinds = ['decision', 'note', 'procedure', 'rule', 'error', 'plan'];
  for (let count = 0; ; count++) {
    const project_id = projects[count % projects.length] ?? '';
    const item = {
      id: `mem_bench${count}`,
      kind: kinds[count % kinds.length],
      title: sentence(random, 5),
      content: `${sentence(random, 12 + (count % 30))}.`,
      origin: 'remember',
    };
    const place = { scope: 'project', project_id, principal: '', agent_id: '' };
    yield {
      stream: memoryStream(org),
      events: [{ type: 'memory.remembered', data: { org, place, items: [item] } }],
    };
  }
}
