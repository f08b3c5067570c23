import { join } from 'node:path';
import type { Host } from '../host.ts';
import { handlers, hookEntries, hookFiles } from '../parts/hook-commands.ts';
import { addressOf, processOf, refuseProject, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';

/** What a hook prints goes to the person, and nothing to the model: ours print nothing. */
const HOOKS = handlers((_event, command) => ({ command, show_output: false }));

export const windsurf: Host = {
  name: 'windsurf',
  title: 'Windsurf',
  install: 'https://windsurf.com/download',
  traces: ({ scope, home, project }) => [
    scope === 'user' ? join(home, '.codeium', 'windsurf') : join(project, '.windsurf'),
  ],
  files: (place, ours) => {
    refuseProject(place, windsurf.title);
    const own = join(place.home, '.codeium', 'windsurf');
    return [
      {
        kind: 'edited',
        path: join(own, 'mcp_config.json'),
        format: 'jsonc',
        entries: [
          serverEntry(
            ['mcpServers'],
            place.http ? { serverUrl: addressOf(place, ours, windsurf.title) } : processOf(ours),
          ),
        ],
      },
      {
        kind: 'edited',
        path: join(own, 'hooks.json'),
        format: 'jsonc',
        entries: hookEntries('windsurf', ours, HOOKS),
      },
      ...hookFiles('windsurf', ours),
      ...skillFiles(join(own, 'skills'), ours),
    ];
  },
  notes: () => ['Windsurf shows the server after "Refresh" in its MCP settings.'],
};
