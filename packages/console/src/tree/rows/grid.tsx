import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { moveFor } from '../../design/controls/tree-keys.ts';
import { compact, count } from '../../design/data/format.ts';
import styles from './grid.module.css';
import { rowNamed } from './keys.ts';
import { heightOf, TreeRow } from './row.tsx';
import type { Row } from './rows.ts';

interface GridProps {
  rows: readonly Row[];
  /** What a full bar stands for. */
  scale: number;
  /** The node that is looked at. */
  chosen: string | undefined;
  label: string;
  onToggle: (key: string, isOpen: boolean) => void;
  /** Undefined: nothing any more. */
  onChoose: (key: string | undefined) => void;
}

/** How long letters that are typed belong together. */
const PATIENCE = 700;

/** The rows that are in sight, and keys to go through all of them. */
export function TreeGrid({ rows, scale, chosen, label, onToggle, onChoose }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const { at, setActive } = useActive(rows, chosen);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((index: number) => heightOf(rows[index]!), [rows]),
    // The same while the rows are: all places are reckoned anew with another one.
    getItemKey: useCallback((index: number) => rows[index]!.key, [rows]),
    overscan: 4,
    scrollPaddingStart: HEADER,
    // The row that the keyboard is at is there for readers of the page, wherever it was scrolled.
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      return at < 0 || inSight.includes(at) ? inSight : [...inSight, at].sort((a, b) => a - b);
    },
  });
  useFollow(scroller, rows.length);
  useReveal(rows, chosen, (index) => virtual.scrollToIndex(index, { align: 'auto' }));
  const go = (index: number) => {
    setActive(rows[index]!.key);
    virtual.scrollToIndex(index, { align: 'auto' });
  };
  const typed = useRef({ text: '', at: 0 });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && chosen !== undefined) onChoose(undefined);
    const move = moveFor(event.key, rows, at);
    if (move) {
      event.preventDefault();
      if (move.do === 'go') go(move.to);
      else if (move.do === 'choose') chooseRow(move.key);
      else onToggle(move.key, move.do === 'open');
    } else if (/^[\p{L}\p{N}]$/u.test(event.key)) {
      // Letters name rows here, and lead nowhere else.
      event.stopPropagation();
      const now = Date.now();
      const isOn = now - typed.current.at < PATIENCE;
      typed.current = { text: (isOn ? typed.current.text : '') + event.key, at: now };
      go(rowNamed(rows, at, typed.current.text));
    }
  };
  const chooseRow = (key: string) => {
    const row = rows.find((each) => each.key === key);
    if (row?.kind === 'group') onToggle(key, !row.isOpen);
    else onChoose(key);
  };
  const latest = useRef({ chooseRow, onToggle, setActive });
  useEffect(() => {
    latest.current = { chooseRow, onToggle, setActive };
  });
  const press = useCallback((key: string) => {
    latest.current.setActive(key);
    latest.current.chooseRow(key);
  }, []);
  const toggle = useCallback((key: string, isOpen: boolean) => {
    latest.current.setActive(key);
    latest.current.onToggle(key, isOpen);
  }, []);
  const active = rows[at];
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="treegrid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={4}
      aria-activedescendant={active && `${id}-${active.key}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div {...HEAD_ROW} className={styles.head}>
        <span {...HEAD}>What</span>
        <span {...HEAD}>State</span>
        <span {...HEAD} title={`A full bar is ${count(scale)} tokens`}>
          Tokens <span className={styles.scale}>bar: {compact(scale)}</span>
        </span>
        <span {...HEAD} className={styles.extra}>
          Time
        </span>
      </div>
      <div role="presentation" className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <TreeRow
              key={row.key}
              id={`${id}-${row.key}`}
              row={row}
              index={index + 2}
              top={start}
              scale={scale}
              isActive={index === at}
              isChosen={row.key === chosen}
              onPress={press}
              onToggle={toggle}
            />
          );
        })}
      </div>
    </div>
  );
}

const HEADER = 30;
const HEAD_ROW = { role: 'row', 'aria-rowindex': 1 };
const HEAD = { role: 'columnheader' };

/** Where the keyboard is: it stays at its row when others come or go, and near it when it goes itself. */
function useActive(rows: readonly Row[], chosen: string | undefined) {
  const [active, setActive] = useState<string | undefined>(chosen);
  const last = useRef(0);
  let at = active === undefined ? 0 : rows.findIndex(({ key }) => key === active);
  if (at < 0) at = Math.min(last.current, rows.length - 1);
  useEffect(() => {
    last.current = at;
  });
  useEffect(() => {
    if (chosen !== undefined) setActive(chosen);
  }, [chosen]);
  return { at, setActive };
}

/** Who is at the end stays there while rows come. */
function useFollow(scroller: { current: HTMLDivElement | null }, count: number) {
  const isAtEnd = useRef(false);
  useEffect(() => {
    const element = scroller.current!;
    const note = () => {
      const rest = element.scrollHeight - element.clientHeight - element.scrollTop;
      isAtEnd.current = element.scrollTop > 0 && rest < 8;
    };
    element.addEventListener('scroll', note, { passive: true });
    return () => element.removeEventListener('scroll', note);
  }, [scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the count that changes the height
  useLayoutEffect(() => {
    const element = scroller.current!;
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [count, scroller]);
}

/** What is named by the address is scrolled to, once. */
function useReveal(rows: readonly Row[], chosen: string | undefined, scroll: (index: number) => void) {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (chosen === shown.current) return;
    const index = rows.findIndex(({ key }) => key === chosen);
    if (chosen !== undefined && index < 0) return;
    shown.current = chosen;
    if (index >= 0) scroll(index);
  });
}
