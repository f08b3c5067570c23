/** Milliseconds since 1970. Injected wherever a decision depends on the time, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
