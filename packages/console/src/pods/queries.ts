import { type Api, ApiError } from '@infold/client/api';
import type { ContextNode } from '@infold/protocol';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useApi } from '../api/account.tsx';
import { useEntries } from '../api/live.tsx';
import type { PodMessage } from './feed/feed.ts';

const PODS = ['pods'];
/** Lists are asked for again at most so often, however much happens. */
const OFTEN = 2000;

type PodListing = Awaited<ReturnType<Api['listPods']>>;
export type PodView = PodListing['pods'][number];
export type PodPolicy = Awaited<ReturnType<Api['readPodPolicy']>>;

/** Runs something soon, once for all who want it until then. */
function useSoon(work: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, OFTEN);
  }, []);
}

/** The pods that are open to the caller, the last used first. */
export function usePods() {
  const api = useApi();
  const client = useQueryClient();
  const refresh = useSoon(() => void client.invalidateQueries({ queryKey: [...PODS, 'list'] }));
  useEntries((entries) => {
    if (entries.some(({ kind }) => kind === 'pod')) refresh();
  });
  return useQuery({
    queryKey: [...PODS, 'list'],
    queryFn: ({ signal }) => api.listPods({}, { signal }),
    // Nobody here heard of what happened while another view was shown.
    refetchOnMount: 'always',
    // Who comes and goes is in no journal.
    refetchInterval: 10_000,
  });
}

/** The list says how many are present, too: no other number than the pod itself. */
export function usePresenceInList(pod: string, present: number): void {
  const client = useQueryClient();
  useEffect(() => {
    const queryKey = [...PODS, 'list'];
    client.setQueryData<PodListing>(
      queryKey,
      (list) =>
        list && {
          ...list,
          pods: list.pods.map((one) => (one.name === pod ? { ...one, participants: present } : one)),
        },
    );
    void client.invalidateQueries({ queryKey });
  }, [client, pod, present]);
}

/** Names of the projects whose pods are named by ids. */
export function useProjectNames(): ReadonlyMap<string, string> {
  const api = useApi();
  const { data } = useQuery({
    queryKey: [...PODS, 'projects'],
    queryFn: ({ signal }) => api.listProjects({}, { signal }),
  });
  return useMemo(() => new Map(data?.projects.map(({ id, name }) => [id, name])), [data]);
}

/** A pod that nobody has used yet is answered as if it were not there. */
async function orNothing<Answer, Nothing = Answer>(
  asked: Promise<Answer>,
  nothing: Nothing,
): Promise<Answer | Nothing> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return nothing;
    throw error;
  }
}

export const participantsQuery = (api: Api, pod: string) => ({
  queryKey: [...PODS, 'participants', pod],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    orNothing(api.listPodParticipants({ pod }, { signal }), { participants: [], next: null }),
  // Whether a name is taken must be known as it is now.
  staleTime: 0,
  gcTime: 0,
});

export function usePolicy(pod: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...PODS, 'policy', pod],
    queryFn: ({ signal }) => api.readPodPolicy({ pod }, { signal }),
  });
}

export interface Contexts {
  byId: ReadonlyMap<string, ContextNode>;
  refresh(): void;
  /** Why they could not be read. */
  problem: unknown;
  retry(): void;
}

/** Every context of a pod by its id. */
export function useContexts(pod: string): Contexts {
  const api = useApi();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: [...PODS, 'contexts', pod],
    queryFn: ({ signal }) => orNothing(api.listPodContexts({ pod }, { signal }), { contexts: [] }),
    refetchOnMount: 'always',
  });
  const refresh = useSoon(() => {
    for (const kind of ['contexts', 'context']) {
      void client.invalidateQueries({ queryKey: [...PODS, kind, pod] });
    }
  });
  useEntries((entries) => {
    if (entries.some(({ events }) => events.some((event) => isOfContext(event, pod)))) refresh();
  });
  const byId = useMemo(() => {
    const found = new Map<string, ContextNode>();
    const add = (nodes: readonly ContextNode[]) => {
      for (const node of nodes) {
        found.set(node.id, node);
        add(node.children);
      }
    };
    add(data?.contexts ?? []);
    return found;
  }, [data]);
  const problem = data ? undefined : (error ?? undefined);
  return useMemo(
    () => ({ byId, refresh, problem, retry: () => void refetch() }),
    [byId, refresh, problem, refetch],
  );
}

function isOfContext({ type, data }: { type: string; data: unknown }, pod: string): boolean {
  const told = data as { pod?: string; envelope?: { context?: unknown } };
  return told.pod === pod && (type === 'context.concluded' || Boolean(told.envelope?.context));
}

/** One context with what refers to it. */
export function useContext(pod: string, id: string) {
  const api = useApi();
  const client = useQueryClient();
  const refresh = useSoon(() => void client.invalidateQueries({ queryKey: [...PODS, 'context', pod, id] }));
  // What refers to it may be said in any pod.
  useEntries((entries) => {
    const isAbout = ({ data }: { data: unknown }) =>
      (data as { envelope?: { correlation_id?: string } }).envelope?.correlation_id === id;
    if (entries.some(({ events }) => events.some(isAbout))) refresh();
  });
  return useQuery({
    queryKey: [...PODS, 'context', pod, id],
    queryFn: ({ signal }) => orNothing(api.readPodContext({ pod, id }, { signal }), null),
    refetchOnMount: 'always',
  });
}

/** Where a correlation leads to. */
export function useCorrelation(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [...PODS, 'correlation', id],
    queryFn: ({ signal }) =>
      orNothing(api.resolveCorrelation({ id: id! }, { signal }), { id: id!, contexts: [], linked: [] }),
    enabled: id !== undefined,
  });
}

/** One message by its position, for who was led to it and does not hold it. */
export function useMessage(pod: string, seq: number, isHeld: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: [...PODS, 'message', pod, seq],
    queryFn: async ({ signal }) => {
      const query = { pod, since: String(seq - 1), before: String(seq + 1), limit: 1 };
      return (await api.listPodMessages(query, { signal })).messages[0] ?? null;
    },
    enabled: !isHeld,
  });
}

export interface FoundMessages {
  messages: readonly PodMessage[];
  isPending: boolean;
  problem: unknown;
  more: (() => void) | undefined;
  retry(): void;
}

/** Messages of the whole history that hold all the words, the newest pages of them first. */
export function useFound(pod: string, words: string | undefined, newest: number): FoundMessages {
  const api = useApi();
  const client = useQueryClient();
  const queryKey = [...PODS, 'found', pod, words];
  const { data, isPending, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey,
      queryFn: ({ signal, pageParam }) =>
        orNothing(
          api.searchPodMessages(
            { pod, q: words!, order: 'newest', limit: 200, ...(pageParam !== null && { cursor: pageParam }) },
            { signal },
          ),
          { messages: [], next: null },
        ),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next,
      enabled: words !== undefined,
      gcTime: 30_000,
    });
  const refresh = useSoon(() => void client.invalidateQueries({ queryKey }));
  const seen = useRef(newest);
  useEffect(() => {
    if (newest > seen.current && words !== undefined) refresh();
    seen.current = newest;
  }, [newest, words, refresh]);
  const messages = useMemo(() => (data?.pages.flatMap((page) => page.messages) ?? []).reverse(), [data]);
  return {
    messages,
    isPending: isPending && words !== undefined,
    problem: error ?? undefined,
    more: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
    retry: () => void refetch(),
  };
}
