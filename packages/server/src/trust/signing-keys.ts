import { currentKey, endorsementText, isSignedBy, type KeyRow, keysOf } from '../journal/integrity/keys.ts';
import type { Journal } from '../journal/journal.ts';
import { isoTime } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from './identity/caller.ts';
import type { AccessEvent } from './identity/events.ts';
import { accessStream } from './streams.ts';

export interface KnownKey {
  id: string;
  /** What stands between the lines of a PEM file. */
  public_key: string;
  made_at: string;
  in_use: boolean;
  /** The key before it, where that one did sign that this one follows it. */
  endorsed_by: string | null;
  /** What it signed. */
  checkpoints: { count: number; first: number; last: number } | null;
}

/** Oldest first. */
export function listKeys(database: Database): KnownKey[] {
  const keys = keysOf(database);
  return keys.map((key, index) => ({
    id: key.id,
    public_key: base64(key.public_key),
    made_at: isoTime(key.made_at),
    in_use: index === keys.length - 1,
    endorsed_by: isEndorsed(key, keys) ? key.endorsed_by : null,
    checkpoints: signedBy(database, key.id),
  }));
}

function isEndorsed({ public_key, endorsed_by, endorsement }: KeyRow, keys: readonly KeyRow[]): boolean {
  const before = keys.find(({ id }) => id === endorsed_by);
  return (
    before !== undefined &&
    endorsement !== null &&
    isSignedBy(before.public_key, endorsementText(public_key), endorsement)
  );
}

function signedBy(database: Database, key: string): KnownKey['checkpoints'] {
  const { count, first, last } = database.get<{ count: number; first: number; last: number }>(
    'SELECT count(*) AS count, min(seq) AS first, max(seq) AS last FROM journal_checkpoint WHERE key = ?',
    key,
  )!;
  return count === 0 ? null : { count, first, last };
}

/** The key in use signs that a new one follows it, and that is put on record with the new one; then its file goes. */
export async function rotateKey(journal: Journal, caller: Caller): Promise<{ from: string; to: string }> {
  const { keys } = journal;
  const old = await keys.current();
  const { row, key } = keys.make();
  const endorsement = old.sign(endorsementText(key.publicKey));
  const event: AccessEvent = {
    type: 'key.rotated',
    data: {
      from: old.id,
      to: key.id,
      public_key: base64(key.publicKey),
      endorsement: Buffer.from(endorsement).toString('hex'),
    },
  };
  const follower: KeyRow = { ...row, endorsed_by: old.id, endorsement };
  try {
    await keys.share(follower);
    await journal.commit({
      stream: accessStream(caller.org),
      actor: caller.actor,
      decide: (database) => {
        if (currentKey(database)?.id !== old.id) {
          throw new InfoldError('conflict', `The key ${old.id} was rotated meanwhile; see "infold key show"`);
        }
        return { events: [event], answer: null, key: follower };
      },
    });
  } catch (error) {
    // Where it is not known whether the entry was written, the nodes of a cluster may need the key.
    if (!isUncertain(error)) await keys.discard(key.id);
    throw error;
  }
  await keys.discardFormer();
  return { from: old.id, to: key.id };
}

function isUncertain(error: unknown): boolean {
  return InfoldError.isInstance(error) && error.code === 'unavailable';
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
