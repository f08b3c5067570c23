import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../kernel/config.ts';
import { BOOTSTRAP_FILES } from '../library/bootstrap.ts';
import { importChanges } from '../library/commands/publish.ts';
import { writeInside } from '../library/export-folder.ts';
import { fileByPath, textByHash } from '../library/queries/files.ts';
import { localOwner } from '../trust/caller.ts';
import { type ProjectFlag, placeText, withFolderLibrary } from './library.ts';
import type { Output } from './output.ts';

/** What is there already is left as it is, in the library and in the folder. */
export function init(
  config: Config,
  output: Output,
  folder: string | undefined,
  flags: ProjectFlag,
): Promise<void> {
  return withFolderLibrary(config, flags, async ({ library, project: met, journal }) => {
    const { database } = journal;
    const project = await library.ensure(localOwner, met);
    const { changes, revision } = await library.publishChanges(localOwner, project, 'init', (current) =>
      importChanges(
        current,
        project.workspace_id,
        BOOTSTRAP_FILES.filter(({ path }) => !fileByPath(current, project.workspace_id, path)),
      ),
    );
    const written: string[] = [];
    if (folder !== undefined) {
      mkdirSync(resolve(folder), { recursive: true });
      for (const { path } of BOOTSTRAP_FILES) {
        if (existsSync(join(resolve(folder), path))) continue;
        const text = textByHash(database, fileByPath(database, project.workspace_id, path)!.hash)!;
        if (writeInside(resolve(folder), path, text)) written.push(path);
      }
    }
    const published = changes.map(({ path }) => path);
    output.answer(
      { project: project.name, workspace_id: project.workspace_id, revision, published, written },
      () =>
        [
          published.length === 0
            ? `The library of "${project.name}" already has these files.`
            : `Published to the library of "${project.name}" (revision ${revision}): ${published.join(', ')}`,
          written.length === 0 ? '' : `Written to ${resolve(folder!)}: ${written.join(', ')}`,
          placeText(project),
        ]
          .filter((text) => text !== '')
          .join('\n'),
    );
  });
}
