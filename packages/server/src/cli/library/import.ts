import { resolve } from 'node:path';
import { importLibrary } from '../../library/actions/folders.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import type { ActionOutput } from '../services/calls.ts';
import { inFolderLibrary, placeText } from './library-project.ts';
import { listed, partly, skippedText } from './report-lines.ts';

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
      'Open drafts with other content stay ("infold library diff" shows them):',
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
      'These have no constraint that an agent could refer to (no H2 section with text):',
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
