import { join } from 'node:path';
import type { InstallPlace, Value } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import { applicationFolder } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import { addressOf, inProject, processOf, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';
import { copilotHome } from './copilot.ts';

/** No hooks of its own: it runs those of Copilot CLI and of Claude Code, and would run what is theirs twice. */
export const vscode: Host = {
  name: 'vscode',
  title: 'VS Code',
  program: 'code',
  install: 'https://code.visualstudio.com/download',
  traces: (place) => [place.scope === 'user' ? userFolder(place) : join(place.project, '.vscode')],
  files: (place, ours) => [
    {
      kind: 'edited',
      path: join(place.scope === 'user' ? userFolder(place) : join(place.project, '.vscode'), 'mcp.json'),
      format: 'jsonc',
      entries: [serverEntry(['servers'], serverOf(place, ours))],
    },
    ...skillFiles(
      place.scope === 'user' ? join(copilotHome(place), 'skills') : join(place.project, '.github', 'skills'),
      ours,
    ),
  ],
  notes: () => ['VS Code asks whether the server may be started when a chat first uses it.'],
};

/** Where VS Code keeps what is a person's own. */
export function userFolder(
  place: Pick<InstallPlace, 'environment' | 'home'>,
  platform = process.platform,
): string {
  return join(applicationFolder(place, platform), 'Code', 'User');
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  if (place.http) return { type: 'http', url: addressOf(place, ours, vscode.title) };
  return { type: 'stdio', ...inProject(place, processOf(ours)) };
}
