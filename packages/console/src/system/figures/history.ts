import { parseMetrics, type Sample, total } from './prometheus.ts';

/** What is shown of one reading of the metrics; undefined where the server does not tell it. */
export interface Reading {
  at: number;
  calls: number | undefined;
  errors: number | undefined;
  waiting: number | undefined;
  stall: number | undefined;
  memory: number | undefined;
  processor: number | undefined;
  streams: number | undefined;
  head: number | undefined;
  answers: number | undefined;
  refused: number | undefined;
  failedOpen: number | undefined;
  startedAt: number | undefined;
}
export type ReadingName = Exclude<keyof Reading, 'at'>;

export function readingOf(text: string, at: number): Reading {
  const samples = parseMetrics(text);
  const started = total(samples, 'process_start_time_seconds');
  const sum = (name: string, isMeant?: (labels: Sample['labels']) => boolean) =>
    total(samples, name, isMeant);
  return {
    at,
    calls: sum('infold_tool_calls_total') ?? 0,
    errors: sum('infold_tool_calls_total', ({ outcome }) => outcome === 'error') ?? 0,
    waiting: sum('infold_calls_waiting'),
    stall: sum('infold_event_loop_stall_seconds'),
    memory: sum('process_resident_memory_bytes'),
    processor: sum('process_cpu_seconds_total'),
    streams: sum('infold_streams_open'),
    head: sum('infold_journal_head'),
    answers: sum('infold_model_answers_total') ?? 0,
    refused: sum('infold_model_answers_total', ({ status }) => !/^2/.test(status ?? '')) ?? 0,
    failedOpen: sum('infold_model_failed_open_total') ?? 0,
    startedAt: started === undefined ? undefined : started * 1000,
  };
}

/** How long readings are kept: what the small charts show. */
export const SPAN = 5 * 60_000;

/** With one more; a server that began anew begins a new history. */
export function withReading(history: readonly Reading[], reading: Reading): Reading[] {
  const last = history.at(-1);
  if (last && last.at >= reading.at) return [...history];
  const isSame = last === undefined || last.startedAt === reading.startedAt;
  return [...(isSame ? history.filter(({ at }) => at > reading.at - SPAN) : []), reading];
}

/** How much a counter grew each second, over at most this long before the last reading; undefined with fewer than two. */
export function rateOf(history: readonly Reading[], name: ReadingName, span: number): number | undefined {
  const last = history.at(-1);
  const first = last && history.find(({ at }) => at >= last.at - span);
  const [from, to] = [first?.[name], last?.[name]];
  if (!last || !first || first === last || from === undefined || to === undefined) return undefined;
  return Math.max(0, to - from) / ((last.at - first.at) / 1000);
}

/** A counter as rates between its readings. */
export function ratesOf(history: readonly Reading[], name: ReadingName): number[] {
  return history.slice(1).map((_, place) => rateOf(history.slice(place, place + 2), name, SPAN) ?? 0);
}

export function valuesOf(history: readonly Reading[], name: ReadingName): number[] {
  return history.map((reading) => reading[name]).filter((value) => value !== undefined);
}
