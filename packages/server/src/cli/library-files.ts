import { resolve } from 'node:path';
import { isoTime } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import { exportFolder } from '../library/export-folder.ts';
import { type ImportReport, importFolder } from '../library/import-folder.ts';
import { openDrafts } from '../library/queries/drafts.ts';
import { allFiles, fileIdAtPath, historyOf, revisionOf } from '../library/queries/files.ts';
import type { Skipped } from '../library/scan-folder.ts';
import { draftView, revisionView } from '../library/views.ts';
import { localOwner } from '../trust/caller.ts';
import { type ProjectFlag, placeText, withFolderLibrary, withLibrary } from './library.ts';
import { EXIT, type Output, table } from './output.ts';
import { progressBar } from './progress.ts';

const SHOWN = 10;

/** Exit code 3 when some files could not be taken. */
export function libraryImport(
  config: Config,
  output: Output,
  folder: string,
  flags: ProjectFlag & { publish?: boolean },
): Promise<number> {
  return withFolderLibrary(config, flags, async ({ library, project: met }) => {
    const started = performance.now();
    const bar = progressBar('importing');
    const project = await library.ensure(localOwner, met);
    const report = await importFolder(library, localOwner, project, resolve(folder), {
      publish: flags.publish ?? false,
      progress: bar.update,
    }).finally(() => bar.done());
    const seconds = (performance.now() - started) / 1000;
    output.answer({ project: project.name, workspace_id: project.workspace_id, ...report, seconds }, () =>
      [
        `${report.read} files read into the library of "${project.name}" in ${seconds.toFixed(1)} s: ` +
          `${report.created} new, ${report.updated} changed, ${report.renamed} moved, ${report.unchanged} as before.`,
        placeText(project),
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
        .join('\n'),
    );
    return report.skipped.length > 0 ? EXIT.partly : EXIT.done;
  });
}

function nextText({ published, revision, created, updated, renamed }: ImportReport): string {
  if (created + updated + renamed === 0) return '';
  return published
    ? `Published as revision ${revision}.`
    : 'These are drafts: "infold library drafts" lists them, --publish publishes at once.';
}

export function libraryExport(
  config: Config,
  output: Output,
  folder: string,
  flags: ProjectFlag,
): Promise<number> {
  return withLibrary(config, output, flags, async ({ journal, project }) => {
    const bar = progressBar('exporting');
    const report = exportFolder(journal.database, project.workspace_id, resolve(folder), bar.update);
    bar.done();
    output.answer({ project: project.name, workspace_id: project.workspace_id, ...report }, () =>
      [
        `${report.written} files of "${project.name}" written to ${resolve(folder)}, ${report.unchanged} were as they are.`,
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
    );
    return report.skipped.length > 0 ? EXIT.partly : EXIT.done;
  });
}

function skippedText(skipped: readonly Skipped[]): string {
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

export function libraryStatus(config: Config, output: Output, flags: ProjectFlag): Promise<void> {
  return withLibrary(config, output, flags, async ({ journal, project }) => {
    const { database } = journal;
    const files = allFiles(database, project.workspace_id);
    const count = (kind: string) =>
      files.filter((file) => file.kind === kind && file.id !== file.path).length;
    const drafts = openDrafts(database, localOwner, project.workspace_id).map((draft) =>
      draftView(database, draft),
    );
    const value = {
      project: project.name,
      workspace_id: project.workspace_id,
      revision: revisionOf(database, project.workspace_id),
      rules: count('rule'),
      workflows: count('workflow'),
      context: count('context'),
      meta_prompt: files.some((file) => file.id === file.path),
      drafts: drafts.length,
      in_review: drafts.filter(({ status }) => status === 'in_review').length,
      approved: drafts.filter(({ status }) => status === 'approved').length,
      conflicts: drafts.filter(({ conflict }) => conflict !== null).map(({ draft_path }) => draft_path),
    };
    output.answer(value, () =>
      [
        `${value.project} (${value.workspace_id}), revision ${value.revision}`,
        `${value.rules} rules, ${value.workflows} workflows, ${value.context} context files, ` +
          `${value.meta_prompt ? 'a meta prompt of its own' : 'the meta prompt that every project begins with'}`,
        `${value.drafts} open drafts: ${value.in_review} in review, ${value.approved} approved, ${value.conflicts.length} in conflict`,
        ...value.conflicts.map((path) => `  conflict: ${path}`),
      ].join('\n'),
    );
  });
}

export function libraryHistory(
  config: Config,
  output: Output,
  path: string,
  flags: ProjectFlag,
): Promise<void> {
  return withLibrary(config, output, flags, async ({ journal, project }) => {
    const { database } = journal;
    const id = fileIdAtPath(database, project.workspace_id, path);
    if (id === undefined) throw new InfoldError('not_found', `Nothing was ever published at ${path}`);
    const revisions = historyOf(database, project.workspace_id, id);
    output.answer({ project: project.name, id, path, revisions: revisions.map(revisionView) }, () =>
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
            entry.principal,
            isoTime(entry.at),
            entry.note ?? '',
          ]),
        ['REVISION', 'WHAT', 'PATH', 'HASH', 'FROM', 'AUTHOR', 'REVIEWER', 'PUBLISHER', 'AT', 'NOTE'],
      ),
    );
  });
}

export function libraryRestore(
  config: Config,
  output: Output,
  path: string,
  revision: string,
  flags: ProjectFlag,
): Promise<void> {
  return withLibrary(config, output, flags, async ({ library, project }) => {
    const wanted = Number(revision);
    if (!Number.isInteger(wanted) || wanted < 1) {
      throw new InfoldError(
        'invalid_arguments',
        `"${revision}" is not a revision; "infold library history" shows them`,
      );
    }
    const published = await library.restore(localOwner, project, path, wanted);
    output.answer({ project: project.name, path, restored: wanted, revision: published.revision }, () => {
      return `${path} is as it was at revision ${wanted}; published as revision ${published.revision}.`;
    });
  });
}
