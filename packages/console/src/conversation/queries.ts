import { useQuery } from '@tanstack/react-query';
import { useAccount, useApi } from '../api/account.tsx';
import { type Stores, storesOf } from './stores.ts';
import { groupsOf } from './tools/groups.ts';

export function useStores(): Stores {
  return storesOf(useAccount().session);
}

/** The server's tools as an MCP client lists them, and the connection to call them by. */
export function useConnection(project: string | undefined) {
  const { connect } = useStores();
  const { session } = useAccount();
  return useQuery({
    queryKey: ['mcp', session.token, project],
    queryFn: () => connect(project),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The tools by the door that they are behind. */
export function useToolGroups(project: string | undefined) {
  const api = useApi();
  const { data: connection, error, refetch } = useConnection(project);
  const { data: doors, isPending } = useQuery({
    queryKey: ['conversation', 'doors'],
    queryFn: ({ signal }) => api.listTools({}, { signal }),
  });
  // Where nobody says which door is whose, they stand under one heading.
  const groups = connection && !isPending ? groupsOf(connection.tools, doors?.tools ?? []) : undefined;
  return { groups, connection, error, refetch };
}

export function useProjects() {
  const api = useApi();
  return useQuery({
    queryKey: ['projects'],
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
