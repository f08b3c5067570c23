import { join } from 'node:path';
import type { InstallPlace } from '../../install/installable.ts';
import { addressIn, type Environment } from '../existing-setup.ts';
import type { Host } from '../host.ts';
import { pathIn } from '../machine/folders.ts';
import { geminiFiles } from './gemini-family.ts';

const ADDRESS = 'OPENAI_BASE_URL';

export const qwen: Host = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  traces: (place) => [ownFolder(place)],
  files: (place, ours) => geminiFiles(qwen, ownFolder(place), place, ours),
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

function ownFolder(place: InstallPlace): string {
  return place.scope === 'user' ? qwenHome(place) : join(place.project, '.qwen');
}
