import type { TablesReport, VerifyReport } from '../journal/journal.ts';
import type { Config } from '../kernel/config.ts';
import { EXIT, type Output } from './output.ts';
import { progressBar } from './progress.ts';
import { openExistingJournal } from './services.ts';

/** Exit code 4 when an entry is not as it was written. */
export async function verify(
  config: Config,
  output: Output,
  flags: { tables?: boolean } = {},
): Promise<number> {
  const journal = await openExistingJournal(config);
  const bar = progressBar('verifying');
  try {
    const report = await journal.verify(bar.update);
    // Tables of a journal that is not as it was written would be compared with nothing that can be trusted.
    const tables = flags.tables && report.ok ? await journal.verifyTables(bar.update) : undefined;
    bar.done();
    output.answer({ ...report, ...(tables ? { tables } : {}) }, () =>
      [describeChain(report), ...(tables ? [describeTables(tables)] : [])].join('\n'),
    );
    return report.ok && tables?.ok !== false ? EXIT.done : EXIT.found;
  } finally {
    bar.done();
    await journal.close();
  }
}

function describeChain(report: VerifyReport): string {
  if (report.first) {
    const { seq, id, stream, problem } = report.first;
    return `The journal is not as it was written. First bad entry: ${seq}${id ? ` (${id} in ${stream})` : ''}, ${problem}`;
  }
  const erased = report.erased > 0 ? `, ${report.erased} erased` : '';
  const checkpoints = report.checkpoints > 0 ? `, ${report.checkpoints} signed checkpoints` : '';
  return `The journal is as it was written: ${report.entries} entries, ${report.events} events${erased}${checkpoints}. Head ${report.head.hash}`;
}

function describeTables({ tables, different }: TablesReport): string {
  if (different.length === 0) return `All ${tables} tables are what the journal makes of them.`;
  return `${different.length} of ${tables} tables are not what the journal makes of them: ${different.join(', ')}. "infold rebuild" makes them anew.`;
}

export async function rebuild(config: Config, output: Output): Promise<void> {
  const journal = await openExistingJournal(config);
  const bar = progressBar('rebuilding');
  try {
    const started = performance.now();
    const result = await journal.rebuild(bar.update);
    bar.done();
    const seconds = (performance.now() - started) / 1000;
    output.answer({ ...result, seconds }, () => {
      return `All tables were made anew from ${result.entries} entries (${result.events} events) in ${seconds.toFixed(1)} s.`;
    });
  } finally {
    bar.done();
    await journal.close();
  }
}
