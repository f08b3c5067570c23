import { Pin } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { moveFocus } from '../../design/controls/roving.ts';
import { Badge } from '../../design/data/badge.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { inWords } from '../kinds.ts';
import { ItemLink, ItemName, Kind, Line, Passage } from '../parts.tsx';
import type { Explained, Explanation } from '../queries.ts';
import styles from './explained.module.css';
import { laneShares, sumOf } from './lanes.ts';

type Left = Explanation['left_out'][number];

const WHY: Readonly<Record<Left['why'], string>> = {
  limit: 'over the limit',
  floor: 'fits too little',
  repeated: 'says the same as another',
  archived: 'archived',
  budget: 'over the budget',
};

/** Items with what spoke for each. */
export function ExplainedItems({ items, label }: { items: readonly (Explained | Left)[]; label: string }) {
  const { may } = useAccount();
  const { project } = useAddress();
  const change = useChangeAddress();
  const most = Math.max(...items.map(({ score }) => score), 0.0001);
  return (
    <ol className={styles.items} aria-label={label} onKeyDown={moveFocus}>
      {items.map((item) => (
        <li key={item.id} className={styles.item}>
          <div className={styles.head}>
            <ItemName item={{ id: item.id, project_id: project ?? null }}>{item.name}</ItemName>
            {may('write') && (
              <Button look="quiet" size="small" onClick={() => change({ write: 'supersede', id: item.id })}>
                Supersede
              </Button>
            )}
          </div>
          <Passage>{item.passage.text}</Passage>
          <Line>
            <Kind kind={item.type} />
            <Badge tone="note">in {inWords(item.facet)}</Badge>
            {item.pinned && (
              <Badge tone="good" icon={<Pin aria-hidden />}>
                work that is going on
              </Badge>
            )}
            {'why' in item && <Badge tone="warn">{WHY[item.why]}</Badge>}
            <bdi>{'detail' in item ? item.detail : item.reason}</bdi>
          </Line>
          <Lanes item={item} most={most} />
        </li>
      ))}
    </ol>
  );
}

/** How the lanes came to the score: a bar as long as the score, and in words. */
function Lanes({ item: { score, lanes, factors, words, via }, most }: { item: Explained; most: number }) {
  const shares = laneShares(lanes);
  const sum = sumOf(score, shares, factors);
  return (
    <details className={styles.why}>
      <summary className={styles.summary}>
        <span className={styles.score}>{score}</span>
        <span className={styles.bar} aria-hidden>
          {shares.map(({ lane, share, tone }) => (
            <span
              key={lane}
              className={classes(styles.lane, styles[`tone${tone}`])}
              style={{ width: `${((share * score) / most) * 100}%` }}
            />
          ))}
        </span>
        <span className={styles.legend}>
          {shares.length === 0 ? 'no lane found it' : shares.map(({ name }) => name).join(', ')}
        </span>
      </summary>
      <div className={styles.reckoned}>
        <ul className={styles.shares}>
          {shares.map(({ lane, name, amount, tone }) => (
            <li key={lane}>
              <span className={classes(styles.dot, styles[`tone${tone}`])} aria-hidden />
              {name} <span className={styles.amount}>{amount}</span>
            </li>
          ))}
        </ul>
        <p>{sum}</p>
        {words.length > 0 && (
          <p>
            Words of the goal in it: <bdi>{words.join(', ')}</bdi>
          </p>
        )}
        {via !== undefined && (
          <p>
            Led to by a relation of <ItemLink item={{ id: via }}>{via}</ItemLink>
          </p>
        )}
      </div>
    </details>
  );
}
