import { FORGETTABLE } from '@infold/protocol';
import { backUp, restore } from '../../journal/backup.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { forget } from '../../system/actions/forget.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import type { Output } from '../output.ts';
import { openExistingJournal, openJournal } from '../services/journal.ts';

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

export async function restoreBackup(config: Config, output: Output, file: string): Promise<void> {
  const report = await restore(file, config.data, (data) => openJournal({ ...config, data }));
  output.answer({ data: config.data, ...report }, () =>
    [
      `${config.data} holds ${report.entries} entries, verified.`,
      ...(report.rebuilt.length > 0
        ? [`Tables that its journal makes differently were made anew: ${report.rebuilt.join(', ')}.`]
        : []),
      ...(report.aside ? [`What an earlier database had left there was moved to ${report.aside}.`] : []),
    ].join('\n'),
  );
}

export type ForgetFlags = { [kind in (typeof FORGETTABLE)[number]]?: string } & { org?: string };

export function forgetTarget(run: Run, flags: ForgetFlags): Promise<number> {
  const named = FORGETTABLE.filter((kind) => flags[kind] !== undefined);
  const kind = named[0];
  if (!kind || named.length > 1) {
    const options = FORGETTABLE.map((name) => `--${name} ID`).join(', ');
    throw new InfoldError('invalid_arguments', `Name what to forget with one of ${options}`);
  }
  return act(
    run,
    forget,
    { kind, id: flags[kind], org: flags.org },
    {
      show: ({ forgotten: { id }, entries, results }) => {
        if (entries + results === 0) return `Nothing of ${kind} ${id} is left to erase.`;
        return `What ${entries} entries held of ${kind} ${id} is erased. The chain still verifies.`;
      },
    },
  );
}
