import { useSearch } from '@tanstack/react-router';
import { type LibrarySearch, librarySearch } from './search.ts';

/** What the address says, as this view reads it: others mean other things by the same names. */
export function useLibrarySearch(): LibrarySearch {
  return librarySearch(useSearch({ strict: false }) as Record<string, unknown>);
}
