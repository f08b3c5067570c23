import type { KvEntry } from '@nats-io/kv';
import { bytesOf, hexOf } from '../integrity/chain.ts';
import type { KeyRow, KeyShare } from '../integrity/keys.ts';
import type { Stores } from './stores.ts';

interface StoredKey {
  row: Omit<KeyRow, 'public_key' | 'endorsement'> & { public_key: string; endorsement: string | null };
  pem: string;
}

const BUCKET = 'keys';
/** Says which one is in use. */
const CURRENT = 'current';

/** All nodes sign with one key, so that it does not matter which one made a checkpoint. Who may read the journal may read it. */
export function clusterKeys(stores: Stores): KeyShare {
  const find = async (key: string): Promise<KvEntry | undefined> => {
    const found = await (await stores.bucket(BUCKET)).get(key);
    return found?.operation === 'PUT' ? found : undefined;
  };
  return {
    async take(id) {
      const name = id ?? (await find(CURRENT))?.string();
      const found = name === undefined ? undefined : await find(name);
      if (!found) return undefined;
      const { row, pem } = found.json<StoredKey>();
      const endorsement = row.endorsement === null ? null : bytesOf(row.endorsement);
      return { row: { ...row, public_key: bytesOf(row.public_key), endorsement }, pem };
    },
    async keep(row, pem) {
      const { public_key, endorsement } = row;
      const stored: StoredKey = {
        row: { ...row, public_key: hexOf(public_key), endorsement: endorsement && hexOf(endorsement) },
        pem,
      };
      await (await stores.bucket(BUCKET)).put(row.id, JSON.stringify(stored));
    },
    async promote(id, instead) {
      const keys = await stores.bucket(BUCKET);
      const known = await find(CURRENT);
      const current = known?.string();
      if (current === id) return true;
      // One whose private part is gone signs nothing: nodes that know of no other one would look for it for ever.
      if (known && !instead.includes(current!) && (await find(current!))) return false;
      try {
        await (known ? keys.update(CURRENT, id, known.revision) : keys.create(CURRENT, id));
        return true;
      } catch {
        return (await find(CURRENT))?.string() === id;
      }
    },
    async discard(id) {
      const found = await find(id);
      // Deleting the key alone leaves its bytes in the files of the server until they are written anew.
      if (found) await stores.eraseMessage(`KV_${stores.name}_${BUCKET}`, found.revision);
    },
  };
}
