import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import type { Sort } from './sort.ts';
import styles from './sort-button.module.css';

interface SortButtonProps {
  /** How the table is sorted by this column; undefined where it is by another one. */
  order: 'ascending' | 'descending' | undefined;
  /** Whether the column's words stand at its right. */
  isFigure: boolean;
  className?: string | undefined;
  onPress: () => void;
  children: ReactNode;
}

/** The heading of a column that rows can be sorted by. */
export function SortButton({ order, isFigure, className, onPress, children }: SortButtonProps) {
  return (
    <button
      type="button"
      className={classes(styles.sort, isFigure && styles.figure, order && styles.sorted, className)}
      onClick={onPress}
    >
      {children}
      {order === 'descending' ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />}
    </button>
  );
}

/** As `aria-sort` says it. */
export function orderOf(sort: Sort | undefined, column: string): SortButtonProps['order'] {
  if (sort?.by !== column) return undefined;
  return sort.isDown ? 'descending' : 'ascending';
}
