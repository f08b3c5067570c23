/** What lanes found an item by, in the words of people. */
export const LANES: Readonly<Record<string, string>> = {
  text: 'words',
  neighbours: 'neighbouring turns',
  thread: 'its conversation',
  author: 'who said it',
  time: 'when',
  shape: 'kind of answer',
  identifier: 'exact names',
  meaning: 'meaning',
  expansion: 'second search',
  wish: 'standing wish',
  relation: 'relations',
  use: 'earlier use',
  recency: 'how new it is',
};

export interface LaneShare {
  lane: string;
  name: string;
  amount: number;
  /** Of what all lanes gave that gave something, 0 to 1. */
  share: number;
  /** Which colour it has: the same for a lane everywhere. */
  tone: number;
}

const ORDER = Object.keys(LANES);
export const TONES = 8;

/** What each lane gave, the largest first. A lane can also take something: it has no share then. */
export function laneShares(lanes: Readonly<Record<string, number>>): LaneShare[] {
  const given = Object.values(lanes).reduce((sum, amount) => sum + Math.max(0, amount), 0);
  return Object.entries(lanes)
    .sort(([, one], [, other]) => other - one)
    .map(([lane, amount]) => ({
      lane,
      amount,
      name: Object.hasOwn(LANES, lane) ? LANES[lane]! : lane,
      share: given > 0 ? Math.max(0, amount) / given : 0,
      tone: Math.max(0, ORDER.indexOf(lane)) % TONES,
    }));
}

/** The score as the sum and the factors that it comes from: “1.12 = (0.9 + 0.1) × intent 1.12”. */
export function sumOf(
  score: number,
  shares: readonly LaneShare[],
  factors: Readonly<Record<string, number>>,
) {
  if (shares.length === 0) return `${score}`;
  const sum = shares.map(({ name, amount }) => `${name} ${amount}`).join(' + ');
  const held = Object.entries(factors).map(([factor, by]) => ` × ${factor} ${by}`);
  return held.length === 0 ? `${score} = ${sum}` : `${score} = (${sum})${held.join('')}`;
}
