import { mayOnlyBeRead } from '../../journal/open.ts';
import type { Config } from '../../kernel/config.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { type KnownKey, listKeys, rotateKey } from '../../trust/signing-keys.ts';
import { type Output, table } from '../output.ts';
import { openExistingJournal } from '../services/journal.ts';

/** The first one is made by asking for it. */
export async function keyShow(config: Config, output: Output): Promise<void> {
  const journal = await openExistingJournal(config);
  try {
    if (!mayOnlyBeRead(journal.database.path)) await journal.keys.current();
    const keys = listKeys(journal.database);
    output.answer({ keys }, () => describe(keys));
  } finally {
    await journal.close();
  }
}

export async function keyRotate(config: Config, output: Output): Promise<void> {
  const journal = await openExistingJournal(config);
  try {
    const rotated = await rotateKey(journal, localOwner);
    output.answer(
      { ...rotated, keys: listKeys(journal.database) },
      () => `${rotated.to} signs from now on. ${rotated.from} has signed the handover and is retired.`,
    );
  } finally {
    await journal.close();
  }
}

function describe(keys: readonly KnownKey[]): string {
  const inUse = keys.find((key) => key.in_use);
  if (!inUse) return 'There is no key yet.';
  const rows = keys.map(({ id, made_at, in_use, endorsed_by, checkpoints }) => [
    id,
    made_at,
    in_use ? 'in use' : 'former',
    checkpoints ? `${checkpoints.count} (${checkpoints.first}–${checkpoints.last})` : 'none',
    endorsed_by ?? '–',
  ]);
  const header = ['key', 'made', 'state', 'signed checkpoints', 'endorsed by'];
  const pem = `-----BEGIN PUBLIC KEY-----\n${inUse.public_key}\n-----END PUBLIC KEY-----`;
  return `${table(rows, header)}\n\n${pem}`;
}
