import type { Api } from '@infold/client/api';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../api/session.ts';

/** How often what no journal entry tells of is asked for again while somebody looks. */
const OFTEN = 10_000;

export type Answer<Name extends keyof Api> = Awaited<ReturnType<Api[Name]>>;
export type ConnectionView = Answer<'listConnections'>['connections'][number];
export type ToolView = Answer<'listTools'>['tools'][number];
export type Token = Answer<'listTokens'>['tokens'][number];
export type Denial = Answer<'listDenials'>['denials'][number];
export type Limit = Answer<'listLimits'>['limits'][number];
export type Project = Answer<'listProjects'>['projects'][number];

export const connectionsQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: ['system', 'connections'],
    queryFn: ({ signal }) => api.listConnections({}, { signal }),
    refetchInterval: OFTEN,
    staleTime: 0,
  });

export const toolsQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: ['system', 'tools'],
    queryFn: ({ signal }) => api.listTools({}, { signal }),
    refetchInterval: OFTEN,
    staleTime: 0,
  });

export const limitsQuery = ({ api }: Session) =>
  queryOptions({ queryKey: ['system', 'limits'], queryFn: ({ signal }) => api.listLimits({}, { signal }) });

export const configQuery = ({ api }: Session) =>
  queryOptions({ queryKey: ['system', 'config'], queryFn: ({ signal }) => api.readConfig({}, { signal }) });

export const denialsQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: ['system', 'denials'],
    queryFn: ({ signal }) => api.listDenials({}, { signal }),
    refetchInterval: OFTEN,
    staleTime: 0,
  });

export const tokensQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: ['system', 'tokens'],
    queryFn: ({ signal }) => api.listTokens({}, { signal }),
    refetchInterval: OFTEN,
    staleTime: 0,
  });

export const projectsQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: ['system', 'projects'],
    queryFn: ({ signal }) => api.listProjects({}, { signal }),
  });

/** One way to make a host use this server. */
export interface Way {
  host: string;
  transport: 'install' | 'stdio' | 'http';
  where: string;
  text: string;
}

/** What the server tells programs at its address. */
export interface Home {
  mcp: string;
  version?: string;
  data?: string;
  /** Where hosts are given the address of a model's provider; only for who is known. */
  models?: { upstream: string; address: string }[];
  connect: Way[];
}

export const homeQuery = ({ fetch }: Session) =>
  queryOptions({
    queryKey: ['system', 'home'],
    queryFn: async ({ signal }): Promise<Home> => {
      const response = await fetch('/', { headers: { Accept: 'application/json' }, signal });
      return (await response.json()) as Home;
    },
  });

export type Verification = Answer<'readVerification'>;
export type Report = NonNullable<Verification['report']>;

/** How often a verification that runs is looked at. */
const SOON = 400;

export const verificationQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: ['system', 'verification'],
    queryFn: ({ signal }) => api.readVerification({}, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? SOON : false),
    staleTime: 0,
  });
