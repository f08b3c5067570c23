import type { GiveWay } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import type { Partition } from '../queries.ts';
import type { TimeExpression } from '../text/times.ts';
import { type Candidate, type Pool, readPassages } from './candidates.ts';

/** A goal that names so few days is also searched by them alone. */
const NARROW = 45;
const MOST_BY_DAY = 200;
/** The newest of those days, among which they are chosen. */
const LOOKED_AT = 1000;
/** Something is often told the day after it happened. */
const SAID_NEXT_DAY = 0.5;
const SAID = 0.8;

export interface TimeMatch {
  score: number;
  time: TimeExpression;
}

/** How well what was said, and what it was said about, fits the days that the goal names. */
export async function timeScores(
  database: Database,
  partitions: readonly Partition[],
  pool: Pool,
  times: readonly TimeExpression[],
  domain: string | null,
  threads: ReadonlyMap<number, number>,
  giveWay: GiveWay,
): Promise<Map<number, TimeMatch>> {
  const scores = new Map<number, TimeMatch>();
  if (times.length === 0) return scores;
  const raise = (row: number, score: number, time: TimeExpression) => {
    if (score > (scores.get(row)?.score ?? 0)) scores.set(row, { score, time });
  };
  const narrow = times.filter(({ from, to }) => to - from <= NARROW);
  if (domain === null) await addByDay(database, partitions, pool, narrow, threads, giveWay);
  await giveWay();
  const moments = momentsOf(database, [...pool.candidates.keys()]);
  for (const candidate of pool.candidates.values()) {
    for (const time of times) {
      raise(candidate.row, saidScore(candidate, time), time);
      for (const moment of moments.get(candidate.row) ?? [])
        raise(candidate.row, overlap(moment, time), time);
    }
  }
  return scores;
}

function saidScore({ day }: Candidate, { from, to }: TimeExpression): number {
  if (day === null) return 0;
  if (day >= from && day <= to) return SAID;
  return day === to + 1 && to - from <= 7 ? SAID_NEXT_DAY : 0;
}

/** 1 where all that the passage speaks of lies in the asked days; less the more lies outside. */
function overlap(moment: { first_day: number; last_day: number }, { from, to }: TimeExpression): number {
  const shared = Math.min(moment.last_day, to) - Math.max(moment.first_day, from) + 1;
  if (shared <= 0) return 0;
  return Math.sqrt(shared / (moment.last_day - moment.first_day + 1));
}

function momentsOf(database: Database, rows: readonly number[]) {
  const found = database.all<{ passage: number; first_day: number; last_day: number }>(
    `SELECT passage, first_day, last_day FROM memory_moment INDEXED BY memory_moment_passage
     WHERE passage IN (SELECT value FROM json_each(?))`,
    JSON.stringify(rows),
  );
  const moments = new Map<number, { first_day: number; last_day: number }[]>();
  for (const moment of found) {
    const list = moments.get(moment.passage) ?? [];
    list.push(moment);
    moments.set(moment.passage, list);
  }
  return moments;
}

/** What was said on these days, or about them, shares no word with the goal: what stands in a thread that does comes first. */
async function addByDay(
  database: Database,
  partitions: readonly Partition[],
  pool: Pool,
  times: readonly TimeExpression[],
  threads: ReadonlyMap<number, number>,
  giveWay: GiveWay,
): Promise<void> {
  const rows = new Set<number>();
  for (const { from, to } of times) {
    for (const { number } of partitions) {
      await giveWay();
      const [base, end] = [number * PARTITION_SIZE, (number + 1) * PARTITION_SIZE - 1];
      const said = database.all<ByDay>(
        `SELECT row, thread FROM memory_passage WHERE day BETWEEN ? AND ? AND day IS NOT NULL AND row BETWEEN ? AND ?
         ORDER BY day DESC, row DESC LIMIT ?`,
        from,
        to + 1,
        base,
        end,
        LOOKED_AT,
      );
      const about = database.all<ByDay>(
        `SELECT passage AS row, thread FROM memory_moment JOIN memory_passage ON row = passage
         WHERE first_day BETWEEN ? AND ? AND passage BETWEEN ? AND ? ORDER BY first_day DESC, passage DESC LIMIT ?`,
        from,
        to,
        base,
        end,
        LOOKED_AT,
      );
      for (const found of [said, about]) {
        const fits = ({ thread }: ByDay) => (thread === null ? 0 : (threads.get(thread) ?? 0));
        const unread = found.filter(({ row }) => !pool.candidates.has(row));
        const best = unread.sort((one, other) => fits(other) - fits(one)).slice(0, MOST_BY_DAY);
        for (const { row } of best) rows.add(row);
      }
    }
  }
  for (const [row, candidate] of await readPassages(database, [...rows], giveWay))
    pool.candidates.set(row, candidate);
}

interface ByDay {
  row: number;
  thread: number | null;
}
