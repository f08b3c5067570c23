import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useAccount, useApi } from '../api/account.tsx';
import { useLiveState } from '../api/live.tsx';
import { type Stores, storesOf } from './stores.ts';
import { groupsOf } from './tools/groups.ts';

export function useStores(): Stores {
  const { session, may } = useAccount();
  return storesOf(session, may('write'));
}

/** Where the server was away and is there again, it may have other tools and projects, and does not know this page any more. */
export function useReconnect(): void {
  const client = useQueryClient();
  const { disconnect } = useStores();
  const state = useLiveState();
  const wasAway = useRef(false);
  useEffect(() => {
    if (state === 'waiting') wasAway.current = true;
    if (state !== 'open') return;
    if (!wasAway.current) return;
    wasAway.current = false;
    disconnect();
    for (const queryKey of [MCP, DOORS, PROJECTS]) void client.invalidateQueries({ queryKey });
  }, [state, client, disconnect]);
}

const MCP = ['mcp'];
const DOORS = ['conversation', 'doors'];
const PROJECTS = ['projects'];

/** The server's tools as an MCP client lists them, and the connection to call them by. */
export function useConnection(project: string | undefined) {
  const { connect } = useStores();
  const { session } = useAccount();
  return useQuery({
    queryKey: [...MCP, session.token, project],
    queryFn: () => connect(project),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The tools by the door that they are behind. */
export function useToolGroups(project: string | undefined) {
  const api = useApi();
  const { data: connection, error, refetch } = useConnection(project);
  const { data: doors, isPending } = useQuery({
    queryKey: DOORS,
    queryFn: ({ signal }) => api.listTools({}, { signal }),
  });
  // Where nobody says which door is whose, they stand under one heading.
  const groups = connection && !isPending ? groupsOf(connection.tools, doors?.tools ?? []) : undefined;
  return { groups, connection, error, refetch };
}

export function useProjects() {
  const api = useApi();
  return useQuery({
    queryKey: PROJECTS,
    queryFn: async ({ signal }) => (await api.listProjects({}, { signal })).projects,
  });
}

/** The name of the project that the sample data is in. */
const SAMPLE = 'Sample';

/** The project with the sample data, where it was loaded. */
export function useSample() {
  const { data: projects } = useProjects();
  return { sample: projects?.find(({ name }) => name === SAMPLE)?.id, isKnown: projects !== undefined };
}
