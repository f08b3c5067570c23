import type { TablesReport, VerifyReport } from '../../journal/journal.ts';
import { verify } from '../../system/actions/verify.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { EXIT } from '../output.ts';

/** Exit code 4 when an entry is not as it was written. */
export function verifyAll(run: Run, { tables }: { tables?: boolean }): Promise<number> {
  return act(
    run,
    verify,
    { tables },
    {
      reads: true,
      progress: 'verifying',
      show: (report) =>
        [describeChain(report), ...(report.tables ? [describeTables(report.tables)] : [])].join('\n'),
      exitCode: (report) => (report.ok && report.tables?.ok !== false ? EXIT.done : EXIT.found),
    },
  );
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
  if (different.length === 0) return `All ${tables} tables match the journal.`;
  return `${different.length} of ${tables} tables do not match the journal: ${different.join(', ')}. "infold rebuild" rebuilds them.`;
}
