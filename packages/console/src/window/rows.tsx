import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import styles from './rows.module.css';

/** What the button of a row is given, so that one row at a time can be reached by Tab and the others by arrows. */
export interface RowFocus {
  'data-row': number;
  tabIndex: 0 | -1;
  onFocus: () => void;
}

interface RowsProps {
  count: number;
  /** Of each row, in pixels. */
  height: number;
  /** Of all that is seen of them. */
  most: string;
  label: string;
  keyOf: (place: number) => string | number;
  children: (place: number, focus: RowFocus) => ReactNode;
}

/** A long list of rows of one height: only those that can be seen are there. */
export function Rows({ count, height, most, label, keyOf, children }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  const current = Math.min(focused, count - 1);
  const onKey = (event: KeyboardEvent) => {
    const next = STEPS[event.key]?.(current, count - 1);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const place = Math.min(count - 1, Math.max(0, next));
    setFocused(place);
    rows.scrollToIndex(place);
    // It may have to be made first.
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-row="${place}"]`)?.focus({ preventScroll: true });
    });
  };
  return (
    <div ref={scroller} className={styles.scroller} style={{ height: `min(${count * height}px, ${most})` }}>
      <ul
        className={styles.rows}
        style={{ height: rows.getTotalSize() }}
        aria-label={label}
        onKeyDown={onKey}
      >
        {rows.getVirtualItems().map(({ index, start }) => (
          <li
            key={keyOf(index)}
            aria-posinset={index + 1}
            aria-setsize={count}
            className={styles.row}
            style={{ transform: `translateY(${start}px)`, height }}
          >
            {children(index, {
              'data-row': index,
              tabIndex: index === current ? 0 : -1,
              onFocus: () => setFocused(index),
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}

const STEPS: Readonly<Record<string, (place: number, last: number) => number>> = {
  ArrowDown: (place) => place + 1,
  ArrowUp: (place) => place - 1,
  PageDown: (place) => place + 8,
  PageUp: (place) => place - 8,
  Home: () => 0,
  End: (_, last) => last,
};
