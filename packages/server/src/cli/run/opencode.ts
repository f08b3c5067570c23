import type { Family } from '../../kernel/window-config.ts';
import type { Found, Host } from './host.ts';

/** What OpenCode calls whose API, and what its SDK expects at the end of the provider's own address. */
const PROVIDERS: readonly { id: string; family: Family; version: string }[] = [
  { id: 'anthropic', family: 'anthropic', version: '/v1' },
  { id: 'openai', family: 'openai', version: '' },
  { id: 'google', family: 'gemini', version: '/v1beta' },
];
const CONTENT = 'OPENCODE_CONFIG_CONTENT';

interface Config {
  provider?: Record<string, { options?: { baseURL?: string } }>;
  mcp?: Record<string, unknown>;
}

export const opencode: Host = {
  title: 'OpenCode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  async look({ ask }): Promise<Found> {
    // Its own word: the configuration comes from half a dozen places.
    const { provider = {}, mcp = {} } = parse(await ask('debug', 'config'));
    const upstreams: Found['upstreams'] = {};
    for (const { id, family } of PROVIDERS) {
      const address = provider[id]?.options?.baseURL;
      if (address !== undefined) upstreams[family] = address;
    }
    return { upstreams, hasMcp: 'infold' in mcp };
  },
  connect({ base, mcp, found, environment }) {
    const given = parse(environment[CONTENT]);
    const provider = Object.fromEntries(
      PROVIDERS.map(({ id, family, version }) => {
        const set = given.provider?.[id];
        const baseURL = base(family) + (found.upstreams[family] === undefined ? version : '');
        return [id, { ...set, options: { ...set?.options, baseURL } }];
      }),
    );
    const content = {
      ...given,
      provider: { ...given.provider, ...provider },
      ...(mcp && {
        mcp: { ...given.mcp, infold: { type: 'local', enabled: true, command: [mcp.command, ...mcp.args] } },
      }),
    };
    return { args: [], environment: { [CONTENT]: JSON.stringify(content) } };
  },
};

function parse(text: string | undefined): Config {
  try {
    return JSON.parse(text || '{}') as Config;
  } catch {
    return {};
  }
}
