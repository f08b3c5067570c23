import { count, share } from '../../design/data/format.ts';
import type { Verification } from '../queries.ts';
import styles from './progress.module.css';

export function Progress({ verification: { done, total } }: { verification: Verification }) {
  const part = total === 0 ? 0 : Math.min(1, done / total);
  return (
    <div className={styles.progress}>
      <div
        role="progressbar"
        aria-label="Verification of the journal"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        className={styles.track}
      >
        <div className={styles.done} style={{ width: `${100 * part}%` }} />
      </div>
      <p className={styles.words}>
        {count(done)} of {count(total)} entries, {share(part)}. Calls come first, so the server keeps working
        as usual.
      </p>
    </div>
  );
}
