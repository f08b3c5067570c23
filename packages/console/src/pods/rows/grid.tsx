import { ArrowDown } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { moveFor } from '../../design/controls/tree-keys.ts';
import { count } from '../../design/data/format.ts';
import { offsetFor } from '../../design/list/visible-range.ts';
import type { PodRow } from '../model/rows.ts';
import type { Delivery } from '../send/outbox.ts';
import styles from './grid.module.css';
import { ROW_HEIGHT, TreeRow } from './row.tsx';
import { useReading } from './use-reading.ts';

interface GridProps {
  rows: readonly PodRow[];
  label: string;
  me: string;
  /** Keys of what is looked at, and what became of messages of one's own. */
  chosen: string | undefined;
  delivered: ReadonlyMap<string, Delivery>;
  isPast: boolean;
  /** The beginning is near: older messages are wanted. */
  onOlder: (() => void) | undefined;
  onToggle: (key: string, isOpen: boolean) => void;
  onChoose: (key: string | undefined) => void;
}

/** The rows that are in sight, and keys to go through all of them. Whoever reads stays where they are while rows come. */
export function MessageGrid(props: GridProps) {
  const { rows, label, me, chosen, delivered, isPast, onOlder, onToggle, onChoose } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [active, setActive] = useState<string | undefined>(chosen);
  const { first, end, unread, toEnd, reveal } = useReading(scroller, rows, ROW_HEIGHT, onOlder);
  const found = active === undefined ? -1 : rows.findIndex(({ key }) => key === active);
  const at = found < 0 ? rows.length - 1 : found;
  const go = useCallback(
    (index: number) => {
      const element = scroller.current;
      const row = rows[index];
      if (!element || !row) return;
      setActive(row.key);
      element.scrollTop = offsetFor(index, element.scrollTop, element.clientHeight, ROW_HEIGHT);
    },
    [rows],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    if (event.key === 'Escape' && chosen !== undefined) onChoose(undefined);
    const move = moveFor(event.key, rows, at);
    if (!move) return;
    event.preventDefault();
    if (move.do === 'go') go(move.to);
    else if (move.do === 'choose') onChoose(move.key);
    else onToggle(move.key, move.do === 'open');
  };
  const latest = useRef({ onChoose, onToggle });
  useEffect(() => {
    latest.current = { onChoose, onToggle };
  });
  const press = useCallback((key: string) => {
    setActive(key);
    latest.current.onChoose(key);
  }, []);
  const toggle = useCallback((key: string, isOpen: boolean) => {
    setActive(key);
    latest.current.onToggle(key, isOpen);
  }, []);
  useEffect(() => reveal(chosen), [chosen, reveal]);
  const places = Array.from({ length: end - first }, (_, offset) => first + offset);
  if (at >= 0 && (at < first || at >= end)) places.push(at);
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="treegrid"
        aria-label={label}
        aria-rowcount={rows.length}
        aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className={styles.rows} style={{ height: rows.length * ROW_HEIGHT }}>
          {places.map((place) => {
            const row = rows[place]!;
            return (
              <TreeRow
                key={row.key}
                id={`${id}-${place}`}
                row={row}
                index={place}
                me={me}
                delivery={row.kind === 'message' ? delivered.get(row.message.envelope.id) : undefined}
                isActive={place === at}
                isChosen={row.key === chosen}
                isPast={isPast}
                onPress={press}
                onToggle={toggle}
              />
            );
          })}
        </div>
      </div>
      {unread > 0 && (
        <div className={styles.unread}>
          <Button size="small" look="main" icon={<ArrowDown aria-hidden />} onClick={toEnd}>
            {count(unread)} new below
          </Button>
        </div>
      )}
    </div>
  );
}
