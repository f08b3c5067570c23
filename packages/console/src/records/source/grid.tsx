import { type KeyboardEvent, memo, useCallback, useEffect, useId, useRef, useState } from 'react';
import { classes } from '../../design/classes.ts';
import { Unseen } from '../../design/layout/placeholders.tsx';
import { orderOf, SortButton } from '../../design/table/sort-button.tsx';
import type { RecordValues } from '../queries.ts';
import { cut, textOf, valueIn } from '../values.ts';
import styles from './grid.module.css';
import { moveFor } from './keys.ts';

export interface GridColumn {
  name: string;
  type: string;
}

interface GridProps {
  label: string;
  columns: readonly GridColumn[];
  records: readonly RecordValues[];
  /** How many stand before the first of these, and how many there are; undefined where nobody counted. */
  offset: number;
  total: number | undefined;
  sort: { by: string; isDown: boolean } | undefined;
  onSort: (column: string) => void;
  /** The one that is read. */
  chosen: number | undefined;
  onOpen: (place: number) => void;
  /** To another page: by how many, or to an end. False where there is none. */
  onTurn: (to: 1 | -1 | 'first' | 'last') => boolean;
  isOld: boolean;
}

/** One page of records. Arrow keys go from row to row and on to the next page, page keys from page to page. */
export function RecordGrid(props: GridProps) {
  const { label, columns, records, offset, total, sort, onSort, chosen, onOpen, onTurn, isOld } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(chosen ?? 0);
  const active = Math.min(at, records.length - 1);
  useEffect(() => {
    if (chosen !== undefined) setAt(chosen);
  }, [chosen]);
  // The last row of a page that has just come is far down.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the page that is followed
  useEffect(() => {
    if (at > 0 && scroller.current?.contains(document.activeElement)) show(active);
  }, [records]);
  const show = (place: number) =>
    scroller.current?.querySelector(`#${CSS.escape(`${id}-${place}`)}`)?.scrollIntoView({ block: 'nearest' });
  const go = (place: number) => {
    setAt(place);
    show(place);
  };
  const latest = useRef(onOpen);
  useEffect(() => {
    latest.current = onOpen;
  });
  // The same for every row as long as there is a grid: a key makes two rows anew, not all.
  const press = useCallback((place: number) => {
    setAt(place);
    latest.current(place);
  }, []);
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    // Buttons in the heading have keys of their own.
    if (event.target !== event.currentTarget || event.altKey || event.metaKey || event.shiftKey) return;
    const move = moveFor(event.key, event.ctrlKey, active, records.length - 1);
    if (!move) return;
    event.preventDefault();
    if (move.do === 'open') onOpen(active);
    else if (move.do === 'go') go(move.to);
    else if (onTurn(move.to)) {
      setAt(move.at);
      if (move.at === 0) scroller.current?.scrollTo({ top: 0 });
    }
  };
  return (
    <div ref={scroller} className={styles.scroller}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table that keys move in
        role="grid"
        aria-label={label}
        aria-rowcount={total === undefined ? -1 : total + 1}
        aria-activedescendant={records.length > 0 ? `${id}-${active}` : undefined}
        aria-busy={isOld || undefined}
        tabIndex={0}
        className={classes(styles.table, isOld && styles.old)}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.name} {...{ column, sort, onSort }} />
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, place) => (
            <Row
              // biome-ignore lint/suspicious/noArrayIndexKey: a page of rows is replaced as a whole
              key={place}
              id={`${id}-${place}`}
              {...{ record, columns, place, press }}
              index={offset + place + 2}
              isActive={place === active}
              isChosen={place === chosen}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadingProps {
  column: GridColumn;
  sort: GridProps['sort'];
  onSort: (column: string) => void;
}

function Heading({ column: { name, type }, sort, onSort }: HeadingProps) {
  const order = orderOf(sort, name);
  const isFigure = type === 'number';
  const shown = <bdi className={styles.name}>{name === '' ? '(no name)' : name}</bdi>;
  return (
    <th scope="col" className={classes(isFigure && styles.figure)} aria-sort={order}>
      {type === 'json' ? (
        <span className={styles.plain}>{shown}</span>
      ) : (
        <SortButton {...{ order, isFigure }} className={styles.sort} onPress={() => onSort(name)}>
          {shown}
        </SortButton>
      )}
    </th>
  );
}

interface RowProps {
  id: string;
  record: RecordValues;
  columns: readonly GridColumn[];
  place: number;
  index: number;
  isActive: boolean;
  isChosen: boolean;
  press: (place: number) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { id, record, columns, place, index, isActive, isChosen, press } = props;
  return (
    <tr
      id={id}
      aria-rowindex={index}
      aria-selected={isChosen}
      className={classes(styles.row, isActive && styles.active, isChosen && styles.chosen)}
      onClick={() => press(place)}
    >
      {columns.map(({ name, type }) => (
        <td key={name} className={classes(type === 'number' && styles.figure)}>
          <Cell value={valueIn(record, name)} />
        </td>
      ))}
    </tr>
  );
});

/** Characters of a cell: a record that is opened shows all. */
const MOST = 200;

function Cell({ value }: { value: unknown }) {
  if (value === undefined || value === null) {
    return (
      <span className={styles.none}>
        <span aria-hidden>–</span>
        <Unseen>no value</Unseen>
      </span>
    );
  }
  return (
    <bdi className={classes(styles.cell, typeof value === 'object' && styles.code)}>
      {cut(textOf(value), MOST)}
    </bdi>
  );
}
