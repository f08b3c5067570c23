import { useAccount } from '../../api/account.tsx';
import { moveFocus } from '../../design/controls/roving.ts';
import { AboutItem, ItemName, Passage } from '../parts.tsx';
import type { Brief } from '../queries.ts';
import { Pick } from './picked.tsx';
import styles from './results.module.css';

/** Items in a list, with the beginning of what they say. */
export function Briefs({ items, label }: { items: readonly Brief[]; label: string }) {
  const { may } = useAccount();
  return (
    <ul className={styles.results} aria-label={label} onKeyDown={moveFocus}>
      {items.map((item) => (
        <li key={`${item.project_id} ${item.id}`} className={styles.result}>
          {may('write') && <Pick id={item.id} name={item.name} isOut={item.superseded_by !== null} />}
          <div className={styles.words}>
            <ItemName item={item}>{item.name}</ItemName>
            {item.title !== null && <Passage>{item.excerpt}</Passage>}
            <AboutItem item={item} />
          </div>
        </li>
      ))}
    </ul>
  );
}
