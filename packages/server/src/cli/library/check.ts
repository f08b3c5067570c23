import { resolve } from 'node:path';
import { InfoldError } from '../../kernel/errors.ts';
import { VERSION } from '../../kernel/version.ts';
import { type CheckReport, checkFolder } from '../../library/check/check-folder.ts';
import { sarifOf } from '../../library/check/sarif.ts';
import { checkWorkflow } from '../../transient/workflows/check.ts';
import type { Run } from '../command-line.ts';
import { EXIT } from '../output.ts';
import { toolNames } from '../services/registry.ts';

export interface CheckFlags {
  format: string;
  maxTokens: string;
  strict?: boolean;
}

const FORMATS = ['text', 'json', 'sarif'];

/** Exit code 4 where something was found that must be mended: an error, or with `--strict` anything. Needs no data folder. */
export async function libraryCheck(run: Run, flags: CheckFlags, folder: string): Promise<number> {
  const { output, report } = run;
  const { config } = report;
  const mostTokens = Number(flags.maxTokens);
  if (!Number.isSafeInteger(mostTokens) || mostTokens < 1)
    throw new InfoldError(
      'invalid_arguments',
      `--max-tokens must be a whole number; it was ${flags.maxTokens}`,
    );
  if (!FORMATS.includes(flags.format))
    throw new InfoldError(
      'invalid_arguments',
      `--format must be one of ${FORMATS.join(', ')}; it was ${flags.format}`,
    );
  const checked = checkFolder(resolve(folder), {
    mostTokens,
    mostBytes: config.limits.libraryFileBytes,
    validators: [(file) => checkWorkflow(file, toolNames, config.limits)],
  });
  const format = output.json && flags.format === 'text' ? 'json' : flags.format;
  if (format === 'text') output.answer(checked, () => textOf(checked));
  else {
    const value = format === 'sarif' ? sarifOf(checked.findings, VERSION) : checked;
    output.answer(value, () => JSON.stringify(value, null, 2));
  }
  const counts = checked.findings.some(({ level }) => flags.strict || level === 'error');
  return counts ? EXIT.found : EXIT.done;
}

/** A line each, in the form that editors and terminals turn into links. */
function textOf({ files, constraints, findings }: CheckReport): string {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const lines = findings.map(
    ({ path, line, level, check, message }) => `${path}:${line}: ${level}: ${message} [${check}]`,
  );
  const sum = `${files} files, ${constraints} constraints: ${errors} errors, ${findings.length - errors} warnings.`;
  return [...lines, sum].join('\n');
}
