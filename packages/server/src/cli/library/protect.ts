import { listProtections, protectPaths } from '../../library/workspaces/actions.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import { inLibrary } from './library-project.ts';

export interface ProtectFlags extends ProjectFlag {
  reviewer?: string[];
  approvals?: string;
  none?: boolean;
}

export function libraryProtect(
  run: Run,
  { reviewer, approvals, none, ...flags }: ProtectFlags,
  pattern: string | undefined,
): Promise<number> {
  if (pattern === undefined) {
    return act(run, listProtections, inLibrary(run.output, flags), { show: protectionsText });
  }
  const wish = { pattern, reviewers: reviewer, approvals, none };
  return act(run, protectPaths, inLibrary(run.output, flags, wish), { show: protectionsText });
}

function protectionsText({
  protections,
}: {
  protections: { pattern: string; reviewers: string[]; approvals: number }[];
}): string {
  if (protections.length === 0) return 'Nothing is protected.';
  return table(
    protections.map(({ pattern, reviewers, approvals }) => [
      pattern,
      String(approvals),
      reviewers.length === 0 ? 'anybody who may review' : reviewers.join(', '),
    ]),
    ['PATHS', 'APPROVALS', 'OF'],
  );
}
