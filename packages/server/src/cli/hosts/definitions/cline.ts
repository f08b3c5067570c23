import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallPlace, Value } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import { pathIn } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import { addressOf, processOf, refuseProject, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';
import { userFolder } from './vscode.ts';

const FILE = 'cline_mcp_settings.json';

/** A command, and an extension of VS Code, each with servers of its own. */
export const cline: Host = {
  name: 'cline',
  title: 'Cline',
  program: 'cline',
  install: 'npm install -g cline',
  traces: (place) =>
    place.scope === 'user' ? [ownFolder(place), extensionFolder(place)] : [join(place.project, '.cline')],
  files: (place, ours) => {
    refuseProject(place, cline.title);
    return [
      ...serverFiles(place).map((path) => ({
        kind: 'edited' as const,
        path,
        format: 'jsonc' as const,
        entries: [serverEntry(['mcpServers'], serverOf(place, ours))],
      })),
      ...skillFiles(join(ownFolder(place), 'skills'), ours),
    ];
  },
};

function ownFolder({ home }: InstallPlace): string {
  return join(home, '.cline');
}

function extensionFolder(place: InstallPlace): string {
  return join(userFolder(place), 'globalStorage', 'saoudrizwan.claude-dev');
}

function serverFiles(place: InstallPlace): string[] {
  const command =
    pathIn(place.environment, 'CLINE_MCP_SETTINGS_PATH') ?? join(ownFolder(place), 'data', 'settings', FILE);
  return existsSync(extensionFolder(place))
    ? [command, join(extensionFolder(place), 'settings', FILE)]
    : [command];
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  if (place.http)
    return { type: 'streamableHttp', url: addressOf(place, ours, cline.title), disabled: false };
  return { ...processOf(ours), disabled: false, autoApprove: [] };
}
