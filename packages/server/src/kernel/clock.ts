/** Milliseconds since 1970. Injected wherever a decision depends on the time, so that tests can move it. */
export type Clock = () => number;

export interface SteadyClockOptions {
  wall?: Clock;
  /** Milliseconds that only ever go forward. */
  monotonic?: () => number;
  /** How long a wall clock that jumped must run evenly before it is believed. */
  settle?: number;
}

const TOLERANCE = 60_000;
const SETTLE = 10 * 60_000;

/**
 * The wall clock, less its jumps. A clock that someone or something sets a day ahead for a moment must not end
 * every session (FOLD-12). Small corrections pass at once; a jump is believed when the new time has run evenly
 * for a while, and until then time goes on from where it was.
 */
export function steadyClock(options: SteadyClockOptions = {}): Clock {
  const wall = options.wall ?? (() => Date.now());
  const monotonic = options.monotonic ?? (() => performance.now());
  const settle = options.settle ?? SETTLE;
  let base = wall();
  let since = monotonic();
  let jumped: { wall: number; at: number } | undefined;
  const isEven = (from: number, at: number, now: number, tick: number) =>
    Math.abs(now - (from + tick - at)) <= TOLERANCE;
  return () => {
    const now = wall();
    const tick = monotonic();
    if (isEven(base, since, now, tick)) {
      base = now;
      since = tick;
      jumped = undefined;
      return now;
    }
    if (!jumped || !isEven(jumped.wall, jumped.at, now, tick)) jumped = { wall: now, at: tick };
    if (tick - jumped.at < settle) return Math.round(base + tick - since);
    base = now;
    since = tick;
    jumped = undefined;
    return now;
  };
}

export const systemClock: Clock = steadyClock();

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A part of each pause is left to chance, so that those who failed together do not come back together. */
const JITTER = 0.2;

export interface Pausing {
  /** Milliseconds, without failures. */
  every: number;
  longest: number;
  /** From 0 to 1. */
  chance: number;
}

/** Milliseconds to wait: twice as long after each failure in a row, up to the longest pause. */
export function pauseAfter(failures: number, { every, longest, chance }: Pausing): number {
  const pause = Math.min(Math.max(longest, every), every * 2 ** Math.min(failures, 20));
  return Math.round(pause * (1 - JITTER + 2 * JITTER * chance));
}
