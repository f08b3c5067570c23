import { audit, mergeDoubles } from '../../memory/actions/audit.ts';
import { actInFolder } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { EXIT } from '../output.ts';
import { oneLine } from './one-line.ts';

export interface AuditFlags extends ProjectFlag {
  days?: string;
  fix?: boolean;
}

/** Lists what is contradicted, doubled or stale; `--fix` lets one of each set of exact doubles supersede the others. */
export function memoryAudit(run: Run, { project, days, fix = false }: AuditFlags): Promise<number> {
  return actInFolder(run, { reads: !fix }, async (call) => {
    const { merged } = fix ? await call(mergeDoubles, { project }) : { merged: [] };
    const { checked, counts, findings } = await call(audit, { project, days });
    const superseded = merged.reduce((sum, each) => sum + each.superseded.length, 0);
    run.output.answer({ checked, counts, findings, ...(fix && { merged }) }, () =>
      [
        ...(fix ? [`${superseded} exact doubles were superseded by ${merged.length} items.`] : []),
        ...findings.flatMap(({ kind, criterion, why, items }) => [
          `${kind} (${criterion}): ${why}`,
          ...items.map(({ id, kind: of, name }) => `    ${id} ${of} ${oneLine(name)}`),
        ]),
        ...beyond(counts, findings),
        `${checked} items were looked at.`,
      ].join('\n'),
    );
    return EXIT.done;
  });
}

/** What the list was too short for. */
function beyond(
  counts: Readonly<Partial<Record<string, number>>>,
  findings: readonly { criterion: string }[],
): string[] {
  return Object.entries(counts).flatMap(([criterion, count = 0]) => {
    const shown = findings.filter((finding) => finding.criterion === criterion).length;
    return count > shown ? [`… and ${count - shown} more by ${criterion}`] : [];
  });
}
