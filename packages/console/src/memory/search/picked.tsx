import { Merge } from 'lucide-react';
import { Button } from '../../design/controls/button.tsx';
import { plural } from '../../design/data/format.ts';
import { useAddress, useChangeAddress } from '../address.ts';
import styles from './picked.module.css';

/** Chooses an item for a merge. What was superseded already cannot be merged. */
export function Pick({ id, name, isOut = false }: { id: string; name: string; isOut?: boolean }) {
  const { pick = [] } = useAddress();
  const change = useChangeAddress();
  const toggle = (isChosen: boolean) => {
    const next = isChosen ? [...pick, id] : pick.filter((one) => one !== id);
    change({ pick: next.length === 0 ? undefined : next }, true);
  };
  return (
    <input
      type="checkbox"
      className={styles.pick}
      aria-label={`Choose ${name.slice(0, 80)}`}
      disabled={isOut}
      checked={pick.includes(id)}
      onChange={(event) => toggle(event.target.checked)}
    />
  );
}

/** What was chosen, and what can be done with it. */
export function Picked() {
  const { pick = [] } = useAddress();
  const change = useChangeAddress();
  if (pick.length === 0) return null;
  return (
    <div className={styles.bar}>
      <span role="status">{plural(pick.length, 'item')} chosen</span>
      <Button
        look="main"
        size="small"
        icon={<Merge aria-hidden />}
        disabled={pick.length < 2}
        onClick={() => change({ write: 'merge' })}
      >
        Merge into one
      </Button>
      <Button look="quiet" size="small" onClick={() => change({ pick: undefined }, true)}>
        Choose none
      </Button>
      {pick.length < 2 && <span className={styles.hint}>Choose at least two to merge them.</span>}
    </div>
  );
}
