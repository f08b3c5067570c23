import { InfoldError, messageOf } from '../kernel/errors.ts';

/** Exit codes that scripts can rely on. */
export const EXIT = { done: 0, failed: 1, usage: 2, partly: 3, found: 4 } as const;

export interface Output {
  json: boolean;
  /** The answer of a command: one JSON document with `--json`, else what people read. */
  answer(value: unknown, human: () => string): void;
  /** A remark that is not part of the answer. */
  note(text: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    answer: (value, human) => {
      process.stdout.write(`${json ? JSON.stringify(value, null, 2) : human()}\n`);
    },
    note: (text) => {
      process.stderr.write(`${text}\n`);
    },
  };
}

export function exitCodeOf(error: unknown): number {
  return InfoldError.isInstance(error) && error.code === 'invalid_arguments' ? EXIT.usage : EXIT.failed;
}

/** One clear line, or one JSON document, on stderr. */
export function printError(error: unknown, json: boolean): void {
  const known = InfoldError.isInstance(error) ? error : undefined;
  const code = known?.code ?? 'internal';
  const line = json
    ? JSON.stringify({ error: messageOf(error), code, retryable: known?.retryable ?? false })
    : `infold: ${messageOf(error)}`;
  process.stderr.write(`${line}\n`);
  if (!known && process.env.INFOLD_DEBUG) process.stderr.write(`${(error as Error).stack}\n`);
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[], header: readonly string[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
