import { ApiError } from '@infold/client/api';
import { FileQuestion, GitMerge, Layers, PencilLine, Trash2 } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { useTitle } from '../../design/hooks/use-title.ts';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { useAddress, useChangeAddress, useReading } from '../address.ts';
import { Contradicted, ItemLink, Kind, Line, Superseded } from '../parts.tsx';
import { type MemoryItem, useItem } from '../queries.ts';
import { ItemFacts } from './facts.tsx';
import { History } from './history.tsx';
import styles from './page.module.css';
import { Relations } from './relations.tsx';
import { ItemText } from './text.tsx';

export default function ItemPage() {
  const { id } = useAddress();
  const { data, error, refetch } = useItem(id, useReading());
  if (id === undefined) {
    return (
      <Empty icon={<FileQuestion aria-hidden />} title="Which item?">
        <p>Choose one on the other pages.</p>
      </Empty>
    );
  }
  const isGone = error instanceof ApiError && error.status === 404;
  if (error && (!data || isGone))
    return <Problem what="The item could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="the item">
        <Skeleton lines={8} height="2rem" />
      </Loading>
    );
  }
  return <ItemView key={data.id} item={data} />;
}

function ItemView({ item }: { item: MemoryItem }) {
  useTitle(item.name);
  return (
    <article className={styles.item} aria-label={item.name}>
      <header className={styles.header}>
        <div className={styles.words}>
          <h2 className={styles.name}>
            <bdi>{item.name}</bdi>
          </h2>
          <Line>
            <Kind kind={item.kind} />
            {item.superseded_by !== null && <Superseded />}
            {item.contradicted_by.length > 0 && <Contradicted />}
          </Line>
        </div>
        <Actions item={item} />
      </header>
      {item.superseded_by !== null && (
        <p className={styles.warning}>
          <Layers aria-hidden />
          <span>
            No pack holds this any more: it was superseded by{' '}
            <ItemLink item={{ ...item, id: item.superseded_by }}>{item.superseded_by}</ItemLink>.
          </span>
        </p>
      )}
      <div className={styles.columns}>
        <div className={styles.main}>
          <ItemText item={item} />
          <Relations item={item} />
        </div>
        <div className={styles.aside}>
          <ItemFacts item={item} />
          <History item={item} />
        </div>
      </div>
    </article>
  );
}

function Actions({ item: { id, superseded_by } }: { item: MemoryItem }) {
  const { may } = useAccount();
  const { pick = [] } = useAddress();
  const change = useChangeAddress();
  if (!may('write')) return null;
  const others = pick.filter((one) => one !== id);
  return (
    <div className={styles.actions}>
      {superseded_by === null && (
        <Button icon={<PencilLine aria-hidden />} onClick={() => change({ write: 'supersede' })}>
          Supersede
        </Button>
      )}
      {superseded_by === null && others.length > 0 && (
        <Button
          icon={<GitMerge aria-hidden />}
          onClick={() => change({ write: 'merge', pick: [...others, id] })}
        >
          Merge with what is chosen
        </Button>
      )}
      {may('admin') && (
        <Button look="quiet" icon={<Trash2 aria-hidden />} onClick={() => change({ write: 'forget' })}>
          Forget
        </Button>
      )}
    </div>
  );
}
