import { type Api, ApiError } from '@infold/client/api';
import type { API, OutputOf } from '@infold/protocol';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../api/session.ts';

/** How often what no journal entry tells of is asked for again while somebody looks. */
const OFTEN = 10_000;

export type Answer<Name extends keyof Api> = Awaited<ReturnType<Api[Name]>>;
export type Connection = Answer<'listConnections'>['connections'][number];
export type Tool = Answer<'listTools'>['tools'][number];
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
  transport: 'http' | 'stdio';
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

/** How far the journal goes. */
export const headQuery = ({ fetch }: Session) =>
  queryOptions({
    queryKey: ['system', 'head'],
    queryFn: async ({ signal }): Promise<number> => {
      const { seq = 0 } = (await (await fetch('/readyz', { signal })).json()) as { seq?: number };
      return seq;
    },
    staleTime: 0,
  });

export type Report = OutputOf<typeof API.verify>;
export interface Verification {
  state: 'none' | 'running' | 'done' | 'failed';
  done: number;
  total: number;
  started_at: string | null;
  ended_at: string | null;
  report: Report | null;
}

/** How often a verification that runs is looked at. */
const SOON = 400;

async function verification(session: Session, init: RequestInit): Promise<Verification> {
  const response = await session.fetch('/api/verification', init);
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
  return (await response.json()) as Verification;
}

export const startVerification = (session: Session) =>
  verification(session, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } });

export const verificationQuery = (session: Session) =>
  queryOptions({
    queryKey: ['system', 'verification'],
    queryFn: ({ signal }) => verification(session, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? SOON : false),
    staleTime: 0,
  });
