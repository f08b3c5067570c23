import { benchmark, interleave } from '../harness.mjs';
import { Team } from './team.mjs';

const EDGES = 500;
const EVERY_SECONDS = 60;

/** What it costs a hub that its edges ask whether something is new. */
export default benchmark({
  target: '500 edges that ask once a minute in 5 % of one core',
  async run({ quick }) {
    const team = await Team.start(quick ? 1000 : 10_000);
    const { projects } = await team.ask('/api/projects');
    const { revision, hub } = await team.ask(`/api/hub/manifest?project=${projects[0].id}&limit=1`);
    const query = `project=${projects[0].id}&since=${revision}&seen=${hub.head.seq}&edge=edge_${'a'.repeat(20)}`;
    const share = (/** @type {string} */ path) => async () => {
      const count = quick ? 100 : 200;
      const { cpuMicroseconds: before } = await team.hub.usage();
      for (let number = 0; number < count; number++) await team.ask(path);
      const { cpuMicroseconds: after } = await team.hub.usage();
      return (((after - before) / count) * EDGES) / EVERY_SECONDS / 10_000;
    };
    const samples = await interleave({
      rounds: quick ? 3 : 8,
      ours: share(`/api/hub/manifest?${query}`),
      floor: share('/healthz'),
    });
    await team.stop();
    return [
      {
        what: `${EDGES} edges that ask a hub of ${quick ? '1,000' : '10,000'} files once a minute`,
        unit: '% of a core',
        against: 'as many requests to /healthz',
        ...samples,
        limit: { atMost: 5 },
      },
    ];
  },
});
