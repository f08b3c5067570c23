import type { Api } from '@infold/client/api';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApi } from '../api/account.tsx';
import { useEntries } from '../api/live.tsx';
import type { WhoseItems } from './address.ts';
import type { MemorySearch } from './search.ts';

type Answer<Name extends keyof Api> = Awaited<ReturnType<Api[Name]>>;
export type Found = Answer<'askMemory'>['passages'][number];
export type Brief = Answer<'listMemoryItems'>['items'][number];
export type MemoryItem = Answer<'readMemoryItem'>;
export type Version = Answer<'readItemHistory'>['versions'][number];
export type Related = Answer<'listRelatedItems'>['related'][number];
export type Pack = Answer<'context'>;
export type Explanation = NonNullable<Pack['explanation']>;
export type Explained = Explanation['items'][number];
export type Finding = Answer<'auditMemory'>['findings'][number];
export type Diary = Answer<'listDiaries'>['diaries'][number];
export type Audit = Answer<'auditMemory'>;

/** Everything that depends on what is remembered. */
export const MEMORY = ['memory'];
/** What changes memory. Packs and uses do not: who looks at them would see the page ask again and again. */
const CHANGES = new Set([
  ...['memory.remembered', 'memory.imported', 'memory.related', 'memory.unrelated', 'data.forgotten'],
  ...['branch.folded', 'branch.returned_late', 'branch.rolled_back', 'attest.agent_report'],
  ...['finding.stored', 'finding.cleared', 'context.concluded'],
]);
const GATHER = 250;

/** What is shown follows the journal, however many changes come at once. */
export function useFollowMemory(): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEntries((entries) => {
    if (timer.current !== undefined) return;
    if (!entries.some(({ events }) => events.some(({ type }) => CHANGES.has(type)))) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: MEMORY });
    }, GATHER);
  });
  // What happened while another view was shown was told to nobody here. What is asked for right now is not asked for twice.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: MEMORY }, { cancelRefetch: false });
    return () => clearTimeout(timer.current);
  }, [client]);
}

/** Results of a search; those of the one before stay until the next are there. Who types on gives up what was asked for. */
export function useFound(q: string, { project }: Pick<WhoseItems, 'project'>) {
  const api = useApi();
  return useQuery({
    queryKey: [...MEMORY, 'found', q, project],
    queryFn: ({ signal }) => api.askMemory({ q, project, limit: 30, complete: true }, { signal }),
    enabled: q.trim() !== '',
    placeholderData: keepPreviousData,
  });
}

export interface Listed extends WhoseItems {
  scope?: Brief['scope'] | undefined;
  kind?: string | undefined;
  author?: string | undefined;
  until?: string | undefined;
}

export function useTimeline({ project, agent_id, scope, kind, author, until }: Listed, limit = 60) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...MEMORY, 'listed', project, agent_id, scope, kind, author, until, limit],
    queryFn: ({ signal, pageParam }) =>
      api.listMemoryItems(
        {
          ...{ project, agent_id, scope, kind, author, until, limit },
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

export function useDiaries({ project }: Pick<WhoseItems, 'project'>) {
  const api = useApi();
  return useQuery({
    queryKey: [...MEMORY, 'diaries', project],
    queryFn: ({ signal }) => api.listDiaries({ project }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useItem(id: string | undefined, { project, agent_id }: WhoseItems) {
  const api = useApi();
  return useQuery({
    queryKey: [...MEMORY, 'item', id, project, agent_id],
    queryFn: ({ signal }) => api.readMemoryItem({ id: id!, project, agent_id }, { signal }),
    enabled: id !== undefined,
  });
}

export function useHistory(id: string, { project, agent_id }: WhoseItems) {
  const api = useApi();
  return useQuery({
    queryKey: [...MEMORY, 'history', id, project, agent_id],
    queryFn: ({ signal }) => api.readItemHistory({ id, project, agent_id }, { signal }),
  });
}

/** Of several items at once: those that are open in the graph. */
export function useRelations(ids: readonly string[], { project, agent_id }: WhoseItems) {
  const api = useApi();
  return useQuery({
    queryKey: [...MEMORY, 'relations', ids, project, agent_id],
    queryFn: async ({ signal }) => {
      const read = async (id: string) =>
        (await api.listRelatedItems({ id, project, agent_id, superseded: true }, { signal })).related;
      return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await read(id)] as const)));
    },
    placeholderData: keepPreviousData,
  });
}

type PackAddress = Pick<MemorySearch, 'goal' | 'intent' | 'layer' | 'limit' | 'budget' | 'project'>;

export function usePack({ goal, intent, layer, limit, budget, project }: PackAddress) {
  const api = useApi();
  return useQuery({
    queryKey: [...MEMORY, 'pack', goal, intent, layer, limit, budget, project],
    queryFn: ({ signal }) => {
      // An address can say anything: what the server does not know it refuses, and says what it knows.
      const chosen = { intent, layer } as Pick<Parameters<Api['context']>[0], 'intent' | 'layer'>;
      const input = { ...chosen, limit, token_budget: budget, project, goal: goal!, explain: true };
      return api.context(input, { signal });
    },
    enabled: goal !== undefined && goal.trim() !== '',
    placeholderData: keepPreviousData,
  });
}

export function useAudit({ project }: Pick<WhoseItems, 'project'>) {
  const api = useApi();
  return useQuery({
    queryKey: [...MEMORY, 'audit', project],
    queryFn: ({ signal }) => api.auditMemory({ project, limit: 100 }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useProjects() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['memory-projects'],
    queryFn: ({ signal }) => api.listProjects({}, { signal }),
  });
  return data?.projects ?? [];
}
