import { useEffect, useRef } from 'react';

const TICK = 100;

/**
 * While it goes on, so many steps a second: several at once where they are faster than it ticks. Steps that could not be
 * taken yet, for which `take` answers false, are still due.
 */
export function usePace(isOn: boolean, speed: number, take: (steps: number) => boolean): void {
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    if (!isOn) return;
    let due = 0;
    const timer = setInterval(() => {
      due += (speed * TICK) / 1000;
      const steps = Math.floor(due);
      if (steps >= 1 && latest.current(steps)) due -= steps;
    }, TICK);
    return () => clearInterval(timer);
  }, [isOn, speed]);
}
