import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { requireScope } from '../../trust/access/rule.ts';
import { ensureProject } from '../../trust/identity/projects.ts';
import type { Project } from '../../trust/identity/queries.ts';
import { BOOTSTRAP_FILES } from '../bootstrap.ts';
import { importChanges } from '../commands/import.ts';
import { publish } from '../commands/publish.ts';
import { commitToLibrary, publishTargetIn } from '../commit.ts';
import { exportFolder, writeInside } from '../folders/export-folder.ts';
import { importFrom } from '../folders/import-files.ts';
import { importFolder } from '../folders/import-folder.ts';
import { type FoundFile, scanPaths } from '../folders/scan-folder.ts';
import { incomingState, workspaceState } from '../queries/command-state.ts';
import { fileByPath, textByHash } from '../queries/files.ts';

/** Folders of this machine have no address, and are for who owns the data folder; files can be sent by anybody who may write. */

function placeOf({ name, path, workspace_id }: Project) {
  return { project: name, project_path: path, workspace_id };
}

/** Files are many and large: secrets are taken out of one after another. */
export const importLibrary = defineAction(libraryApi.importLibrary, {
  scrubsItself: true,
  async run({ project: spec, folder, publish }, context) {
    const started = performance.now();
    const project = await ensureProject(context.journal, context.caller, context.project(spec));
    const report = await importFolder(context, project, folder, { publish, progress: context.progress });
    const seconds = (performance.now() - started) / 1000;
    return { structured: { ...placeOf(project), ...report, seconds } };
  },
});

/** Files that somebody sends. They need not be all of the library: none is taken for moved because it is not among them. */
export const importFiles = defineAction(libraryApi.importFiles, {
  scrubsItself: true,
  async run({ project: spec, files, publish, dry_run: dryRun }, context) {
    if (publish) requireScope(context.caller, 'review');
    const { journal, caller } = context;
    const named = context.project(spec);
    const project = dryRun ? named : await ensureProject(journal, caller, named);
    const texts = new Map(files.map(({ path, content }) => [path, content]));
    const source = {
      scan: (known: ReadonlySet<string>) => scanPaths([...texts.keys()], known),
      read: (found: FoundFile) => texts.get(found.source)!,
      isWhole: false,
    };
    const report = await importFrom(context, project, source, { publish, dryRun });
    return { structured: { project: project.name, ...report } };
  },
});

export const exportLibrary = defineAction(libraryApi.exportLibrary, {
  identifiers: ['folder'],
  run({ project: spec, folder }, context) {
    const project = context.project(spec);
    const report = exportFolder(context.database, project.workspace_id, folder, context.progress);
    return { structured: { ...placeOf(project), ...report } };
  },
});

/** What is there already is left as it is, in the library and in the folder. */
export const beginLibrary = defineAction(libraryApi.beginLibrary, {
  identifiers: ['folder'],
  async run({ project: spec, folder }, context) {
    const { journal, database, caller } = context;
    const project = await ensureProject(journal, caller, context.project(spec));
    const fileAt = (path: string) => fileByPath(database, project.workspace_id, path);
    const { changes, revision } = await commitToLibrary(context, project.workspace_id, (current) => {
      const { workspace_id } = project;
      const files = incomingState(current, workspace_id, BOOTSTRAP_FILES).filter(({ known }) => !known);
      const state = workspaceState(current, workspace_id);
      const changes = importChanges(files, randomUUID);
      return publish(state, publishTargetIn(context, project), { source: 'init', changes });
    });
    const written: string[] = [];
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      for (const { path } of BOOTSTRAP_FILES) {
        if (existsSync(join(folder, path))) continue;
        if (writeInside(folder, path, textByHash(database, fileAt(path)!.hash)!)) written.push(path);
      }
    }
    return {
      structured: { ...placeOf(project), revision, published: changes.map(({ path }) => path), written },
    };
  },
});
