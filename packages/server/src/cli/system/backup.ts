import { backUp } from '../../journal/backup.ts';
import type { Config } from '../../kernel/config.ts';
import type { Output } from '../output.ts';
import { openExistingJournal } from '../services/journal.ts';

export async function backup(
  config: Config,
  output: Output,
  file: string,
  flags: { withoutKey?: boolean },
): Promise<void> {
  const journal = await openExistingJournal(config);
  try {
    const keys = flags.withoutKey ? undefined : journal.keys.files;
    const report = await backUp(journal.database, journal.blobs, file, keys);
    const key = flags.withoutKey ? 'It holds no private key.' : 'It holds the private key of the folder.';
    output.answer({ file, ...report }, () => `${file} holds ${report.entries} entries, verified. ${key}`);
  } finally {
    await journal.close();
  }
}
