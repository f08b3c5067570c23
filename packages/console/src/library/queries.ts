import type { Api } from '@infold/client/api';
import {
  type QueryClient,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApi } from '../api/account.tsx';
import { useEntries } from '../api/live.tsx';
import type { DraftFilter } from './search.ts';

type Answer<Name extends keyof Api> = Api[Name] extends (...given: never[]) => Promise<infer Output>
  ? Output
  : never;

export type LibraryProject = Answer<'listProjects'>['projects'][number];
export type LibraryItem = Answer<'listLibraryItems'>['items'][number];
export type FileDetails = Answer<'readLibraryItem'>;
export type FileRevision = Answer<'listRevisions'>['revisions'][number];
export type ItemUsage = Answer<'readItemUsage'>;
export type DraftRow = Answer<'listDrafts'>['drafts'][number];
export type LibraryDraft = Answer<'readDraft'>;
export type LibraryTurn = Answer<'listTurns'>['turns'][number];
export type RuleUsage = Answer<'listRuleUsage'>['rules'][number];
export type DayUsage = Answer<'listDayUsage'>['days'][number];
export type EvidenceSubject = 'constraint' | 'project' | 'agent' | 'model';
type Report = Answer<'reportUsage'>;
type OneOf<Row> = Row extends unknown ? Partial<Row> : never;
/** A row of any report: what it is not about is missing. */
export type EvidenceRow = Merged<OneOf<Report['rows'][number]>>;
type Merged<Union> = {
  [Key in Union extends unknown ? keyof Union : never]?: Union extends { [One in Key]?: infer Value }
    ? Value
    : never;
};
export type LibraryStatus = Answer<'libraryStatus'>;

const LIBRARY = 'library';
/** What agents do changes figures alone, and often. */
const EVIDENCE = 'evidence';
const QUICK = 150;
const OFTEN = 2000;

/** Files and drafts follow the journal at once, figures of their use every few seconds. */
export function useLibraryNews(): void {
  const client = useQueryClient();
  const quick = useRef<ReturnType<typeof setTimeout>>(undefined);
  const slow = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (timer: typeof quick, after: number, tell: () => void) => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      tell();
    }, after);
  };
  useEntries((entries) => {
    if (entries.some(({ kind }) => kind === 'library')) later(quick, QUICK, () => void renewLibrary(client));
    if (entries.some(({ events }) => events.some(({ type }) => type.startsWith('attest.')))) {
      later(slow, OFTEN, () => void client.invalidateQueries({ queryKey: [LIBRARY, EVIDENCE] }));
    }
  });
  useEffect(
    () => () => {
      clearTimeout(quick.current);
      clearTimeout(slow.current);
    },
    [],
  );
}

/** After something was done here: the journal says the same, but a moment later. */
export function renewLibrary(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [LIBRARY] });
}

export function useProjects() {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, 'projects'],
    queryFn: async ({ signal }) => (await api.listProjects({}, { signal })).projects,
  });
}

const statusOf = (api: Api, project: string) => ({
  queryKey: [LIBRARY, 'status', project],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.libraryStatus({ project }, { signal }),
});

export function useStatus(project: string) {
  return useQuery(statusOf(useApi(), project));
}

/** What each of these projects has: to begin with one that has something. */
export function useStatuses(projects: readonly string[]) {
  const api = useApi();
  return useQueries({ queries: projects.map((project) => statusOf(api, project)) });
}

/** More than these are not listed: one finds them by words. */
const MOST_FILES = 20_000;

/** All published files, by path. */
export function useFiles(project: string) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, 'files', project],
    queryFn: async ({ signal }) => {
      const items: LibraryItem[] = [];
      for await (const item of api.listLibraryItems.all({ project, limit: 1000 }, { signal })) {
        items.push(item);
        if (items.length >= MOST_FILES) break;
      }
      return items;
    },
  });
}

export function useFile(project: string, id: string | undefined, revision?: number) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, 'file', project, id, revision ?? null],
    queryFn: ({ signal }) =>
      api.readLibraryItem({ id: id!, project, ...(revision !== undefined && { revision }) }, { signal }),
    enabled: id !== undefined,
    retry: false,
  });
}

export function useRevisions(project: string, id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, 'revisions', project, id],
    queryFn: async ({ signal }) => (await api.listRevisions({ id, project }, { signal })).revisions,
    retry: false,
  });
}

export function useItemUsage(project: string, id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, EVIDENCE, 'item', project, id],
    queryFn: ({ signal }) => api.readItemUsage({ id, project }, { signal }),
    retry: false,
  });
}

export function useDrafts(project: string, filter: DraftFilter) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [LIBRARY, 'drafts', project, filter],
    queryFn: ({ signal, pageParam }) =>
      api.listDrafts(
        {
          ...{ project, limit: 100 },
          ...(filter === 'all' && { all: true }),
          ...(filter !== 'all' && filter !== 'open' && { status: filter }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

export function useDraft(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, 'draft', id],
    queryFn: ({ signal }) => api.readDraft({ id: id! }, { signal }),
    enabled: id !== undefined,
    retry: false,
  });
}

export function useTurns(project: string, days: number | undefined) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [LIBRARY, EVIDENCE, 'turns', project, days ?? null],
    queryFn: ({ signal, pageParam }) =>
      api.listTurns(
        {
          ...{ project, limit: 50 },
          ...(days !== undefined && { days }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

export function useRuleUsage(project: string, days: number | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, EVIDENCE, 'rules', project, days ?? null],
    queryFn: async ({ signal }) =>
      (await api.listRuleUsage({ project, limit: 1000, ...(days !== undefined && { days }) }, { signal }))
        .rules,
  });
}

/** By project: of all that are open to whoever asks. */
export function useReport(by: EvidenceSubject, project: string, days: number | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, EVIDENCE, 'report', by, project, days ?? null],
    queryFn: async ({ signal }) => {
      const asked = { by, ...(by !== 'project' && { project }), ...(days !== undefined && { days }) };
      const report = await api.reportUsage(asked, { signal });
      return { ...report, rows: report.rows as EvidenceRow[] };
    },
  });
}

export function useDayUsage(project: string, days: number | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [LIBRARY, EVIDENCE, 'days', project, days ?? null],
    queryFn: async ({ signal }) =>
      (await api.listDayUsage({ project, limit: 400, ...(days !== undefined && { days }) }, { signal })).days,
  });
}
