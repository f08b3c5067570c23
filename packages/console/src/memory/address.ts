import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { MemorySearch } from './search.ts';

export function useAddress(): MemorySearch {
  return useSearch({ strict: false });
}

/** Changes a part of the address. What is undefined leaves it; `replace` for what “back” need not undo step by step. */
export function useChangeAddress(): (part: MemorySearch, replace?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (part, replace = false) =>
      void navigate({ to: '.', search: (before: object) => ({ ...before, ...part }), replace }),
    [navigate],
  );
}

/** The address of an item: an id may occur in several projects. */
export const itemSearch = ({ id, project_id }: { id: string; project_id?: string | null }): MemorySearch => ({
  id,
  project: project_id ?? undefined,
});

/** Closes the dialog that the address names. Beside an item's own page, which item it was about is of no more interest. */
export function useCloseDialog(): () => void {
  const change = useChangeAddress();
  const { page } = useParams({ strict: false });
  return useCallback(
    () => change(page === 'item' ? { write: undefined } : { write: undefined, id: undefined }, true),
    [change, page],
  );
}
