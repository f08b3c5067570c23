import type { Api } from '@infold/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/account.tsx';
import { Observable, useObservable } from '../../design/hooks/observable.ts';
import type { WhoseItems } from '../address.ts';
import { MEMORY } from '../queries.ts';

/** What was just done, and how it is taken back, where it can be. */
export interface Deed {
  said: string;
  undo?: (api: Api) => Promise<unknown>;
}

/** The last one, by whoever was signed in: told of until the next, or until somebody closes it. */
const lastDeed = new Observable<{ deed: Deed; by: Api } | undefined>(undefined);

/** What was done since somebody signed in here: nobody sees, or takes back, what somebody else did before. */
export function useLastDeed(): Deed | undefined {
  const api = useApi();
  const last = useObservable(lastDeed);
  return last?.by === api ? last.deed : undefined;
}

export function closeLastDeed(): void {
  lastDeed.change(() => undefined);
}

/** Does something to memory, tells of it, and has everything that is shown asked for again. */
export function useDeed<Input>(act: (api: Api, input: Input) => Promise<Deed>) {
  const api = useApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => {
      const deed = await act(api, input);
      lastDeed.change(() => ({ deed, by: api }));
      return deed;
    },
    // Also where it failed: a part may have been done.
    onSettled: () => client.invalidateQueries({ queryKey: MEMORY }),
  });
}

/** Takes back what an item superseded; with `withdraw` the item itself leaves packs, as if it had not been written. */
export const takeBack =
  (item: string, withdraw: boolean, ids?: readonly string[], place: WhoseItems = {}) =>
  async (api: Pick<Api, 'unrelateItems'>): Promise<void> => {
    const asked = { item, type: 'supersedes' as const, withdraw, ...place };
    if (ids === undefined) await api.unrelateItems(asked);
    for (const id of ids ?? []) await api.unrelateItems({ ...asked, id });
  };

interface Kept {
  kept: { id: string; name: string };
  others: readonly string[];
  place: WhoseItems;
}

/** Lets one of several that are there supersede the others. */
export async function keepOne(
  api: Pick<Api, 'relateItems' | 'unrelateItems'>,
  { kept, others, place }: Kept,
): Promise<Deed> {
  const done: string[] = [];
  try {
    for (const id of others) {
      await api.relateItems({ item: kept.id, type: 'supersedes', id, ...place });
      done.push(id);
    }
  } catch (error) {
    // All of it or nothing, as it is said.
    await takeBack(kept.id, false, done, place)(api);
    throw error;
  }
  return {
    said: `“${kept.name}” supersedes ${others.length === 1 ? 'the other one' : `${others.length} others`}.`,
    undo: takeBack(kept.id, false, others, place),
  };
}
