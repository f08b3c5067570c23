import { join } from 'node:path';
import type { InstallPlace, Value } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import { pathIn } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import { handlers, PATIENCE, versionedHooks } from '../parts/hook-commands.ts';
import { addressOf, processOf, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';

const HOOKS = handlers(({ matcher }, command) => ({
  type: 'command',
  command,
  ...(matcher !== undefined && { matcher }),
  timeoutSec: PATIENCE,
}));

export const copilot: Host = {
  name: 'copilot',
  title: 'Copilot CLI',
  program: 'copilot',
  install: 'npm install -g @github/copilot',
  traces: (place) =>
    place.scope === 'user'
      ? [copilotHome(place)]
      : [join(place.project, '.github', 'copilot-instructions.md')],
  files: (place, ours) => {
    const { servers, hooks, skills } = places(place);
    return [
      {
        kind: 'edited',
        path: servers,
        format: 'jsonc',
        entries: [serverEntry(['mcpServers'], serverOf(place, ours))],
      },
      ...(place.http ? [] : versionedHooks('copilot', hooks, ours, HOOKS)),
      ...skillFiles(skills, ours),
    ];
  },
};

export function copilotHome({ environment, home }: Pick<InstallPlace, 'environment' | 'home'>): string {
  return pathIn(environment, 'COPILOT_HOME') ?? join(home, '.copilot');
}

/** Hooks have a folder, and ours a file of its own in it. */
function places(place: InstallPlace): { servers: string; hooks: string; skills: string } {
  if (place.scope === 'user') {
    const own = copilotHome(place);
    return {
      servers: join(own, 'mcp-config.json'),
      hooks: join(own, 'hooks', 'infold.json'),
      skills: join(own, 'skills'),
    };
  }
  const github = join(place.project, '.github');
  return {
    servers: join(github, 'mcp.json'),
    hooks: join(github, 'hooks', 'infold.json'),
    skills: join(github, 'skills'),
  };
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  if (place.http) return { type: 'http', url: addressOf(place, ours, copilot.title), tools: ['*'] };
  return { type: 'local', ...processOf(ours), tools: ['*'] };
}
