import type { SelectionView } from '@infold/protocol';
import { readSelection, selectFiles } from '../../library/workspaces/actions.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { inLibrary } from './library-project.ts';

export interface SelectFlags extends ProjectFlag {
  path?: string[];
  tag?: string[];
  revision?: string;
  none?: boolean;
}

export function librarySelect(
  run: Run,
  { path, tag, revision, none, ...flags }: SelectFlags,
): Promise<number> {
  const wish = {
    ...{ paths: path, tags: tag, none },
    revision: revision !== undefined && /^\d+$/.test(revision) ? Number(revision) : revision,
  };
  return act(run, selectFiles, inLibrary(run.output, flags, wish), {
    show: ({ changed, revision: now, ...view }) =>
      [
        `${changed} files changed; the library of ${view.project} is at revision ${now}.`,
        selectionText(view),
      ].join('\n'),
  });
}

export function librarySelection(run: Run, flags: ProjectFlag): Promise<number> {
  return act(run, readSelection, inLibrary(run.output, flags), { show: selectionText });
}

function selectionText({
  project,
  selection,
  organisation,
  files,
  overridden,
  behind,
}: SelectionView): string {
  const library = `the organisation's library (project "${organisation.project}", revision ${organisation.revision})`;
  if (!selection) return `${project} selects nothing from ${library}.`;
  const { paths, tags, revision } = selection;
  const what = [
    ...(paths.length > 0 ? [`paths ${paths.join(', ')}`] : []),
    ...(tags.length > 0 ? [`tags ${tags.join(', ')}`] : []),
  ].join(' with ');
  const which = revision === 'latest' ? 'the latest revision' : `revision ${revision}`;
  return [
    `${project} selects ${what} of ${library}, at ${which}: ${files} files.`,
    ...overridden.map((path) => `  ${path} is the project's own instead`),
    ...(behind
      ? ['What was published last has not arrived yet; a running server brings it, or select again.']
      : []),
  ].join('\n');
}
