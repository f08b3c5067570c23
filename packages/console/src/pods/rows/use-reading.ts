import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { rangeOf } from '../../design/list/visible-range.ts';
import type { PodRow } from '../model/rows.ts';

/** Pixels from the end within which somebody is at the end. */
const NEAR = 8;
/** Rows before the first one in sight at which older ones are asked for. */
const SOON = 30;

interface Reading {
  first: number;
  /** Not among them. */
  end: number;
  /** Rows that came at the end while somebody read further up. */
  unread: number;
  toEnd: () => void;
  /** Shows a row, as soon as there is one of that key. */
  reveal: (key: string | undefined) => void;
}

/**
 * Which rows of one height can be seen. Who is at the end stays there while rows come; who reads further up keeps the row that
 * they read, whatever comes before or after it.
 */
export function useReading(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly PodRow[],
  height: number,
  onOlder: (() => void) | undefined,
): Reading {
  const [range, setRange] = useState({ first: 0, end: 0 });
  const [unread, setUnread] = useState(0);
  const isAtEnd = useRef(true);
  const shown = useRef<{ rows: readonly PodRow[]; anchor: string | undefined; offset: number }>({
    rows: [],
    anchor: undefined,
    offset: 0,
  });
  const wanted = useRef<string>(undefined);
  const asked = useRef(onOlder);
  useEffect(() => {
    asked.current = onOlder;
  });
  const look = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    const now = rangeOf(scrollTop, clientHeight, height, shown.current.rows.length);
    setRange((before) => (before.first === now.first && before.end === now.end ? before : now));
    isAtEnd.current = scrollHeight - clientHeight - scrollTop < NEAR;
    if (isAtEnd.current) setUnread(0);
    const top = Math.floor(scrollTop / height);
    shown.current.anchor = shown.current.rows[top]?.key;
    shown.current.offset = scrollTop - top * height;
    if (top < SOON) asked.current?.();
  }, [scroller, height]);
  useEffect(() => {
    const element = scroller.current!;
    const watcher = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
      look();
    });
    watcher.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, look]);
  const revealWanted = useCallback(() => {
    const element = scroller.current;
    const index =
      wanted.current === undefined ? -1 : shown.current.rows.findIndex(({ key }) => key === wanted.current);
    if (!element || index < 0) return;
    wanted.current = undefined;
    const top = index * height;
    if (top >= element.scrollTop && top + height <= element.scrollTop + element.clientHeight) return;
    element.scrollTop = Math.max(0, top - element.clientHeight / 3);
    look();
  }, [scroller, height, look]);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const { rows: before, anchor, offset } = shown.current;
    shown.current.rows = rows;
    if (before !== rows) {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
      else {
        const place = placeOf(rows, before, anchor);
        if (place !== undefined) element.scrollTop = place * height + offset;
        const last = before.at(-1)?.key;
        const came = last === undefined ? -1 : rows.findLastIndex(({ key }) => key === last);
        if (came >= 0 && came < rows.length - 1) setUnread((count) => count + rows.length - 1 - came);
      }
      revealWanted();
    }
    look();
  }, [rows, scroller, height, look, revealWanted]);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  const reveal = useCallback(
    (key: string | undefined) => {
      wanted.current = key;
      revealWanted();
    },
    [revealWanted],
  );
  return {
    first: Math.min(range.first, rows.length),
    end: Math.min(range.end, rows.length),
    unread,
    toEnd,
    reveal,
  };
}

/** Where the row stands now that was read, or where it is gone the next one that is still there. */
function placeOf(
  rows: readonly PodRow[],
  before: readonly PodRow[],
  anchor: string | undefined,
): number | undefined {
  if (anchor === undefined) return undefined;
  const found = rows.findIndex(({ key }) => key === anchor);
  if (found >= 0) return found;
  const places = new Map(rows.map(({ key }, index) => [key, index]));
  const from = before.findIndex(({ key }) => key === anchor);
  for (let index = from + 1; index < before.length; index++) {
    const place = places.get(before[index]!.key);
    if (place !== undefined) return place;
  }
  return undefined;
}
