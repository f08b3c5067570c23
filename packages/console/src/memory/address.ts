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

/** Whose items are read: of one project or of all, and of one agent's diary too. */
export interface WhoseItems {
  project?: string | undefined;
  agent_id?: string | undefined;
}

export function useReading(): WhoseItems {
  const { project, agent } = useAddress();
  return { project, agent_id: agent };
}

export interface ItemPlace {
  id: string;
  project_id?: string | null;
  agent_id?: string | undefined;
}

/** An item that is read as what one came from. */
export const placeIn = ({ project, agent_id }: WhoseItems, id: string): ItemPlace => ({
  ...{ id, project_id: project ?? null, agent_id },
});

/** The address of an item: an id may occur in several projects, and one in a diary is read with the agent's name alone. */
export const itemSearch = ({ id, project_id, agent_id }: ItemPlace): MemorySearch => ({
  id,
  project: project_id ?? undefined,
  agent: agent_id,
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
