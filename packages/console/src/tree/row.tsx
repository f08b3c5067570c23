import { ChevronRight, GitBranch, History, Layers, Split, Wrench } from 'lucide-react';
import { memo } from 'react';
import { classes } from '../design/classes.ts';
import { compact, count, plural, timeOfDay } from '../design/format.ts';
import styles from './grid.module.css';
import { type Branch, MAIN, type Operation, stateOf } from './model.ts';
import type { Group, Row } from './rows.ts';
import { MARKS, StateMark } from './states.tsx';

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
        {isOpen === undefined ? (
          <span className={styles.twig} />
        ) : (
          <span
            aria-hidden
            className={classes(styles.twig, styles.toggle, isOpen && styles.open)}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(key, !isOpen);
            }}
          >
            <ChevronRight />
          </span>
        )}
        <What row={row} />
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
    (['key', 'kind', 'level', 'position', 'size', 'isOpen', 'isGone'] as const).every(
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
      const state = stateOf(row.operation);
      return { state, tokens: row.operation.tokens, at: row.operation.at, bar: state };
    }
    case 'group':
      return { state: undefined, tokens: row.group.tokens, at: row.group.last.at, bar: 'counted' as const };
    case 'mark':
      return { state: undefined, tokens: undefined, at: row.mark.at, bar: undefined };
    case 'earlier':
      return { state: undefined, tokens: undefined, at: 0, bar: undefined };
  }
}

function What({ row }: { row: Row }) {
  switch (row.kind) {
    case 'branch':
      return <BranchWords branch={row.branch} />;
    case 'operation':
      return <OperationWords operation={row.operation} />;
    case 'group':
      return <GroupWords group={row.group} />;
    case 'mark': {
      const { icon: Icon, word } = MARKS[row.mark.what];
      return (
        <>
          <Icon aria-label={word} className={styles.icon} />
          <bdi className={styles.name}>{row.mark.text}</bdi>
        </>
      );
    }
    case 'earlier':
      return (
        <>
          <History aria-hidden className={styles.icon} />
          <span className={styles.name}>
            {plural(row.branch.earlier, 'earlier operation')}
            <span className={styles.soft}> · not held in this page</span>
          </span>
        </>
      );
  }
}

function BranchWords({ branch }: { branch: Branch }) {
  const isMain = branch.id === MAIN;
  const Icon = isMain ? Split : GitBranch;
  return (
    <>
      <Icon aria-hidden className={classes(styles.icon, styles[`is-${branch.status}`])} />
      <span className={styles.lines}>
        <bdi className={styles.title}>{isMain ? 'Main thread' : branch.description}</bdi>
        <span className={styles.second}>{aboutBranch(branch)}</span>
      </span>
    </>
  );
}

function aboutBranch(branch: Branch) {
  const { status, tokensFolded, summary, summaryTokens, counted, foldedBy } = branch;
  const did = plural(counted, 'operation');
  if (status === 'folded' && tokensFolded !== null) {
    return (
      <>
        saved {count(tokensFolded - summaryTokens)} ·{' '}
        {foldedBy ? 'folded with its parent' : <bdi>{summary}</bdi>}
      </>
    );
  }
  if (summary) {
    return (
      <>
        {did} · <bdi>{summary}</bdi>
      </>
    );
  }
  return did;
}

function OperationWords({ operation }: { operation: Operation }) {
  const { tool, about, summary, isCollapsed, counted, tokens, isDiscarded } = operation;
  return (
    <>
      <Wrench aria-hidden className={styles.icon} />
      <span className={styles.name}>
        <bdi className={classes(styles.tool, isDiscarded && styles.struck)}>{tool}</bdi>
        {about !== '' && (
          <>
            {' '}
            <bdi className={styles.soft}>{about}</bdi>
          </>
        )}
        {isCollapsed && (
          <span className={styles.soft}>
            {' '}
            · was {compact(counted)}, saved {compact(counted - tokens)}
            {summary && (
              <>
                {' · '}
                <bdi>{summary}</bdi>
              </>
            )}
          </span>
        )}
      </span>
    </>
  );
}

function GroupWords({ group }: { group: Group }) {
  const { count: many, first, last, tools, collapsed, discarded } = group;
  const besides = [
    tools.map(([tool, times]) => `${tool} × ${times}`).join(', '),
    collapsed > 0 && `${collapsed} collapsed`,
    discarded > 0 && `${discarded} discarded`,
  ];
  return (
    <>
      <Layers aria-hidden className={styles.icon} />
      <span className={styles.name}>
        {plural(many, 'operation')}
        <span className={styles.soft}>
          {' '}
          {count(first.ordinal)}–{count(last.ordinal)} · <bdi>{besides.filter(Boolean).join(' · ')}</bdi>
        </span>
      </span>
    </>
  );
}
