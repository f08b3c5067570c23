import { isoTime } from '../kernel/clock.ts';
import { type CsvValue, csvLine } from '../kernel/formats/csv.ts';

/** An answer that can be had as a file: what a row holds, and the rows. */
export interface Exported {
  columns: readonly string[];
  rows: readonly Record<string, unknown>[];
}

export type ExportFormat = 'csv' | 'ndjson';

/** Times are written as times: whoever opens the file does not count milliseconds. */
export function* exportLines({ columns, rows }: Exported, format: ExportFormat): Generator<string> {
  if (format === 'csv') yield csvLine(columns);
  for (const row of rows) {
    const values = columns.map((column) => shownIn(column, row[column]));
    if (format === 'csv') yield csvLine(values);
    else
      yield `${JSON.stringify(Object.fromEntries(columns.map((column, place) => [column, values[place]])))}\n`;
  }
}

function shownIn(column: string, value: unknown): CsvValue {
  if (value === undefined) return null;
  return column.endsWith('_at') && typeof value === 'number' ? isoTime(value) : (value as CsvValue);
}
