import { createHash, randomUUID } from 'node:crypto';
import { benchmark, interleave } from '../harness.mjs';
import { Team } from './team.mjs';

/** As edges make them: so many entries that a batch is one row of the hub's journal. */
const ENTRIES = 300;

const sha256 = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex');
const position = (/** @type {number} */ seq) => ({
  seq,
  hash: seq === 0 ? '0'.repeat(64) : sha256(String(seq)),
});

/** What agents did, on its way into the hub's journal. */
export default benchmark({
  target: '10,000 events/s at the hub, one durable write a batch',
  async run({ quick }) {
    const batches = quick ? 10 : 50;
    const team = await Team.start(100);
    const { projects } = await team.ask('/api/projects');
    const { files } = await team.ask(`/api/hub/manifest?project=${projects[0].id}`);
    const entry = (/** @type {number} */ seq) => {
      const { id, path, kind, hash } = files[seq % files.length];
      const ref = {
        ...{
          rule_id: id,
          path,
          rule_hash: hash,
          claimed_hash: hash,
          constraint_id: 'Example',
          constraint_name: 'Example',
        },
        ...{
          constraint_text: `As it was agreed, number ${seq}`,
          reason: `It was about ${seq}`,
          loaded: true,
          stale: false,
        },
      };
      const event =
        seq % 2 === 0
          ? { type: 'attest.load', data: { items: [{ id, kind, path, hash, changed: true, draft: false }] } }
          : { type: 'attest.refer', data: { refs: [ref] } };
      return {
        ...{
          id: randomUUID(),
          ...position(seq),
          at: Date.now(),
          agent: 'claude-code',
          project: projects[0].id,
        },
        ...{ session: `sess_${seq % 50}`, events: [event] },
      };
    };
    /** @type {number[]} */
    const perCore = [];
    let edges = 0;
    const ours = async () => {
      const edge = `edge_${String.fromCharCode(97 + (edges++ % 8)).repeat(20 - 1)}${'abcdefghjk'[Math.floor(edges / 8)]}`;
      const bodies = Array.from({ length: batches }, (_, index) => ({
        ...{ edge, after: position(index * ENTRIES), upto: position((index + 1) * ENTRIES), now: Date.now() },
        entries: Array.from({ length: ENTRIES }, (_, place) => entry(index * ENTRIES + place + 1)),
      }));
      const before = team.services.journal.head().seq;
      const { cpuMicroseconds: begun } = await team.hub.usage();
      const started = performance.now();
      for (const body of bodies) await team.ask('/api/hub/events', body);
      const rate = (batches * ENTRIES * 1000) / (performance.now() - started);
      const { cpuMicroseconds: ended } = await team.hub.usage();
      perCore.push((batches * ENTRIES * 1e6) / (ended - begun));
      const writes = team.services.journal.head().seq - before;
      if (writes !== batches) throw new Error(`${batches} batches took ${writes} writes`);
      return rate;
    };
    // One item a request, as without batches.
    const floor = async () => {
      const count = quick ? 50 : 200;
      const started = performance.now();
      for (let number = 0; number < count; number++) {
        await team.ask('/api/memory/items', {
          content: `Number ${number} of ${started}`,
          project: projects[0].id,
        });
      }
      return (count * 1000) / (performance.now() - started);
    };
    const samples = await interleave({ rounds: quick ? 3 : 8, ours, floor });
    await team.stop();
    return [
      {
        what: `events of an edge in batches of ${ENTRIES}, checked, scrubbed and durable`,
        unit: 'events/s',
        against: 'one memory item a request',
        ...samples,
        limit: { atLeast: 10_000 },
      },
      {
        what: 'the same, by the processor time of the hub alone',
        unit: 'events/s of a core',
        against: 'target',
        ours: perCore.slice(-samples.ours.length),
        floor: samples.ours.map(() => 10_000),
        limit: { atLeast: 10_000 },
      },
    ];
  },
});
