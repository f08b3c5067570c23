import type { Api } from '@infold/client/api';

export interface SentFile {
  path: string;
  content: string;
}

export interface Refused {
  path: string;
  reason: string;
}

type Answer = Awaited<ReturnType<Api['importFiles']>>;

/** What an import does, or would do. */
export type ImportSummary = Pick<
  Answer,
  | 'created'
  | 'updated'
  | 'renamed'
  | 'unchanged'
  | 'secrets'
  | 'redacted'
  | 'skipped'
  | 'without_constraints'
  | 'files'
  | 'drafts_left'
>;

const NOTHING: ImportSummary = {
  ...{ created: 0, updated: 0, renamed: 0, unchanged: 0, secrets: 0 },
  ...{ redacted: [], skipped: [], without_constraints: [], files: [], drafts_left: [] },
};

export function together(reports: readonly ImportSummary[]): ImportSummary {
  return reports.reduce(
    (sum, one) => ({
      created: sum.created + one.created,
      updated: sum.updated + one.updated,
      renamed: sum.renamed + one.renamed,
      unchanged: sum.unchanged + one.unchanged,
      secrets: sum.secrets + one.secrets,
      redacted: [...sum.redacted, ...one.redacted],
      skipped: [...sum.skipped, ...one.skipped],
      without_constraints: [...sum.without_constraints, ...one.without_constraints],
      files: [...sum.files, ...one.files],
      drafts_left: [...sum.drafts_left, ...one.drafts_left],
    }),
    NOTHING,
  );
}

/** A request has room for so much, and so many. */
const MOST_CHARACTERS = 1_000_000;
const MOST_FILES = 500;

export function batchesOf(files: readonly SentFile[]): SentFile[][] {
  const batches: SentFile[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const file of files) {
    const length = file.content.length + file.path.length;
    if (size + length > MOST_CHARACTERS || batches.at(-1)!.length >= MOST_FILES) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)!.push(file);
    size += length;
  }
  return batches;
}

export interface ReportRow {
  path: string;
  result: 'refused' | ImportSummary['files'][number]['result'];
  reason?: string;
}

const ORDER = ['refused', 'created', 'updated', 'renamed', 'unchanged'] as const;

/** Every file with what becomes of it: what somebody should look at comes first. */
export function rowsOf({ files, skipped }: ImportSummary, refused: readonly Refused[]): ReportRow[] {
  const rows: ReportRow[] = [
    ...[...refused, ...skipped].map(({ path, reason }) => ({ path, reason, result: 'refused' as const })),
    ...files,
  ];
  return rows.sort(
    (one, other) =>
      ORDER.indexOf(one.result) - ORDER.indexOf(other.result) || (one.path < other.path ? -1 : 1),
  );
}
