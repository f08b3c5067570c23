import type { Config } from '../kernel/config.ts';
import { EXIT, type Output } from './output.ts';
import { progressBar } from './progress.ts';
import { openJournal } from './services.ts';

/** Exit code 4 when an entry is not as it was written. */
export async function verify(config: Config, output: Output): Promise<number> {
  const journal = await openJournal(config);
  const bar = progressBar('verifying');
  try {
    const report = await journal.verify(bar.update);
    bar.done();
    output.answer(report, () => {
      if (report.first) {
        const { seq, id, stream, problem } = report.first;
        return `The journal is not as it was written. First bad entry: ${seq}${id ? ` (${id} in ${stream})` : ''}, ${problem}`;
      }
      const erased = report.erased > 0 ? `, ${report.erased} erased` : '';
      return `The journal is as it was written: ${report.entries} entries, ${report.events} events${erased}. Head ${report.head.hash}`;
    });
    return report.ok ? EXIT.done : EXIT.found;
  } finally {
    bar.done();
    await journal.close();
  }
}

export async function rebuild(config: Config, output: Output): Promise<void> {
  const journal = await openJournal(config);
  const bar = progressBar('rebuilding');
  try {
    const started = performance.now();
    const result = await journal.rebuild(bar.update);
    bar.done();
    const seconds = (performance.now() - started) / 1000;
    output.answer({ ...result, seconds }, () => {
      return `All tables were made anew from ${result.entries} entries (${result.events} events) in ${seconds.toFixed(1)} s.`;
    });
  } finally {
    bar.done();
    await journal.close();
  }
}
