import { resolve } from 'node:path';
import { exportLibrary, importLibrary } from '../../library/actions/folders.ts';
import { listRevisions } from '../../library/actions/items.ts';
import { restoreRevision } from '../../library/actions/restore.ts';
import { libraryStatus as status } from '../../library/actions/status.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { EXIT, table } from '../output.ts';
import type { ActionOutput } from '../services/calls.ts';
import { inFolderLibrary, inLibrary, placeText } from './library-project.ts';

const SHOWN = 10;

/** Exit code 3 when some files could not be taken. */
const partly = ({ skipped }: { skipped: readonly unknown[] }) =>
  skipped.length > 0 ? EXIT.partly : EXIT.done;

export function libraryImport(
  run: Run,
  { publish, ...flags }: ProjectFlag & { publish?: boolean },
  folder: string,
): Promise<number> {
  return act(run, importLibrary, inFolderLibrary(flags, { folder: resolve(folder), publish }), {
    makesFolder: true,
    progress: 'importing',
    show: importText,
    exitCode: partly,
  });
}

function importText(report: ActionOutput<typeof importLibrary>): string {
  return [
    `${report.read} files read into the library of "${report.project}" in ${report.seconds.toFixed(1)} s: ` +
      `${report.created} new, ${report.updated} changed, ${report.renamed} moved, ${report.unchanged} as before.`,
    placeText(report),
    nextText(report),
    listed(
      'Open drafts that say something else stay ("infold library diff" shows them):',
      report.drafts_left.map(
        ({ draft_path, id, status, drafted_by }) =>
          `${draft_path} (${id}, ${status.replace('_', ' ')}, by ${drafted_by})`,
      ),
    ),
    listed(
      `${report.secrets} secrets were replaced by placeholders in:`,
      report.redacted.map(({ path, secrets }) => `${path} (${secrets})`),
    ),
    listed(
      'These hold no constraint that an agent could refer to (no H2 section with text):',
      report.without_constraints,
    ),
    skippedText(report.skipped),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function nextText({
  published,
  revision,
  created,
  updated,
  renamed,
}: ActionOutput<typeof importLibrary>): string {
  if (created + updated + renamed === 0) return '';
  return published
    ? `Published as revision ${revision}.`
    : 'These are drafts: "infold library drafts" lists them, --publish publishes at once.';
}

export function libraryExport(run: Run, flags: ProjectFlag, folder: string): Promise<number> {
  return act(run, exportLibrary, inLibrary(run.output, flags, { folder: resolve(folder) }), {
    progress: 'exporting',
    show: (report) =>
      [
        `${report.written} files of "${report.project}" written to ${resolve(folder)}, ${report.unchanged} were as they are.`,
        report.untold.length > 0
          ? `Neither path nor front matter tells what kind these are: ${report.untold.join(', ')}`
          : '',
        listed(
          'These came from files of other tools:',
          report.origins.map(({ path, origin }) => `${path} (${origin})`),
        ),
        skippedText(report.skipped),
      ]
        .filter((text) => text !== '')
        .join('\n'),
    exitCode: partly,
  });
}

function skippedText(skipped: ActionOutput<typeof importLibrary>['skipped']): string {
  return listed(
    `${skipped.length} were left out:`,
    skipped.map(({ path, reason }) => `${path}: ${reason}`),
  );
}

/** The first few below a title, and how many more there are; nothing where there are none. */
function listed(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const more = items.length > SHOWN ? [`and ${items.length - SHOWN} more`] : [];
  return [title, ...[...items.slice(0, SHOWN), ...more].map((item) => `  ${item}`)].join('\n');
}

export function libraryStatus(run: Run, flags: ProjectFlag): Promise<number> {
  return act(run, status, inLibrary(run.output, flags), {
    show: (value) =>
      [
        `${value.project} (${value.workspace_id}), revision ${value.revision}`,
        `${value.rules} rules, ${value.workflows} workflows, ${value.context} context files, ` +
          `${value.meta_prompt ? 'a meta prompt of its own' : 'the meta prompt that every project begins with'}`,
        `${value.drafts} open drafts: ${value.in_review} in review, ${value.approved} approved, ${value.conflicts.length} in conflict`,
        ...value.conflicts.map((path) => `  conflict: ${path}`),
      ].join('\n'),
  });
}

export function libraryHistory(run: Run, flags: ProjectFlag, path: string): Promise<number> {
  return act(run, listRevisions, inLibrary(run.output, flags, { id: path }), {
    show: ({ revisions }) =>
      table(
        revisions
          .toReversed()
          .map((entry) => [
            String(entry.revision),
            entry.op,
            entry.previous_path === null ? entry.path : `${entry.previous_path} → ${entry.path}`,
            entry.hash.slice(7, 19),
            entry.source,
            entry.author,
            entry.reviewer ?? '-',
            entry.publisher,
            entry.at,
            entry.note ?? '',
          ]),
        ['REVISION', 'WHAT', 'PATH', 'HASH', 'FROM', 'AUTHOR', 'REVIEWER', 'PUBLISHER', 'AT', 'NOTE'],
      ),
  });
}

export function libraryRestore(
  run: Run,
  flags: ProjectFlag,
  path: string,
  revision: string,
): Promise<number> {
  return act(run, restoreRevision, inLibrary(run.output, flags, { id: path, revision }), {
    show: (answer) =>
      `${path} is as it was at revision ${answer.restored}; published as revision ${answer.revision}.`,
  });
}
