/** What a key does in the tree. */
export type KeyAction =
  | { do: 'go'; to: number }
  | { do: 'open' | 'close'; key: string }
  | { do: 'choose'; key: string };

/** How many rows a page is. */
const PAGE = 12;

/** A row of a tree, as far as keys go: rows without `isOpen` have nothing to open. */
interface TreeRow {
  key: string;
  parent?: string | undefined;
  isOpen?: boolean | undefined;
}

export function moveFor(key: string, rows: readonly TreeRow[], at: number): KeyAction | undefined {
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
