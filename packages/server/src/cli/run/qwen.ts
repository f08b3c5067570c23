import { homedir } from 'node:os';
import { join } from 'node:path';
import { addressIn, type Host } from './host.ts';

const ADDRESS = 'OPENAI_BASE_URL';

export const qwen: Host = {
  title: 'Qwen Code',
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  async look({ environment, read }) {
    const settings = read(join(environment.QWEN_HOME || join(homedir(), '.qwen'), 'settings.json')) ?? '';
    const openai = addressIn(environment, ADDRESS) ?? /"baseUrl"\s*:\s*"([^"]+)"/.exec(settings)?.[1];
    return { upstreams: { ...(openai !== undefined && { openai }) } };
  },
  connect({ base, mcp }) {
    return {
      args: mcp ? ['--mcp-config', JSON.stringify({ mcpServers: { infold: mcp } })] : [],
      environment: { [ADDRESS]: base('openai') },
    };
  },
};
