import { resolve } from 'node:path';
import { beginLibrary } from '../../library/actions/folders.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { inFolderLibrary, placeText } from './library-project.ts';

export function init(run: Run, flags: ProjectFlag, folder?: string): Promise<number> {
  const target = folder === undefined ? undefined : resolve(folder);
  return act(run, beginLibrary, inFolderLibrary(flags, { folder: target }), {
    makesFolder: true,
    show: (answer) => {
      const { project, revision, published, written } = answer;
      return [
        published.length === 0
          ? `The library of "${project}" already has these files.`
          : `Published to the library of "${project}" (revision ${revision}): ${published.join(', ')}`,
        ...(written.length === 0 ? [] : [`Written to ${target}: ${written.join(', ')}`]),
        placeText(answer),
      ].join('\n');
    },
  });
}
