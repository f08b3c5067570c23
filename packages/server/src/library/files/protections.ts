import type { Protection } from '../events.ts';
import { matchesAny } from './globs.ts';

/** The protections of these paths. */
export function protectionsAt(
  protections: readonly Protection[],
  paths: readonly (string | null)[],
): Protection[] {
  return protections.filter(({ pattern }) =>
    paths.some((path) => path !== null && matchesAny([pattern], path)),
  );
}

/** Whose approvals count towards a protection. */
export function countedFor({ reviewers }: Protection, approvers: readonly string[]): string[] {
  return reviewers.length === 0 ? [...approvers] : approvers.filter((name) => reviewers.includes(name));
}
