import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { type Sort, type SortKey, sorted } from './sort.ts';
import { orderOf, SortButton } from './sort-button.tsx';
import styles from './table.module.css';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Figures stand under each other at their right. */
  isFigure?: boolean;
  /** Left out where there is little room. */
  isExtra?: boolean;
  /** What rows are sorted by in a table that can be sorted. */
  sortBy?: (row: Row) => SortKey;
}

interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** By the name of a column; with `onSort` the columns that say what they are sorted by can be pressed. */
  sort?: Sort;
  onSort?: (sort: Sort) => void;
}

export function Table<Row>({ caption, columns, rows, keyOf, sort, onSort }: TableProps<Row>) {
  const sortBy = columns.find(({ name }) => name === sort?.by)?.sortBy;
  const shown = sort && sortBy ? sorted(rows, sortBy, sort.isDown) : rows;
  const classOf = ({ isFigure, isExtra }: Column<Row>) =>
    classes(isFigure && styles.figure, isExtra && styles.extra);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={caption}>
      <table className={styles.table}>
        <caption className={styles.caption}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.name} {...{ column, sort, onSort }} className={classOf(column)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HeadingProps<Row> {
  column: Column<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
  className: string;
}

function Heading<Row>({ column: { name, sortBy, isFigure }, sort, onSort, className }: HeadingProps<Row>) {
  if (!sortBy || !onSort) {
    return (
      <th scope="col" className={className}>
        {name}
      </th>
    );
  }
  const order = orderOf(sort, name);
  // The largest figures are what one looks for first.
  const isDown = order ? order === 'ascending' : isFigure === true;
  return (
    <th scope="col" className={className} aria-sort={order}>
      <SortButton {...{ order, isFigure: isFigure === true }} onPress={() => onSort({ by: name, isDown })}>
        {name}
      </SortButton>
    </th>
  );
}
