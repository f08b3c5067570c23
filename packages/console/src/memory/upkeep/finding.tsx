import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { AboutItem, ItemLink } from '../parts.tsx';
import type { Brief, Finding } from '../queries.ts';
import { keepOne, useDeed } from '../write/deeds.ts';
import styles from './finding.module.css';

/** Criteria by which the items of a finding are in each other's way. */
const RIVALS = new Set<Finding['criterion']>(['contradiction', 'same_name', 'exact_double', 'same_words']);

export function FindingRow({ finding }: { finding: Finding }) {
  const { may } = useAccount();
  const { project } = useAddress();
  const change = useChangeAddress();
  const { items, why, criterion } = finding;
  const areRivals = RIVALS.has(criterion);
  const keep = useDeed<Brief>((api, kept) =>
    keepOne(api, {
      kept,
      others: items.filter((item) => item !== kept).map(({ id }) => id),
      place: { project },
    }),
  );
  return (
    <li className={styles.finding}>
      <p className={styles.why}>{why}</p>
      {keep.error && <Problem what="Nothing was superseded" error={keep.error} />}
      <ul className={styles.items}>
        {items.map((item) => (
          <li key={`${item.project_id} ${item.id}`} className={styles.item}>
            <div className={styles.words}>
              <ItemLink item={item} className={styles.name}>
                {item.name}
              </ItemLink>
              <p className={styles.excerpt} dir="auto">
                {item.excerpt}
              </p>
              <AboutItem item={item} />
            </div>
            {may('write') && item.superseded_by === null && (
              <div className={styles.actions}>
                {areRivals && (
                  <Button size="small" isBusy={keep.isPending} onClick={() => keep.mutate(item)}>
                    Keep this one
                  </Button>
                )}
                {!areRivals && (
                  <Button size="small" onClick={() => change({ write: 'supersede', id: item.id })}>
                    Supersede
                  </Button>
                )}
                {!areRivals && may('admin') && (
                  <Button size="small" look="quiet" onClick={() => change({ write: 'forget', id: item.id })}>
                    Forget
                  </Button>
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
      {areRivals && may('write') && (
        <Button
          size="small"
          look="quiet"
          onClick={() => change({ write: 'merge', pick: items.map(({ id }) => id) })}
        >
          Merge them into a new one
        </Button>
      )}
    </li>
  );
}
