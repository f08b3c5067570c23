import { backUp, restore } from '../journal/backup.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import { Records } from '../transient/records/index.ts';
import { LOCAL_ORG, localOwner } from '../trust/caller.ts';
import { FORGETTABLE, type ForgetTarget, forget } from '../trust/forget.ts';
import { FORGETTERS } from './forgetters.ts';
import type { Output } from './output.ts';
import { openExistingJournal, openJournal } from './services.ts';

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
    output.answer({ file, ...report }, () => `${file} holds ${report.entries} entries, verified.`);
  } finally {
    await journal.close();
  }
}

export async function restoreBackup(config: Config, output: Output, file: string): Promise<void> {
  const report = await restore(file, config.data, (data) => openJournal({ ...config, data }));
  output.answer({ data: config.data, ...report }, () =>
    [
      `${config.data} holds ${report.entries} entries, verified.`,
      ...(report.aside ? [`What an earlier database had left there was moved to ${report.aside}.`] : []),
    ].join('\n'),
  );
}

export type ForgetFlags = { [kind in ForgetTarget['kind']]?: string } & { org?: string };

export async function forgetTarget(config: Config, output: Output, flags: ForgetFlags): Promise<void> {
  const named = FORGETTABLE.filter((kind) => flags[kind] !== undefined);
  const kind = named[0];
  if (!kind || named.length > 1) {
    const options = FORGETTABLE.map((name) => `--${name} ID`).join(', ');
    throw new InfoldError('invalid_arguments', `Say what to forget with one of ${options}`);
  }
  const journal = await openExistingJournal(config);
  try {
    const target = { kind, id: flags[kind]!, org: flags.org ?? LOCAL_ORG };
    const results = kind === 'principal' ? await forgetResults(config, target) : 0;
    const { entries } = await forget(journal, localOwner, target, FORGETTERS).catch((error: unknown) => {
      // Somebody who only read has left nothing in the journal.
      if (results > 0 && InfoldError.isInstance(error) && error.code === 'not_found') return { entries: 0 };
      throw error;
    });
    output.answer({ forgotten: target, entries, results }, () => {
      if (entries + results === 0) return `Nothing of ${kind} ${target.id} is left to erase.`;
      return `What ${entries} entries held of ${kind} ${target.id} is erased. The chain still verifies.`;
    });
  } finally {
    await journal.close();
  }
}

/** Results that are kept for a while stand beside the journal. */
async function forgetResults(config: Config, { org, id }: ForgetTarget): Promise<number> {
  const records = new Records(config, systemClock);
  try {
    return await records.scratch.forget({ org, principal: id });
  } finally {
    await records.close();
  }
}
