import { homedir } from 'node:os';
import { join } from 'node:path';
import { addressIn, bearer, type Host, type Mcp, tokenEnvironment } from './host.ts';

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
      args: mcp ? ['--mcp-config', JSON.stringify({ mcpServers: { infold: entry(mcp) } })] : [],
      environment: { [ADDRESS]: base('openai'), ...tokenEnvironment(mcp) },
    };
  },
};

function entry(mcp: Mcp): object {
  if (mcp.kind === 'process') return { command: mcp.command, args: mcp.args };
  const authorization = bearer(mcp, (variable) => `\${${variable}}`);
  return { httpUrl: mcp.url, headers: { Authorization: authorization } };
}
