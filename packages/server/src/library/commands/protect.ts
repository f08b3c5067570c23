import { invalid, notProtected, protectedPath } from '../errors.ts';
import type { FileChange, Protection } from '../events.ts';
import { globProblem } from '../files/globs.ts';
import { countedFor, protectionsAt } from '../files/protections.ts';
import type { LibraryDecision } from './review.ts';

/** Refuses what is published at a protected path without the approvals that it needs. */
export function checkProtected(
  protections: readonly Protection[],
  { path, previous_path }: Pick<FileChange, 'path' | 'previous_path'>,
  approvers: readonly string[],
): void {
  for (const protection of protectionsAt(protections, [path, previous_path])) {
    const counted = countedFor(protection, approvers);
    if (counted.length < protection.approvals) throw protectedPath(path, protection, counted);
  }
}

export interface ProtectionWish extends Protection {
  /** Lifts the protection of the pattern instead. */
  none: boolean;
}

export function protectPaths(
  protections: readonly Protection[],
  target: { workspaceId: string; org: string; projectId: string },
  { pattern, reviewers, approvals, none }: ProtectionWish,
): LibraryDecision<null> {
  const problem = globProblem(pattern);
  if (problem !== undefined) throw invalid(`pattern: "${pattern}" ${problem}`);
  const names = [...new Set(reviewers)];
  if (!none && names.length > 0 && names.length < approvals) {
    throw invalid(`approvals: ${approvals} are needed, but only ${names.length} reviewers are named`);
  }
  const before = protections.find((one) => one.pattern === pattern);
  if (none && !before) throw notProtected(pattern, protections);
  const data = {
    ...{ workspace_id: target.workspaceId, org: target.org, project_id: target.projectId },
    ...{
      pattern,
      reviewers: none ? before!.reviewers : names,
      approvals: none ? before!.approvals : approvals,
    },
    ...(none && { lifted: true as const }),
  };
  const isSame = !none && before?.approvals === approvals && before.reviewers.join('\n') === names.join('\n');
  return { events: isSame ? [] : [{ type: 'library.protected', data }], answer: null };
}
