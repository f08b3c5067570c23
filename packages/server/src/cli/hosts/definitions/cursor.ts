import { join } from 'node:path';
import type { InstallPlace, Value } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import type { Ours } from '../our-program.ts';
import { handlers, PATIENCE, versionedHooks } from '../parts/hook-commands.ts';
import { addressOf, inProject, processOf, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';

const HOOKS = handlers(({ matcher }, command) => ({
  command,
  ...(matcher !== undefined && { matcher }),
  timeout: PATIENCE,
}));

export const cursor: Host = {
  name: 'cursor',
  title: 'Cursor',
  program: 'cursor-agent',
  install: 'https://cursor.com/download',
  traces: (place) => [ownFolder(place)],
  files: (place, ours) => [
    {
      kind: 'edited',
      path: join(ownFolder(place), 'mcp.json'),
      format: 'jsonc',
      entries: [serverEntry(['mcpServers'], serverOf(place, ours))],
    },
    // Without a version Cursor ignores the whole file.
    ...(place.http ? [] : versionedHooks('cursor', join(ownFolder(place), 'hooks.json'), ours, HOOKS)),
    ...skillFiles(join(ownFolder(place), 'skills'), ours),
  ],
  notes: () => [
    'Cursor asks whether the server may be used; in its CLI, allow it with: cursor-agent mcp enable infold',
  ],
};

function ownFolder({ scope, home, project }: InstallPlace): string {
  return join(scope === 'user' ? home : project, '.cursor');
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  if (place.http) return { url: addressOf(place, ours, cursor.title) };
  return { type: 'stdio', ...inProject(place, processOf(ours)) };
}
