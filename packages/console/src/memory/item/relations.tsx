import type { RelationType } from '@infold/protocol';
import { ArrowLeft, ArrowRight, Plus, Undo2 } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { placeIn, useAddress, useChangeAddress, useReading } from '../address.ts';
import { inWords } from '../kinds.ts';
import { ItemLink, Kind, Superseded } from '../parts.tsx';
import { type MemoryItem, type Related, useRelations } from '../queries.ts';
import { useDeed } from '../write/deeds.ts';
import { layOut } from './graph.ts';
import { GraphView } from './graph-view.tsx';
import styles from './relations.module.css';

/** What an item is related to, drawn and in words. */
export function Relations({ item }: { item: MemoryItem }) {
  const { may } = useAccount();
  const { open = [] } = useAddress();
  const reading = useReading();
  const change = useChangeAddress();
  const { data, error, refetch } = useRelations([item.id, ...open], reading);
  if (error && !data) {
    return <Problem what="The relations could not be read" error={error} onRetry={refetch} />;
  }
  const own = data?.[item.id];
  const relate = may('write') && (
    <Button size="small" icon={<Plus aria-hidden />} onClick={() => change({ write: 'relate' })}>
      Relate
    </Button>
  );
  if (!data || !own) return <Loading what="relations" />;
  if (own.length === 0) {
    return (
      <Panel title="Relations" aside={relate}>
        <p className={styles.none}>
          It is related to nothing. Agents relate items when they remember, people here or with{' '}
          <code>npx infold memory relate</code>.
        </p>
      </Panel>
    );
  }
  const start = {
    ...{ id: item.id, name: item.name, kind: item.kind },
    isSuperseded: item.superseded_by !== null,
  };
  const toggle = (id: string) => {
    const next = open.includes(id) ? open.filter((one) => one !== id) : [...open, id];
    change({ open: next.length === 0 ? undefined : next }, true);
  };
  return (
    <Panel title="Relations" aside={relate}>
      <div className={styles.body}>
        <GraphView graph={layOut(start, open, data)} center={item.id} reading={reading} onToggle={toggle} />
        <ul className={styles.list} aria-label="Relations">
          {own.map((related) => (
            <RelationRow
              key={`${related.direction} ${related.relationship} ${related.id}`}
              item={item}
              related={related}
            />
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function RelationRow({ item, related }: { item: MemoryItem; related: Related }) {
  const { may } = useAccount();
  const reading = useReading();
  const { id, name, type, relationship, direction, superseded_by } = related;
  const isOutgoing = direction === 'outgoing';
  const undo = useDeed<void>(async (api) => {
    const [from, to] = isOutgoing ? [item.id, id] : [id, item.id];
    const relation = { type: relationship as RelationType, id: to };
    await api.unrelateItems({ item: from, ...relation, ...reading });
    return {
      said: 'The relation was taken back.',
      undo: (again) => again.relateItems({ item: from, ...relation, ...reading }),
    };
  });
  return (
    <li className={styles.relation}>
      <span className={styles.type}>
        {isOutgoing ? <ArrowRight aria-hidden /> : <ArrowLeft aria-hidden />}
        {isOutgoing ? inWords(relationship) : `${inWords(relationship)} this`}
      </span>
      <ItemLink item={placeIn(reading, id)} className={styles.name}>
        {name}
      </ItemLink>
      <Kind kind={type} />
      {superseded_by !== null && <Superseded />}
      {may('write') && (
        <Button
          size="small"
          look="quiet"
          icon={<Undo2 aria-hidden />}
          isBusy={undo.isPending}
          aria-label={`Take back: ${inWords(relationship)} ${name}`}
          onClick={() => undo.mutate()}
        >
          Take back
        </Button>
      )}
      {undo.error && <Problem what="It was not taken back" error={undo.error} />}
    </li>
  );
}
