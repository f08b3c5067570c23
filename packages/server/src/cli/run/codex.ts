import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Host, Mcp } from './host.ts';

/** Where Codex sends what a ChatGPT subscription pays for. */
const SUBSCRIPTION = 'https://chatgpt.com/backend-api/codex';

export const codex: Host = {
  title: 'Codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  async look({ environment, read, ask }) {
    const [login, own] = await Promise.all([ask('login', 'status'), ask('mcp', 'get', 'infold')]);
    const config = read(join(environment.CODEX_HOME || join(homedir(), '.codex'), 'config.toml')) ?? '';
    const set = (key: string) => new RegExp(`^\\s*${key}\\s*=\\s*["']([^"']+)["']`, 'm').exec(config)?.[1];
    const provider = set('model_provider');
    const openai = set('openai_base_url') ?? (login?.includes('ChatGPT') ? SUBSCRIPTION : undefined);
    return {
      upstreams: { ...(openai !== undefined && { openai }) },
      hasMcp: own !== undefined,
      ...(provider !== undefined &&
        provider !== 'openai' && {
          notes: [
            `Codex is set up for the model provider "${provider}": its requests do not go through the window door. With -c model_provider=openai they do.`,
          ],
        }),
    };
  },
  connect({ base, mcp, environment }) {
    return {
      args: [
        // The built-in provider keeps whichever login there is. It reads no variable for its address.
        ...override('openai_base_url', base('openai')),
        // Compressed with zstd, a request could not be read.
        ...override('features.enable_request_compression', false),
        ...(mcp ? server(mcp, environment) : []),
      ],
      environment: {},
    };
  },
};

function server(mcp: Mcp, environment: Readonly<Record<string, string | undefined>>): string[] {
  const set = (key: string, value: unknown) => override(`mcp_servers.infold.${key}`, value);
  // It passes on nothing but a few variables.
  const ours = Object.keys(environment).filter((name) => name.startsWith('INFOLD_'));
  return [
    ...set('command', mcp.command),
    ...set('args', mcp.args),
    ...(ours.length > 0 ? set('env_vars', ours) : []),
    // Codex waits for such a server before it asks the model.
    ...set('required', true),
  ];
}

/** A value of TOML: of these, JSON writes the same. */
function override(key: string, value: unknown): string[] {
  return ['-c', `${key}=${JSON.stringify(value)}`];
}
