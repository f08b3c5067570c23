import { isoTime, systemClock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { pageOfTurns, turnRecord } from '../library/queries/turns.ts';
import {
  agentUsage,
  constraintUsage,
  dayUsage,
  projectUsage,
  ruleUsage,
  type UsageFilter,
} from '../library/queries/usage.ts';
import { type ProjectFlag, withFolderLibrary, withLibrary } from './library.ts';
import { type Output, table } from './output.ts';

export interface ReportFlags extends ProjectFlag {
  days?: string;
  by: string;
  agent?: string;
  csv?: boolean;
}

const DAY = 86_400_000;
const MOST_DAYS = 3650;

type Row = Record<string, string | number | boolean | null>;

interface Report {
  rows(database: Database, filter: UsageFilter): object[];
  columns: readonly string[];
}

const FIGURES = ['loaded', 'referred', 'claimed_without_loading', 'stale'];
const REPORTS: Record<string, Report> = {
  rule: {
    rows: ruleUsage,
    columns: ['path', 'kind', 'state', ...FIGURES, 'agents', 'turns', 'rejected_turns', 'last_referred_at'],
  },
  constraint: {
    rows: constraintUsage,
    columns: [
      'path',
      'constraint_id',
      'referred',
      'claimed_without_loading',
      'stale',
      'agents',
      'current',
      'last_referred_at',
    ],
  },
  agent: {
    rows: agentUsage,
    columns: ['agent', 'sessions', 'turns', 'submitted_turns', 'rejected_turns', ...FIGURES],
  },
  day: { rows: dayUsage, columns: ['day', 'agents', 'turns', 'rejected_turns', ...FIGURES] },
  project: { rows: projectUsage, columns: ['workspace_id', 'agents', 'turns', 'rejected_turns', ...FIGURES] },
};

/** Without a project: of all of them. */
export function attestReport(config: Config, output: Output, flags: ReportFlags): Promise<void> {
  return withFolderLibrary(config, flags, async ({ journal, project }) => {
    const report = Object.hasOwn(REPORTS, flags.by) ? REPORTS[flags.by] : undefined;
    if (!report) {
      throw new InfoldError('invalid_arguments', `--by must be one of ${Object.keys(REPORTS).join(', ')}`);
    }
    const rows = report.rows(journal.database, {
      workspaceId: flags.project === undefined ? null : project.workspace_id,
      since: since(flags.days),
      agent: flags.agent,
    }) as Row[];
    if (flags.csv && !output.json) {
      process.stdout.write(csv(rows, report.columns));
      return;
    }
    output.answer({ by: flags.by, days: flags.days === undefined ? null : Number(flags.days), rows }, () => {
      if (rows.length === 0) return 'Nothing on record yet.';
      const cells = rows.map((row) => report.columns.map((column) => shown(column, row[column] ?? null)));
      return table(
        cells,
        report.columns.map((column) => column.replaceAll('_', ' ').toUpperCase()),
      );
    });
  });
}

function since(days: string | undefined): number {
  if (days === undefined) return 0;
  const count = Number(days);
  if (!Number.isInteger(count) || count < 1 || count > MOST_DAYS) {
    throw new InfoldError('invalid_arguments', `--days must be a whole number from 1 to ${MOST_DAYS}`);
  }
  return systemClock() - count * DAY;
}

function shown(column: string, value: Row[string]): string {
  if (value === null) return '-';
  if (column.endsWith('_at')) return isoTime(value as number);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return column === 'state' ? String(value).replaceAll('_', ' ') : String(value);
}

/** RFC 4180. A cell that a spreadsheet would take for a formula is given as text. */
export function csv(rows: readonly Row[], columns: readonly string[]): string {
  const cell = (value: Row[string], column: string): string => {
    const plain = value === null ? '' : column.endsWith('_at') ? isoTime(value as number) : String(value);
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((column) => cell(row[column] ?? null, column)).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}

export function attestTurns(
  config: Config,
  output: Output,
  flags: ProjectFlag & { limit: string },
): Promise<void> {
  return withLibrary(config, output, flags, async ({ journal, project }) => {
    const limit = Math.min(1000, Math.max(1, Number.parseInt(flags.limit, 10) || 20));
    const { database } = journal;
    const turns = pageOfTurns(database, {
      workspaceId: project.workspace_id,
      principal: null,
      before: Number.MAX_SAFE_INTEGER,
      limit,
    })
      .slice(0, limit)
      .map((turn) => turnRecord(database, turn));
    output.answer({ project: project.name, turns }, () =>
      turns.length === 0
        ? 'No turns on record yet.'
        : turns
            .map((turn) => {
              const ended = turn.outcome === 'open' ? 'still open' : `${turn.outcome} ${turn.ended_at}`;
              const note = turn.summary ?? turn.reason;
              return [
                `${turn.agent}, turn ${turn.turn} of ${turn.session_id}: ${ended}${note ? `: ${note}` : ''}`,
                ...turn.loaded.map(({ path, hash }) => `  loaded  ${path} ${hash.slice(7, 19)}`),
                ...turn.claimed.map(
                  ({ path, constraint_id, loaded, stale }) =>
                    `  claimed ${path} ${constraint_id}${loaded ? '' : ' (never loaded)'}${stale ? ' (stale)' : ''}`,
                ),
              ].join('\n');
            })
            .join('\n'),
    );
  });
}
