import { join } from 'node:path';
import { backUp } from '../../journal/backup.ts';
import { BlobStore } from '../../journal/blobs.ts';
import type { Config } from '../../kernel/config.ts';
import type { Output } from '../output.ts';
import { openJournalToRead } from '../services/journal.ts';

export async function backup(
  config: Config,
  output: Output,
  file: string,
  flags: { withoutKey?: boolean },
): Promise<void> {
  const journal = await openJournalToRead(config, output.note);
  try {
    const keys = flags.withoutKey ? undefined : journal.keys.files;
    const blobs = new BlobStore(join(config.data, 'blobs'));
    const report = await backUp(journal.database, blobs, file, keys);
    const key = flags.withoutKey ? 'It holds no private key.' : 'It holds the private key of the folder.';
    output.answer({ file, ...report }, () => `${file} holds ${report.entries} entries, verified. ${key}`);
  } finally {
    await journal.close();
  }
}
