import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useApi } from '../api/account.tsx';
import { useEntries, useLiveState } from '../api/live.tsx';
import { Feed } from './history/feed.ts';
import type { Names } from './sessions/session-names.ts';

const SESSIONS = ['tree', 'sessions'];
const NAMES = ['tree', 'names'];
/** Lists are asked for again at most so often, however much happens. */
const OFTEN = 2000;

/** The caller's sessions. They follow what happens, without being asked for at each event. */
export function useSessions() {
  const api = useApi();
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEntries((entries) => {
    if (timer.current !== undefined || !entries.some(({ kind }) => kind === 'session')) return;
    const isNew = entries.some(({ events }) => events.some(({ type }) => type === 'session.started'));
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: SESSIONS });
      if (isNew) void client.invalidateQueries({ queryKey: NAMES });
    }, OFTEN);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return useInfiniteQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal, pageParam }) =>
      api.listSessions({ limit: 100, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

/** Names of projects and of the clients of sessions, as far as the server knows. */
export function useNames(): Names {
  const api = useApi();
  const { data: projects } = useQuery({
    queryKey: [...NAMES, 'projects'],
    queryFn: ({ signal }) => api.listProjects({}, { signal }),
  });
  const { data: connections } = useQuery({
    queryKey: [...NAMES, 'clients'],
    queryFn: ({ signal }) => api.listConnections({}, { signal }),
  });
  return useMemo(
    () => ({
      projects: new Map(projects?.projects.map(({ id, name }) => [id, name])),
      clients: new Map(
        connections?.connections.flatMap(({ session_id, name }): [string, string][] =>
          session_id !== null && name !== null ? [[session_id, name]] : [],
        ),
      ),
    }),
    [projects, connections],
  );
}

/** One by our id or its host's. */
export function useSession(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['tree', 'session', id],
    queryFn: ({ signal }) => api.readSession({ id: id! }, { signal }),
    enabled: id !== undefined,
  });
}

/** The entries of a session, as they are and as they come. Undefined until it has begun to read. */
export function useFeed(session: string): Feed | undefined {
  const api = useApi();
  const live = useLiveState();
  const [feed, setFeed] = useState<Feed>();
  useEffect(() => {
    const next = new Feed(api, session);
    setFeed(next);
    return () => next.stop();
  }, [api, session]);
  // At once, and when a connection is there: what came before it was told to nobody.
  const isOpen = live === 'open';
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when the connection is there
  useEffect(() => {
    void feed?.read();
  }, [feed, isOpen]);
  useEntries((entries) => feed?.receive(entries));
  useSyncExternalStore(feed?.subscribe ?? nothing, feed?.version ?? zero);
  return feed;
}

const nothing = () => () => {};
const zero = () => 0;

/** What a branch or an operation was, from the archive, page by page. */
export function useOriginal(handle: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['tree', 'original', handle],
    queryFn: ({ signal, pageParam }) =>
      api.contextExpand({ handle, page: pageParam, per_page: 20 }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, total_pages }) => (page < total_pages ? page + 1 : null),
    // What is open goes on: it is read again whenever somebody looks.
    staleTime: 0,
    gcTime: 60_000,
  });
}

/** The conversation with a model that a session's host leads through the window door; undefined where it leads none. */
export function useWindowOf(hostId: string | null): string | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['tree', 'windows'],
    queryFn: ({ signal }) => api.listWindows({ limit: 100 }, { signal }),
    enabled: hostId !== null,
  });
  return data?.windows.find(({ host_session }) => host_session === hostId && hostId !== null)?.id;
}

/** What became of a call in the last prompt of a conversation; undefined where that does not hold it. */
export function useBlockOf(conversation: string, call: string) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['tree', 'prompt', conversation],
    queryFn: ({ signal }) => api.readWindowPrompt({ id: conversation }, { signal }),
    gcTime: 60_000,
  });
  return data?.blocks.find((block) => block.kind === 'result' && block.call === call);
}
