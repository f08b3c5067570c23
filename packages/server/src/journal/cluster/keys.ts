import { bytesOf, hexOf } from '../integrity/chain.ts';
import type { KeyRow, KeyShare } from '../integrity/keys.ts';
import type { Stores } from './stores.ts';

interface StoredKey {
  row: Omit<KeyRow, 'public_key' | 'endorsement'> & { public_key: string; endorsement: string | null };
  pem: string;
}

const CURRENT = 'current';

/** All nodes sign with one key, so that it does not matter which one made a checkpoint. Who may read the journal may read it. */
export function clusterKeys(stores: Stores): KeyShare {
  const bucket = () => stores.bucket('keys');
  return {
    async take(id = CURRENT) {
      const found = await (await bucket()).get(id);
      if (found?.operation !== 'PUT') return undefined;
      const { row, pem } = found.json<StoredKey>();
      const endorsement = row.endorsement === null ? null : bytesOf(row.endorsement);
      return { row: { ...row, public_key: bytesOf(row.public_key), endorsement }, pem };
    },
    async offer(row, pem) {
      const keys = await bucket();
      const { public_key, endorsement } = row;
      const stored: StoredKey = {
        row: { ...row, public_key: hexOf(public_key), endorsement: endorsement && hexOf(endorsement) },
        pem,
      };
      const text = JSON.stringify(stored);
      await keys.put(row.id, text);
      try {
        await keys.create(CURRENT, text);
        return true;
      } catch {
        return (await keys.get(CURRENT))?.json<StoredKey>().row.id === row.id;
      }
    },
  };
}
