import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { ensureProject } from '../../trust/identity/projects.ts';
import type { Project } from '../../trust/identity/queries.ts';
import { BOOTSTRAP_FILES } from '../bootstrap.ts';
import { importChanges } from '../commands/import.ts';
import { publish } from '../commands/publish.ts';
import { commitToLibrary, publishTargetIn } from '../commit.ts';
import { exportFolder, writeInside } from '../folders/export-folder.ts';
import { importFolder } from '../folders/import-folder.ts';
import { incomingState } from '../queries/command-state.ts';
import { fileByPath, revisionOf, textByHash } from '../queries/files.ts';

/** Folders of this machine: these have no address, and are for who owns the data folder. */

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
      const state = { revision: revisionOf(current, workspace_id) };
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
