import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyIdOf, keysOf } from '../../journal/integrity/keys.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { openDatabase } from '../../kernel/sqlite.ts';

export function readGivenFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${file} cannot be read`, { cause: error });
  }
}

export function describeSigner(id: string, isKnown: boolean): string {
  if (isKnown) return `It is signed by ${id}, which is known.`;
  return `It is signed by ${id}, which is not known here: ask the journal's owner whether that is its key, and name it with --key.`;
}

/** The id of a key that was named by it, or by a file with the public key, as PEM or as what stands inside one. */
export function keyNamed(key: string): string {
  if (/^key_[0-9a-f]{32}$/.test(key)) return key;
  const hint = 'give the id that "infold key show" prints, or a file with the public key';
  let text: string;
  try {
    text = readFileSync(key, 'utf8').trim();
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${key} is neither a key nor a readable file; ${hint}`, {
      cause: error,
    });
  }
  try {
    const source = text.startsWith('-----')
      ? text
      : { key: Buffer.from(text, 'base64'), format: 'der' as const, type: 'spki' as const };
    return keyIdOf(createPublicKey(source).export({ format: 'der', type: 'spki' }));
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${key} holds no public key; ${hint}`, { cause: error });
  }
}

/** Those of the data folder, where there is one: it is not needed, and not made or changed for this. */
export async function knownKeys(config: Config): Promise<string[]> {
  const path = join(config.data, 'infold.db');
  if (!existsSync(path)) return [];
  try {
    const database = await openDatabase(path, { readOnly: true, immutable: !existsSync(`${path}-wal`) });
    try {
      return keysOf(database).map(({ id }) => id);
    } finally {
      database.close();
    }
  } catch {
    // A folder of an earlier version, or a damaged one, knows none.
    return [];
  }
}
