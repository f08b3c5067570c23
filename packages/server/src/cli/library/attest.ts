import { isoTime } from '../../kernel/clock.ts';
import { listTurns, reportUsage } from '../../library/actions/usage.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import type { ActionOutput } from '../services/calls.ts';
import { inLibrary, projectNamed } from './library-project.ts';

export interface ReportFlags extends ProjectFlag {
  days?: string;
  by: string;
  agent?: string;
  csv?: boolean;
}

type Row = Record<string, string | number | boolean | null>;

const FIGURES = ['loaded', 'referred', 'claimed_without_loading', 'stale'];
const COLUMNS: Record<string, readonly string[]> = {
  rule: [
    'path',
    'kind',
    'state',
    ...FIGURES,
    'agents',
    'turns',
    'rejected_turns',
    'last_referred_at',
    'loaded_by_host',
  ],
  constraint: [
    'path',
    'constraint_id',
    'referred',
    'claimed_without_loading',
    'stale',
    'agents',
    'current',
    'last_referred_at',
  ],
  agent: ['agent', 'sessions', 'turns', 'submitted_turns', 'rejected_turns', ...FIGURES],
  day: ['day', 'agents', 'turns', 'rejected_turns', ...FIGURES],
  project: ['workspace_id', 'agents', 'turns', 'rejected_turns', ...FIGURES],
};

/** Without a project: of all of them. */
export function attestReport(run: Run, { by, days, agent, csv, project }: ReportFlags): Promise<number> {
  const question = { by, days, agent, project: projectNamed(project) };
  return act(run, reportUsage, question, {
    show: ({ rows }) => {
      const columns = COLUMNS[by]!;
      if (csv) return csvText(rows, columns);
      if (rows.length === 0) return 'Nothing on record yet.';
      const cells = rows.map((row: Row) => columns.map((column) => shown(column, row[column] ?? null)));
      const header = columns.map((column) => column.replaceAll('_', ' ').toUpperCase());
      return table(cells, header);
    },
  });
}

function shown(column: string, value: Row[string]): string {
  if (value === null) return '-';
  if (column.endsWith('_at')) return isoTime(value as number);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return column === 'state' ? String(value).replaceAll('_', ' ') : String(value);
}

/** RFC 4180. A cell that a spreadsheet would take for a formula is given as text. */
function csvText(rows: readonly Row[], columns: readonly string[]): string {
  const cell = (value: Row[string], column: string): string => {
    const plain = value === null ? '' : column.endsWith('_at') ? isoTime(value as number) : String(value);
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((column) => cell(row[column] ?? null, column)).join(','));
  // The line feed after it is every answer's.
  return `${[columns.join(','), ...lines].join('\r\n')}\r`;
}

export function attestTurns(run: Run, { limit, ...flags }: ProjectFlag & { limit: string }): Promise<number> {
  return act(run, listTurns, inLibrary(run.output, flags, { limit }), {
    show: ({ turns }) => (turns.length === 0 ? 'No turns on record yet.' : turns.map(turnText).join('\n')),
  });
}

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
