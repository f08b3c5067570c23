import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './long-list.module.css';
import { offsetFor, rangeOf } from './visible-range.ts';

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
  const { first, end } = useSeen(scroller, height, count);
  const current = Math.min(focused, count - 1);
  const onKey = (event: KeyboardEvent) => {
    const next = STEPS[event.key]?.(current, count - 1);
    const element = scroller.current;
    if (next === undefined || !element || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const place = Math.min(count - 1, Math.max(0, next));
    setFocused(place);
    element.scrollTop = offsetFor(place, element.scrollTop, element.clientHeight, height);
    // It may have to be made first.
    requestAnimationFrame(() => {
      element.querySelector<HTMLElement>(`[data-row="${place}"]`)?.focus({ preventScroll: true });
    });
  };
  return (
    <div ref={scroller} className={styles.scroller} style={{ height: `min(${count * height}px, ${most})` }}>
      <ul className={styles.rows} style={{ height: count * height }} aria-label={label} onKeyDown={onKey}>
        {Array.from({ length: end - first }, (_, offset) => first + offset).map((place) => (
          <li
            key={keyOf(place)}
            aria-posinset={place + 1}
            aria-setsize={count}
            className={styles.row}
            style={{ transform: `translateY(${place * height}px)`, height }}
          >
            {children(place, {
              'data-row': place,
              tabIndex: place === current ? 0 : -1,
              onFocus: () => setFocused(place),
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Follows what can be seen of the rows. */
function useSeen(scroller: React.RefObject<HTMLElement | null>, height: number, count: number) {
  const [range, setRange] = useState(() => rangeOf(0, 0, height, count));
  useEffect(() => {
    const element = scroller.current!;
    const look = () =>
      setRange((before) => {
        const now = rangeOf(element.scrollTop, element.clientHeight, height, count);
        return now.first === before.first && now.end === before.end ? before : now;
      });
    look();
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, height, count]);
  return { first: Math.min(range.first, count), end: Math.min(range.end, count) };
}

const STEPS: Readonly<Record<string, (place: number, last: number) => number>> = {
  ArrowDown: (place) => place + 1,
  ArrowUp: (place) => place - 1,
  PageDown: (place) => place + 8,
  PageUp: (place) => place - 8,
  Home: () => 0,
  End: (_, last) => last,
};
