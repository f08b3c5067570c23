import type { Config } from '../../kernel/config.ts';
import type { Output } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { openJournalToRead } from '../services/journal.ts';

export async function rebuild(config: Config, output: Output): Promise<void> {
  const journal = await openJournalToRead(config, output.note);
  const bar = progressBar('rebuilding');
  try {
    const started = performance.now();
    const result = await journal.rebuild(bar.update);
    bar.done();
    const seconds = (performance.now() - started) / 1000;
    output.answer({ ...result, seconds }, () => {
      return `All tables were rebuilt from ${result.entries} entries (${result.events} events) in ${seconds.toFixed(1)} s.`;
    });
  } finally {
    bar.done();
    await journal.close();
  }
}
