import { PROJECTIONS } from '../../packages/server/dist/cli/services/projections.js';
import { benchmark, interleave, time } from '../harness.mjs';
import { ACTOR, BODY, noteProjection, noteWritten, openJournal } from './notes.mjs';

const SESSIONS = 200;

/** Every event is an entry of its own, which costs most; each updates its session and adds a row. */
export default benchmark({
  target: 'at least 50,000 events a second each',
  async run({ quick }) {
    const events = quick ? 20_000 : 200_000;
    const journal = await openJournal(...PROJECTIONS, noteProjection);
    await fill(journal, events);
    const perSecond = (/** @type {number} */ milliseconds) => (events * 1000) / milliseconds;
    const floor = async () => perSecond(await time(() => readAll(journal.database)));
    const rounds = quick ? 3 : 5;
    const verify = await interleave({
      rounds,
      ours: async () =>
        perSecond(
          await time(async () => {
            const report = await journal.verify();
            if (!report.ok || report.events !== events) throw new Error('The journal does not verify');
          }),
        ),
      floor,
    });
    const rebuild = await interleave({
      rounds,
      ours: async () => perSecond(await time(() => journal.rebuild())),
      floor,
    });
    await journal.close();
    const shared = { unit: 'events/s', against: 'plain SELECT of the same rows', limit: { atLeast: 50_000 } };
    const size = `${events.toLocaleString('en')} events`;
    return [
      { what: `\`verify\` of ${size}`, ...shared, ...verify },
      { what: `\`rebuild\` of ${size}`, ...shared, ...rebuild },
    ];
  },
});

/**
 * @param {Awaited<ReturnType<typeof openJournal>>} journal
 * @param {number} events
 */
async function fill(journal, events) {
  const stream = (/** @type {number} */ index) => `session.bench.project.${index % SESSIONS}`;
  for (let written = 0; written < events; ) {
    const batch = Math.min(500, events - written);
    const commits = Array.from({ length: batch }, (_, offset) => {
      const index = written + offset;
      const decision = index < SESSIONS ? started(index) : noteWritten(BODY);
      return journal.commit({ stream: stream(index), actor: ACTOR, group: true, decide: () => decision });
    });
    await Promise.all(commits);
    written += batch;
  }
}

/** @param {number} index */
function started(index) {
  const data = {
    session_id: `session-${index}`,
    org: ACTOR.org,
    principal: ACTOR.principal,
    project_id: 'project',
    host_id: null,
  };
  return { events: [{ type: 'session.started', data }], answer: undefined };
}

/** @param {import('../../packages/server/dist/kernel/sqlite.js').Database} database */
function readAll(database) {
  let bytes = 0;
  for (const row of database.iterate('SELECT * FROM journal_entry ORDER BY seq')) {
    bytes += String(row.data).length;
  }
  return bytes;
}
