import { join } from 'node:path';
import type { Place, Value } from '../install/entry.ts';
import { pathIn } from './folders.ts';
import { groups, hookEntries, hookFiles, PATIENCE } from './hooks.ts';
import { addressIn, type Environment, type Host } from './host.ts';
import type { Ours } from './ours.ts';
import { skillFiles } from './skill.ts';
import { addressOf, processOf, serverEntry } from './tools.ts';

const ADDRESS = 'OPENAI_BASE_URL';

const HOOKS = groups(({ name }, command) => ({
  type: 'command',
  name: `infold:${name}`,
  command,
  // In milliseconds, as Gemini CLI, which it comes from, has them.
  timeout: PATIENCE * 1000,
}));

export const qwen: Host = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  traces: (place) => [ownFolder(place)],
  files: (place, ours) => [
    {
      kind: 'edited',
      path: join(ownFolder(place), 'settings.json'),
      format: 'jsonc',
      entries: [
        serverEntry(['mcpServers'], serverOf(place, ours)),
        ...(place.http ? [] : hookEntries('qwen', ours, HOOKS)),
      ],
    },
    ...(place.http ? [] : hookFiles('qwen', ours)),
    ...skillFiles(join(ownFolder(place), 'skills'), ours),
  ],
  run: {
    async look({ environment, home, read }) {
      const settings = read(join(qwenHome({ environment, home }), 'settings.json')) ?? '';
      const openai = addressIn(environment, ADDRESS) ?? /"baseUrl"\s*:\s*"([^"]+)"/.exec(settings)?.[1];
      return { upstreams: { ...(openai !== undefined && { openai }) } };
    },
    connect({ base, mcp }) {
      return {
        args: mcp ? ['--mcp-config', JSON.stringify({ mcpServers: { infold: mcp } })] : [],
        environment: { [ADDRESS]: base('openai') },
      };
    },
  },
};

function qwenHome({ environment, home }: { environment: Environment; home: string }): string {
  return pathIn(environment, 'QWEN_HOME') ?? join(home, '.qwen');
}

function ownFolder(place: Place): string {
  return place.scope === 'user' ? qwenHome(place) : join(place.project, '.qwen');
}

function serverOf(place: Place, ours: Ours): Value {
  return place.http ? { httpUrl: addressOf(place, ours, qwen.title) } : processOf(ours);
}
