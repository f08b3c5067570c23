/** Where a key leads in a page of rows: to a row of it, to a row of another page, or into a record. */
export type GridMove =
  | { do: 'go'; to: number }
  | { do: 'turn'; to: 1 | -1 | 'first' | 'last'; at: number }
  | { do: 'open' };

/** The last row of whatever page comes. */
export const LAST = Number.MAX_SAFE_INTEGER;

export function moveFor(key: string, isControl: boolean, at: number, last: number): GridMove | undefined {
  if (last < 0) return undefined;
  if (isControl) {
    if (key === 'Home') return { do: 'turn', to: 'first', at: 0 };
    return key === 'End' ? { do: 'turn', to: 'last', at: LAST } : undefined;
  }
  switch (key) {
    case 'ArrowDown':
      return at < last ? { do: 'go', to: at + 1 } : { do: 'turn', to: 1, at: 0 };
    case 'ArrowUp':
      return at > 0 ? { do: 'go', to: at - 1 } : { do: 'turn', to: -1, at: LAST };
    case 'Home':
      return { do: 'go', to: 0 };
    case 'End':
      return { do: 'go', to: last };
    case 'PageDown':
      return { do: 'turn', to: 1, at };
    case 'PageUp':
      return { do: 'turn', to: -1, at };
    case 'Enter':
      return { do: 'open' };
    default:
      return undefined;
  }
}
