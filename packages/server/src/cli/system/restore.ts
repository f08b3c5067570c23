import { restore } from '../../journal/backup.ts';
import type { Config } from '../../kernel/config.ts';
import type { Output } from '../output.ts';
import { openLocalJournal } from '../services/journal.ts';

export async function restoreBackup(config: Config, output: Output, file: string): Promise<void> {
  const report = await restore(file, config.data, (data) => openLocalJournal({ ...config, data }));
  output.answer({ data: config.data, ...report }, () =>
    [
      `${config.data} holds ${report.entries} entries, verified.`,
      ...(report.rebuilt.length > 0
        ? [`Tables that did not match its journal were rebuilt: ${report.rebuilt.join(', ')}.`]
        : []),
      ...(report.aside
        ? [`Files that an earlier database had left there were moved to ${report.aside}.`]
        : []),
    ].join('\n'),
  );
}
