import { type Api, ApiError } from '@infold/client/api';
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useAccount } from '../api/account.tsx';
import { useEntries } from '../api/live.tsx';
import type { Session } from '../api/session.ts';

type Answer<Name extends keyof Api> = Awaited<ReturnType<Api[Name]>>;
export type RecordSource = NonNullable<Answer<'searchRecords'>['models']>[number];
export type WorkflowView = Answer<'listWorkflows'>['workflows'][number];
export type Workflow = Answer<'readWorkflow'>;
export type Step = Workflow['steps'][number];
export type RecordValues = Record<string, unknown>;
/** What the server adds to any answer. */
type Told = { notices?: string[] };

/** The journal does not tell of files and databases: they are asked while somebody looks. */
const OFTEN = 10_000;
/** How often a source that is being indexed is tried. */
const SOON = 1500;

export const isIndexing = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'source_indexing';

export const sourcesQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: ['records', 'sources'],
    queryFn: async ({ signal }) => {
      const { models = [], notices = [] } = (await api.searchRecords({}, { signal })) as Told &
        Answer<'searchRecords'>;
      return { sources: models, notices };
    },
    refetchInterval: OFTEN,
    staleTime: 0,
  });

interface RecordsQuestion {
  filters: Record<string, unknown>;
  sort?: string | undefined;
  fields?: string[] | undefined;
}

/** One page of what is found; the page before stays until it is there. */
export function usePageOf(model: string, question: RecordsQuestion, page: number, size: number) {
  const { session } = useAccount();
  return useQuery({
    queryKey: ['records', 'page', model, JSON.stringify(question), page, size],
    queryFn: async ({ signal }) => {
      const input = { model, ...question, page, per_page: size };
      const answer = await session.api.searchRecords(input, { signal });
      const { schema, records, pagination, notices = [] } = answer as Told & typeof answer;
      return { columns: schema!.columns, records: records!, pagination: pagination!, notices };
    },
    placeholderData: keepPreviousData,
    // Columns may have any name: keys and pages that are compared part by part would lose `__proto__`.
    structuralSharing: false,
    retry: false,
    refetchInterval: ({ state }) => (isIndexing(state.error) ? SOON : false),
  });
}

/** Reads a page again once its source says that it has changed. */
export function useChanges(source: RecordSource | undefined): void {
  const client = useQueryClient();
  const before = useRef<string>(undefined);
  const now = source && `${source.model} ${source.records} ${source.state}`;
  const model = source?.model;
  useEffect(() => {
    if (now === undefined) return;
    if (before.current !== undefined && before.current !== now) {
      void client.invalidateQueries({ queryKey: ['records', 'page', model] });
    }
    before.current = now;
  }, [client, now, model]);
}

/** By its id, or by its place among those that are found. */
export type WantedRecord = { id: string | number } | { row: number; question: RecordsQuestion };

export function useRecord(model: string, wanted: WantedRecord | undefined) {
  const { session } = useAccount();
  return useQuery({
    queryKey: ['records', 'record', model, JSON.stringify(wanted)],
    queryFn: async ({ signal }) => {
      const which =
        'id' in wanted!
          ? { record_id: wanted.id }
          : {
              ...{ filters: wanted!.question.filters, sort: wanted!.question.sort },
              ...{ page: wanted!.row, per_page: 1 },
            };
      const answer = await session.api.findRecords({ model, ...which }, { signal });
      const { records = [], notices = [] } = answer as Told & typeof answer;
      return { records, notices };
    },
    enabled: wanted !== undefined,
    structuralSharing: false,
    retry: false,
  });
}

const WORKFLOWS = ['workflows'];

export const workflowsQuery = ({ api }: Session) =>
  queryOptions({
    queryKey: [...WORKFLOWS, 'list'],
    queryFn: ({ signal }) => api.listWorkflows({}, { signal }),
  });

export const workflowQuery = ({ api }: Session, workflow: string, project: string | undefined) =>
  queryOptions({
    queryKey: [...WORKFLOWS, workflow, project],
    queryFn: ({ signal }) => api.readWorkflow({ workflow, project }, { signal }),
    retry: false,
  });

/** Workflows are files of the library: what is published there may change them. */
export function useWorkflowChanges(): void {
  const client = useQueryClient();
  useEntries((entries) => {
    if (entries.some(({ events }) => events.some(({ type }) => type === 'library.published'))) {
      void client.invalidateQueries({ queryKey: WORKFLOWS });
    }
  });
  // Also by what was published while another view was shown.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: WORKFLOWS }, { cancelRefetch: false });
  }, [client]);
}
