import type { Progress } from '../journal/journal.ts';

const WIDTH = 30;

/** A bar on stderr for people; nothing where stderr is not a terminal. */
export function progressBar(label: string): { update: Progress; done(): void } {
  if (!process.stderr.isTTY) return { update: () => {}, done: () => {} };
  const started = performance.now();
  let drawnAt = 0;
  const draw = (done: number, total: number) => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.round(share * WIDTH);
    const rate = Math.round(done / Math.max(0.001, (performance.now() - started) / 1000));
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    process.stderr.write(`\r${label} ${bar} ${Math.round(share * 100)}% ${done}/${total} (${rate}/s)\x1b[K`);
  };
  return {
    update: (done, total) => {
      if (performance.now() - drawnAt < 80 && done < total) return;
      drawnAt = performance.now();
      draw(done, total);
    },
    done: () => process.stderr.write('\r\x1b[K'),
  };
}
