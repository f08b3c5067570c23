import { exportLines } from '../../call/exports.ts';
import { isoTime } from '../../kernel/clock.ts';
import { listTurns, readItemUsage, reportUsage } from '../../library/actions/usage.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import type { ActionOutput } from '../services/calls.ts';
import { inLibrary, projectNamed } from './library-project.ts';

export interface ReportFlags extends ProjectFlag {
  days?: string;
  since?: string;
  by: string;
  agent?: string;
  model?: string;
  rule?: string;
  only?: string;
  publishedDays?: string;
  minTurns?: string;
  foughtShare?: string;
  minEdits?: string;
  csv?: boolean;
  ndjson?: boolean;
}

type Row = Record<string, string | number | boolean | null>;

/** Without a project: of all of them. */
export function attestReport(run: Run, flags: ReportFlags): Promise<number> {
  const { project, csv, ndjson, publishedDays, minTurns, foughtShare, minEdits, only, ...asked } = flags;
  const question = {
    ...asked,
    project: projectNamed(project),
    only: only?.replaceAll('-', '_'),
    ...{ published_days: publishedDays, min_turns: minTurns, fought_share: foughtShare, min_edits: minEdits },
  };
  return act(run, reportUsage, question, {
    show: (answer) => {
      // The line feed at the end is every answer's.
      if (csv) return [...exportLines(answer, 'csv')].join('').slice(0, -1);
      if (ndjson) return [...exportLines(answer, 'ndjson')].join('').slice(0, -1);
      const { rows, columns, since, first_day } = answer;
      if (rows.length === 0) return only ? 'None.' : 'Nothing on record yet.';
      const told = columns.filter((column) => rows.some((row: Row) => tells(column, row[column])));
      const cells = rows.map((row: Row) => told.map((column) => shown(column, row[column] ?? null)));
      const header = told.map((column) => column.replaceAll('_', ' ').toUpperCase());
      const from = since ?? first_day;
      return `${table(cells, header)}${from === null ? '' : `\n\nCounted since ${from} (UTC).`}`;
    },
  });
}

/** Columns that say something also where nothing was counted; of the others a terminal has no room for zeros. */
const BASIC = ['loaded', 'referred', 'turns'];

function tells(column: string, value: Row[string] | undefined): boolean {
  return value !== null && value !== undefined && (value !== 0 || BASIC.includes(column));
}

function shown(column: string, value: Row[string]): string {
  if (value === null) return '-';
  if (column.endsWith('_at')) return isoTime(value as number);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return ['state', 'verdict', 'why'].includes(column)
    ? String(value).replace('not_enough', 'not enough yet').replaceAll('_', ' ')
    : String(value);
}

export function attestTrend(
  run: Run,
  { revision, minTurns, ...flags }: ProjectFlag & { revision?: string; minTurns?: string },
  rule: string,
): Promise<number> {
  return act(run, readItemUsage, inLibrary(run.output, flags, { id: rule, revision, min_turns: minTurns }), {
    json: ({ project, id, path, trend }) => ({ project, id, path, ...trend }),
    show: ({ path, trend }) => {
      const { before, after } = trend;
      const cells = [
        ['followed', shareText(before.followed), shareText(after.followed)],
        ['rejected', shareText(before.rejected), shareText(after.rejected)],
      ];
      const title = `${path}, since revision ${trend.revision} of ${trend.published_at}: ${RESULTS[trend.result]}`;
      return `${title}\n\n${table(cells, ['TURNS', 'BEFORE', 'SINCE'])}`;
    },
  });
}

const RESULTS = {
  better: 'better',
  worse: 'worse',
  no_difference: 'no difference shown',
  not_enough: 'not enough yet',
};

function shareText({
  count,
  of,
  share,
  low,
  high,
}: ActionOutput<typeof readItemUsage>['trend']['before']['followed']) {
  if (share === null || low === null || high === null) return '0 of 0';
  const percent = (value: number) => `${Math.round(value * 100)} %`;
  return `${count} of ${of}: ${percent(share)} (${percent(low)} to ${percent(high)})`;
}

export function attestTurns(run: Run, { limit, ...flags }: ProjectFlag & { limit: string }): Promise<number> {
  return act(run, listTurns, inLibrary(run.output, flags, { limit }), {
    show: ({ turns }) => (turns.length === 0 ? NO_TURNS : turns.map(turnText).join('\n')),
  });
}

const NO_TURNS =
  'No turns of sessions here on record yet. What edges sent is counted by "infold attest report".';

function turnText(turn: ActionOutput<typeof listTurns>['turns'][number]): string {
  const ended = turn.outcome === 'open' ? 'still open' : `${turn.outcome} ${turn.ended_at}`;
  const note = turn.summary ?? turn.reason;
  return [
    `${turn.agent}, turn ${turn.turn} of ${turn.session_id}: ${ended}${note ? `: ${note}` : ''}`,
    ...turn.loaded.map(({ path, hash }) => `  loaded  ${path} ${hash.slice(7, 19)}`),
    ...turn.loaded_by_host.map(
      ({ path, hash, file }) => `  loaded  ${path} ${hash.slice(7, 19)} by the host, as ${file}`,
    ),
    ...turn.claimed.map(
      ({ path, constraint_id, loaded, stale }) =>
        `  claimed ${path} ${constraint_id}${loaded ? '' : ' (never loaded)'}${stale ? ' (stale)' : ''}`,
    ),
  ].join('\n');
}
