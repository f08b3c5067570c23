import type { Api } from '@infold/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/account.tsx';
import { Observable } from '../../design/hooks/observable.ts';
import { type InProject, MEMORY } from '../queries.ts';

/** What was just done, and how it is taken back, where it can be. */
export interface Deed {
  said: string;
  undo?: (api: Api) => Promise<unknown>;
}

/** The last one: told of until the next, or until somebody closes it. */
export const lastDeed = new Observable<Deed | undefined>(undefined);

/** Does something to memory, tells of it, and has everything that is shown asked for again. */
export function useDeed<Input>(act: (api: Api, input: Input) => Promise<Deed>) {
  const api = useApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => {
      const deed = await act(api, input);
      lastDeed.change(() => deed);
      await client.invalidateQueries({ queryKey: MEMORY });
      return deed;
    },
  });
}

/** Takes back what an item superseded; with `withdraw` the item itself leaves packs, as if it had not been written. */
export const takeBack =
  (item: string, withdraw: boolean, ids?: readonly string[], place: InProject = {}) =>
  async (api: Api): Promise<void> => {
    const asked = { item, type: 'supersedes' as const, withdraw, ...place };
    if (ids === undefined) await api.unrelateItems(asked);
    for (const id of ids ?? []) await api.unrelateItems({ ...asked, id });
  };

interface Kept {
  kept: { id: string; name: string };
  others: readonly string[];
  place: InProject;
}

/** Lets one of several that are there supersede the others. */
export async function keepOne(api: Api, { kept, others, place }: Kept): Promise<Deed> {
  for (const id of others) await api.relateItems({ item: kept.id, type: 'supersedes', id, ...place });
  return {
    said: `“${kept.name}” supersedes ${others.length === 1 ? 'the other one' : `${others.length} others`}.`,
    undo: takeBack(kept.id, false, others, place),
  };
}
