import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useHeadingFor } from '../design/hooks/use-heading-for.ts';
import { type LibraryProject, type LibraryStatus, useStatuses } from './queries.ts';

/** How an address names a project: by its name where that is one project's alone. */
export function specOf({ id, name }: LibraryProject, projects: readonly LibraryProject[]): string {
  return projects.filter((other) => other.name === name).length === 1 ? name : id;
}

export function sizeOf({ rules, workflows, context, drafts }: LibraryStatus): number {
  return rules + workflows + context + drafts;
}

/** Of many projects only the first are looked at. */
const LOOKED_AT = 20;
const DEFAULT = 'default';
/** Where the reader was last, as long as the page is open. */
let last: string | undefined;

/** An address may name a project by its id, name or folder. */
function projectOf(named: string, projects: readonly LibraryProject[]): string {
  const found = projects.find(({ id, name, path }) => [id, name, path].includes(named));
  return found ? specOf(found, projects) : named;
}

/** The project of the address; without one, the last that was shown, or the one with the largest library. */
export function useFirstProject(
  projects: readonly LibraryProject[],
  named: string | undefined,
): string | undefined {
  const navigate = useNavigate();
  const isHeadingFor = useHeadingFor();
  const remembered = projects.some((project) => specOf(project, projects) === last) ? last : undefined;
  const candidates =
    named !== undefined || remembered !== undefined
      ? []
      : projects.slice(0, LOOKED_AT).map((project) => specOf(project, projects));
  const statuses = useStatuses(candidates);
  const isKnown = statuses.every(({ isPending }) => !isPending);
  const largest = candidates
    .map((spec, place) => ({ spec, size: statuses[place]?.data ? sizeOf(statuses[place].data) : -1 }))
    .reduce((best, one) => (one.size > best.size ? one : best), { spec: DEFAULT, size: -1 });
  const given = named === undefined ? undefined : projectOf(named, projects);
  const chosen = given ?? remembered ?? (isKnown ? largest.spec : undefined);
  useEffect(() => {
    last = chosen ?? last;
    if (named !== undefined || chosen === undefined || !isHeadingFor(location.pathname)) return;
    void navigate({ to: '.', search: (before) => ({ ...before, project: chosen }), replace: true });
  }, [named, chosen, navigate, isHeadingFor]);
  return chosen;
}
