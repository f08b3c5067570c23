import { join } from 'node:path';
import type { InstallPlace, Value } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import { configFolder } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import { addressOf, inProject, processOf, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';

/** It has no hooks. */
export const zed: Host = {
  name: 'zed',
  title: 'Zed',
  program: 'zed',
  install: 'https://zed.dev/download',
  traces: (place) => [ownFolder(place)],
  files: (place, ours) => [
    {
      kind: 'edited',
      path: join(ownFolder(place), 'settings.json'),
      format: 'jsonc',
      entries: [serverEntry(['context_servers'], serverOf(place, ours))],
    },
    ...skillFiles(join(place.scope === 'user' ? place.home : place.project, '.agents', 'skills'), ours),
  ],
};

function ownFolder(place: InstallPlace, platform = process.platform): string {
  if (place.scope === 'project') return join(place.project, '.zed');
  const { APPDATA } = place.environment;
  return platform === 'win32' && APPDATA ? join(APPDATA, 'Zed') : join(configFolder(place), 'zed');
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  if (place.http) return { url: addressOf(place, ours, zed.title) };
  return { ...inProject(place, processOf(ours)), env: {} };
}
