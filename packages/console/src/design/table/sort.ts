export type SortKey = string | number | null;

export interface Sort {
  /** The name of the column. */
  by: string;
  isDown: boolean;
}

/** In an address: `calls`, or `-calls` from the largest down. */
export function readSort(text: string | undefined, usual: Sort): Sort {
  if (text === undefined) return usual;
  return text.startsWith('-') ? { by: text.slice(1), isDown: true } : { by: text, isDown: false };
}

export function writeSort({ by, isDown }: Sort): string {
  return `${isDown ? '-' : ''}${by}`;
}

/** In a new order; what has no value comes last either way, and equals stay as they were. */
export function sorted<Row>(rows: readonly Row[], keyOf: (row: Row) => SortKey, isDown: boolean): Row[] {
  const sign = isDown ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === 'number' && typeof right === 'number') return sign * (left - right);
    return sign * String(left).localeCompare(String(right), 'en', { numeric: true });
  });
}
