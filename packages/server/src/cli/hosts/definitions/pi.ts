import { join } from 'node:path';
import type { InstallPlace, WholeFile } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import { pathIn } from '../machine/folders.ts';
import { type Ours, programOf } from '../our-program.ts';
import { bundle } from '../parts/plugin-bundle.ts';
import { skillFiles } from '../parts/skill.ts';

/** Pi knows no MCP servers and no hooks: an extension is its tools, its hooks and its window in one. */
export const pi: Host = {
  name: 'pi',
  title: 'Pi',
  program: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  hasPlugin: true,
  traces: (place) => [ownFolder(place)],
  files: (place, ours) => {
    const { url, files } = bundle('pi', ours);
    return [extension(place, url, ours), ...files, ...skillFiles(join(ownFolder(place), 'skills'), ours)];
  },
  notes: ({ window, http }) => [
    ...(window
      ? ['The extension keeps the window of Pi small by itself: no address is needed for that.']
      : []),
    ...(http ? ['The extension of Pi starts a process of its own: --http changes nothing for it.'] : []),
  ],
};

function ownFolder({ scope, home, project, environment }: InstallPlace): string {
  if (scope === 'project') return join(project, '.pi');
  return pathIn(environment, 'PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent');
}

function extension(place: InstallPlace, url: string, ours: Ours): WholeFile {
  const options = {
    ...(ours.dataFlags.length > 0 && { data: ours.data }),
    ...(!ours.isCached && { command: programOf(ours) }),
  };
  return {
    kind: 'whole',
    // Pi looks at no other ending there.
    path: join(ownFolder(place), 'extensions', 'infold.js'),
    text: `import { infold } from ${JSON.stringify(url)};\nexport default infold(${JSON.stringify(options)});\n`,
    isOurs: (text) => /^import \{ infold \} from .*\/pi\.mjs['"];/.test(text),
  };
}
