import { memo } from 'react';
import { classes } from '../../design/classes.ts';
import { Twig } from '../../design/controls/twig.tsx';
import { compact, timeOfDay } from '../../design/data/format.ts';
import { StateMark } from '../model/states.tsx';
import { type OperationState, stateOf } from '../model/tree.ts';
import styles from './grid.module.css';
import { RowWords } from './row-words.tsx';
import type { Row } from './rows.ts';

const HEIGHTS = { branch: 54, operation: 30, mark: 28, group: 32, earlier: 32 };

export function heightOf({ kind }: Row): number {
  return HEIGHTS[kind];
}

interface RowProps {
  id: string;
  row: Row;
  index: number;
  top: number;
  scale: number;
  isActive: boolean;
  isChosen: boolean;
  onPress: (key: string) => void;
  onToggle: (key: string, isOpen: boolean) => void;
}

/** One that is focused stands for all: the grid says which row the keyboard is at. */
const ROW = { role: 'row' };
const CELL = { role: 'gridcell' };

/** Steps to the right after which deeper ones stand under each other. */
const DEEPEST = 8;

export const TreeRow = memo(function TreeRow(props: RowProps) {
  const { id, row, index, top, scale, isActive, isChosen, onPress, onToggle } = props;
  const { key, level, position, size, isOpen, isGone } = row;
  const { state, tokens, at, bar } = cellsOf(row);
  const described = {
    ...ROW,
    ...{ 'aria-level': level, 'aria-posinset': position, 'aria-setsize': size, 'aria-rowindex': index },
    ...{ 'aria-expanded': isOpen, 'aria-selected': isChosen },
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the grid's, which is what has the focus
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a row, as its attributes say
    <div
      id={id}
      {...described}
      tabIndex={-1}
      className={classes(
        styles.row,
        styles[row.kind],
        isGone && styles.gone,
        isActive && styles.active,
        isChosen && styles.chosen,
      )}
      style={{ transform: `translateY(${top}px)`, height: heightOf(row) }}
      onClick={() => onPress(key)}
    >
      <span
        {...CELL}
        className={styles.what}
        style={{ paddingInlineStart: `calc(${Math.min(level - 1, DEEPEST)} * var(--step))` }}
      >
        <Twig isOpen={isOpen} className={styles.twig} onToggle={(open) => onToggle(key, open)} />
        <RowWords row={row} />
      </span>
      <span {...CELL} className={styles.state}>
        {state && <StateMark state={state} isCell />}
      </span>
      <span {...CELL} className={styles.tokens}>
        {tokens !== undefined && (
          <>
            <span aria-hidden className={styles.track}>
              <span
                className={classes(styles.bar, bar && styles[`bar-${bar}`])}
                style={{ width: `${Math.min(100, (tokens / scale) * 100)}%` }}
              />
            </span>
            <span className={styles.figure}>{compact(tokens)}</span>
          </>
        )}
      </span>
      <span {...CELL} className={classes(styles.time, styles.extra)}>
        {at > 0 && timeOfDay(at)}
      </span>
    </div>
  );
}, isSame);

/** What a row shows is never changed in place: the same thing looks the same. */
function isSame(one: RowProps, other: RowProps): boolean {
  const { row: a, ...rest } = one;
  const { row: b, ...others } = other;
  return (
    (Object.keys(rest) as (keyof typeof rest)[]).every((name) => rest[name] === others[name]) &&
    (['key', 'kind', 'level', 'position', 'size', 'isOpen', 'isGone', 'isAway'] as const).every(
      (name) => a[name] === b[name],
    ) &&
    shownIn(a) === shownIn(b)
  );
}

function shownIn(row: Row): object {
  switch (row.kind) {
    case 'operation':
      return row.operation;
    case 'mark':
      return row.mark;
    case 'group':
      return row.group;
    default:
      return row.branch;
  }
}

function cellsOf(row: Row) {
  switch (row.kind) {
    case 'branch': {
      const { status, tokens, tokensFolded, createdAt } = row.branch;
      return { state: status, tokens: tokensFolded ?? tokens, at: createdAt, bar: status };
    }
    case 'operation': {
      const { tokens, at } = row.operation;
      const state = row.isGone ? 'discarded' : stateOf(row.operation);
      return { state, tokens, at, bar: barOf(row, state) };
    }
    case 'group':
      return {
        state: undefined,
        tokens: row.group.tokens,
        at: row.group.last.at,
        bar: barOf(row, 'counted'),
      };
    case 'mark':
      return { state: undefined, tokens: undefined, at: row.mark.at, bar: undefined };
    case 'earlier':
      return { state: undefined, tokens: undefined, at: 0, bar: undefined };
  }
}

/** What is out of the window with its branch looks like that. */
function barOf({ isGone, isAway }: Row, state: OperationState) {
  if (isGone || state === 'discarded') return 'discarded';
  return isAway ? 'folded' : state;
}
