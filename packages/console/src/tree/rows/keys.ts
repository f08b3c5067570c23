import type { Row } from './rows.ts';

/** What a key does in the tree. */
export type KeyAction =
  | { do: 'go'; to: number }
  | { do: 'open' | 'close'; key: string }
  | { do: 'choose'; key: string };

/** How many rows a page is. */
const PAGE = 12;

export function moveFor(key: string, rows: readonly Row[], at: number): KeyAction | undefined {
  const row = rows[at];
  if (!row) return undefined;
  const go = (to: number): KeyAction => ({ do: 'go', to: Math.min(rows.length - 1, Math.max(0, to)) });
  switch (key) {
    case 'ArrowDown':
      return go(at + 1);
    case 'ArrowUp':
      return go(at - 1);
    case 'PageDown':
      return go(at + PAGE);
    case 'PageUp':
      return go(at - PAGE);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'ArrowRight':
      if (row.isOpen === undefined) return undefined;
      return row.isOpen ? go(at + 1) : { do: 'open', key: row.key };
    case 'ArrowLeft':
      if (row.isOpen) return { do: 'close', key: row.key };
      return row.parent === undefined
        ? undefined
        : go(rows.findIndex(({ key: each }) => each === row.parent));
    case 'Enter':
    case ' ':
      return { do: 'choose', key: row.key };
    default:
      return undefined;
  }
}

/** The next row, from where one is and around, whose name begins like this. With one letter it goes on to the next. */
export function rowNamed(rows: readonly Row[], at: number, typed: string): number {
  const text = typed.toLowerCase();
  const from = text.length > 1 ? at : at + 1;
  for (let step = 0; step < rows.length; step++) {
    const index = (from + step) % rows.length;
    if (nameOf(rows[index]!).toLowerCase().startsWith(text)) return index;
  }
  return at;
}

export function nameOf(row: Row): string {
  switch (row.kind) {
    case 'branch':
      return row.branch.parent === null ? 'Main thread' : row.branch.description;
    case 'operation':
      return row.operation.tool;
    case 'mark':
      return row.mark.text;
    case 'group':
      return `${row.group.count} operations`;
    case 'earlier':
      return `${row.branch.earlier} earlier operations`;
  }
}
