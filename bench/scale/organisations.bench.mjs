import { benchmark } from '../harness.mjs';
import { simulate } from './simulation.mjs';

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
const GB = 1e9;
/** What 99.99 % of a year leaves. */
const SECONDS_AWAY = 365 * DAY * 1e-4;

/** A simulated year of 10,000 organisations with a stream each, against one stream for all of them. Nothing of it is measured. */
export default benchmark({
  target:
    'no stream lost; each organisation 99.99 % of the time with quorum; a new copy within an hour; the fullest server ≤ 1.3 × the mean',
  async run({ quick }) {
    const organisations = quick ? 500 : 10_000;
    const size = { organisations, servers: quick ? 9 : 30, nodes: quick ? 4 : 20, days: quick ? 60 : 365 };
    const years = (quick ? [1] : [1, 2, 3, 4, 5]).map((seed) => simulate({ seed, ...size }));
    /** @typedef {(typeof years)[number]} Year */
    const row = (
      /** @type {string} */ what,
      /** @type {string} */ unit,
      /** @type {(year: Year) => number} */ ours,
      /** @type {string} */ against,
      /** @type {(year: Year) => number} */ floor,
      /** @type {import('../harness.mjs').Limit | undefined} */ limit = undefined,
    ) => ({
      what: `simulated, ${organisations.toLocaleString('en')} organisations on ${size.servers} servers: ${what}`,
      unit,
      against,
      ours: years.map(ours),
      floor: years.map(floor),
      ...(limit && { limit }),
    });
    return [
      row(
        'entries in a busy second',
        'entries/s',
        (year) => year.peakEntriesPerSecond,
        'of the largest',
        (year) => year.largestPerSecond,
      ),
      row(
        'bytes on the fullest server',
        'GB',
        (year) => year.fullest / GB,
        'the mean',
        (year) => year.mean / GB,
        { ratioAtMost: 1.3 },
      ),
      row(
        'streams on a server, most',
        'streams',
        (year) => year.streamsOnFullest,
        'the mean',
        () => (3 * organisations) / size.servers,
        { ratioAtMost: 1.5 },
      ),
      row(
        'stored in streams after a year, three copies',
        'GB',
        (year) => year.hot / GB,
        'without archives',
        (year) => (year.hot + 3 * year.archived) / GB,
      ),
      row(
        'moved to even out servers, a day',
        'GB',
        (year) => year.moved / GB,
        'written, three copies',
        (year) => year.written / GB,
        { ratioAtMost: 0.05 },
      ),
      row(
        'until a stream has its third copy again after a machine was lost, p95',
        'min',
        (year) => year.rebuild / MINUTE,
        'the most that is allowed',
        () => HOUR / MINUTE,
        { ratioAtMost: 1 },
      ),
      row(
        'without quorum in a year, the worst organisation',
        's',
        (year) => year.unavailableWorst,
        'the most that is allowed',
        () => SECONDS_AWAY,
        { ratioAtMost: 1 },
      ),
      row(
        'streams that lost every copy',
        'streams',
        (year) => year.lost,
        'streams',
        () => organisations,
        { atMost: 0 },
      ),
      row(
        'catch-up of a node that restarted, p95',
        's',
        (year) => year.catchUp,
        'one stream for all',
        (year) => year.catchUpOfAll,
        { ratioAtMost: 0.5 },
      ),
      row(
        'until a new node serves 95 % of its organisations, p95',
        'min',
        (year) => year.restoreMost / MINUTE,
        'replay of one stream for all',
        (year) => year.replayOfAll / MINUTE,
        { ratioAtMost: 0.1 },
      ),
    ];
  },
});
