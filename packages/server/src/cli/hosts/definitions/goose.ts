import { join } from 'node:path';
import type { InstallPlace, Value } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import { configFolder } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import { addressOf, processOf, refuseProject, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';

/** Its hooks watch, and can say nothing to the model; they are not used. */
export const goose: Host = {
  name: 'goose',
  title: 'Goose',
  program: 'goose',
  install: 'https://block.github.io/goose/docs/getting-started/installation',
  traces: (place) => [place.scope === 'user' ? ownFolder(place) : join(place.project, '.goose')],
  files: (place, ours) => {
    refuseProject(place, goose.title);
    return [
      {
        kind: 'edited',
        path: join(ownFolder(place), 'config.yaml'),
        format: 'yaml',
        entries: [serverEntry(['extensions'], serverOf(place, ours))],
      },
      ...skillFiles(join(ownFolder(place), 'skills'), ours),
    ];
  },
};

function ownFolder(place: InstallPlace, platform = process.platform): string {
  const { APPDATA } = place.environment;
  return platform === 'win32' && APPDATA
    ? join(APPDATA, 'Block', 'goose', 'config')
    : join(configFolder(place), 'goose');
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  const common = {
    name: 'infold',
    description: 'Branch, fold, rules and memory',
    enabled: true,
    timeout: 300,
  };
  if (place.http) return { ...common, type: 'streamable_http', uri: addressOf(place, ours, goose.title) };
  const { command, args } = processOf(ours);
  return { ...common, type: 'stdio', cmd: command, args };
}
