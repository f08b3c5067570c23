import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { Surroundings } from '../hosts/existing-setup.ts';
import type { Mcp, RunConnection, Runnable } from '../hosts/host.ts';
import { RUNNABLE, runnableNamed } from '../hosts/index.ts';
import type { Ours } from '../hosts/our-program.ts';
import { eventsOf } from '../hosts/parts/hook-events.ts';
import { anyCommand } from './any-command.ts';
import { wantedOf } from './run.ts';
import { addressesOf, baseAt } from './upstreams.ts';

const SERVER = 'http://127.0.0.1:4321';
const PROCESS: Mcp = { command: '/bin/node', args: ['infold.mjs', 'stdio', '--data', '/d'] };

const OURS: Ours = {
  ...{ node: '/bin/node', root: '/opt/infold', isCached: false, isWindows: false },
  ...{ data: '/d', dataFlags: ['--data', '/d'], configFlags: [] },
  ...{ url: SERVER, needsToken: false, found: {} },
};

interface World {
  environment?: Record<string, string>;
  files?: Record<string, string>;
  says?: Record<string, string>;
  mcp?: Mcp;
  hooks?: Ours;
  token?: string;
}

/** Looks around as the command does, and builds what is added. */
async function build(host: Runnable, { environment = {}, files = {}, says = {}, mcp, hooks, token }: World) {
  const surroundings: Surroundings = {
    environment,
    folder: '/project',
    home: '/home/me',
    ask: async (...args) => says[args.join(' ')],
    read: (path) => Object.entries(files).find(([end]) => path.endsWith(end))?.[1],
  };
  const found = await host.look(surroundings);
  const addresses = await addressesOf(found);
  const connection: RunConnection = {
    base: baseAt(SERVER, token, addresses),
    mcp,
    hooks,
    found,
    environment,
  };
  return { found, upstreams: addresses.upstreams, ...host.connect(connection) };
}

const overrides = (args: readonly string[]) =>
  Object.fromEntries(
    args
      .filter((_, index) => args[index - 1] === '-c')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), JSON.parse(pair.slice(pair.indexOf('=') + 1))]),
  );

describe('Claude Code', () => {
  const host = runnableNamed('claude-code').run;

  test('gets its address by a variable and our tools by a flag that leaves the next word alone', async () => {
    verifies('WIN-08');
    const { args, environment } = await build(host, { mcp: PROCESS });
    expect(args).toEqual([
      `--mcp-config=${JSON.stringify({ mcpServers: { infold: { command: '/bin/node', args: PROCESS.args } } })}`,
    ]);
    expect(environment).toEqual({
      ANTHROPIC_BASE_URL: `${SERVER}/model/anthropic`,
      ENABLE_TOOL_SEARCH: 'true',
    });
  });

  test('keeps a gateway as the upstream, also one of its settings file, which counts more', async () => {
    const environment = { ANTHROPIC_BASE_URL: 'https://gateway.example/a/' };
    const fromEnvironment = await build(host, { environment });
    expect(fromEnvironment.upstreams.anthropic?.url).toBe('https://gateway.example/a');
    expect(fromEnvironment.args).toEqual([]);
    const files = {
      '/.claude/settings.json': JSON.stringify({ env: { ANTHROPIC_BASE_URL: 'https://settings.example' } }),
    };
    const fromFile = await build(host, { environment, files });
    expect(fromFile.upstreams.anthropic?.url).toBe('https://settings.example');
    expect(fromFile.args).toEqual([
      `--settings=${JSON.stringify({ env: { ANTHROPIC_BASE_URL: `${SERVER}/model/anthropic` } })}`,
    ]);
  });

  test('has hooks for the one run, by a flag, unless ours are in its settings already', async () => {
    verifies('WIN-08');
    const { args } = await build(host, { hooks: OURS });
    const { hooks, env } = JSON.parse(args.find((word) => word.startsWith('--settings='))!.slice(11));
    expect(env).toBeUndefined();
    expect(Object.keys(hooks)).toEqual(eventsOf('claude-code').map(({ name }) => name));
    expect(hooks.PostToolUse).toEqual([
      {
        hooks: [
          {
            type: 'command',
            command:
              '/bin/node /opt/infold/bin/hook.mjs claude-code PostToolUse --data /d 2>/dev/null || true',
            timeout: 5,
          },
        ],
      },
    ]);
    const files = { '/.claude/settings.json': JSON.stringify({ hooks }) };
    expect((await build(host, { files })).found.hasHooks).toBe(true);
    expect((await build(host, {})).found.hasHooks).toBe(false);
  });

  test('says that Bedrock goes past the door', async () => {
    const { found } = await build(host, { environment: { CLAUDE_CODE_USE_BEDROCK: '1' } });
    expect(found.notes?.join()).toContain('Bedrock');
  });
});

describe('Codex', () => {
  const host = runnableNamed('codex').run;

  test('gets everything by overrides of its configuration', async () => {
    verifies('WIN-08');
    const { args, environment } = await build(host, {
      mcp: PROCESS,
      environment: { INFOLD_CONFIG: 'x', HOME: '/h' },
    });
    expect(overrides(args)).toEqual({
      openai_base_url: `${SERVER}/model/openai/v1`,
      'features.enable_request_compression': false,
      'mcp_servers.infold.command': '/bin/node',
      'mcp_servers.infold.args': PROCESS.args,
      'mcp_servers.infold.env_vars': ['INFOLD_CONFIG'],
      'mcp_servers.infold.required': true,
    });
    expect(environment).toEqual({});
  });

  test('with a subscription sends where that is paid for', async () => {
    const { args, upstreams } = await build(host, { says: { 'login status': 'Logged in using ChatGPT\n' } });
    expect(upstreams.openai).toEqual({ url: 'https://chatgpt.com/backend-api/codex', dialect: 'openai' });
    expect(overrides(args).openai_base_url).toBe(`${SERVER}/model/openai`);
  });

  test('keeps an address of its configuration, and tells of a provider that is not the built-in one', async () => {
    const config = 'model_provider = "azure"\nopenai_base_url = "https://proxy.example/v1"\n';
    const { upstreams, found } = await build(host, { files: { 'config.toml': config } });
    expect(upstreams.openai?.url).toBe('https://proxy.example/v1');
    expect(found.notes?.join()).toContain('"azure"');
  });

  test('has a server of ours already where it says so', async () => {
    const { found } = await build(host, { says: { 'mcp get infold': 'infold\n  enabled: true' } });
    expect(found.hasMcp).toBe(true);
  });
});

describe('Gemini CLI', () => {
  const host = runnableNamed('gemini').run;

  test('gets its address by a variable; what it cannot take for one run is said', async () => {
    verifies('WIN-08');
    const { args, environment, found } = await build(host, { mcp: PROCESS });
    expect(args).toEqual([]);
    expect(environment).toEqual({ GOOGLE_GEMINI_BASE_URL: `${SERVER}/model/gemini` });
    expect(found.notes?.join('\n')).toMatch(/sign in[\s\S]*gemini mcp add -s user infold/);
  });

  test('has nothing to say where it is set up', async () => {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      mcpServers: { infold: { command: 'npx' } },
    };
    const { found } = await build(host, { files: { '/.gemini/settings.json': JSON.stringify(settings) } });
    expect(found).toEqual({ upstreams: {}, hasMcp: true, notes: [] });
  });

  test('says that a login with Google goes past the door', async () => {
    const files = { '/.gemini/settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}}}' };
    expect((await build(host, { files })).found.notes?.join()).toContain('signed in with Google');
  });
});

describe('Qwen Code', () => {
  const host = runnableNamed('qwen').run;

  test('gets its address by a variable and our tools by a flag', async () => {
    verifies('WIN-08');
    const { args, environment } = await build(host, { mcp: PROCESS });
    expect(args[0]).toBe('--mcp-config');
    expect(JSON.parse(args[1]!).mcpServers.infold).toEqual({ command: '/bin/node', args: PROCESS.args });
    expect(environment).toEqual({ OPENAI_BASE_URL: `${SERVER}/model/openai/v1` });
  });

  test('keeps the address of another provider', async () => {
    const environment = { OPENAI_BASE_URL: 'https://dashscope.example/compatible-mode/v1' };
    const { upstreams, environment: set } = await build(host, { environment });
    expect(upstreams.openai?.url).toBe(environment.OPENAI_BASE_URL);
    expect(set.OPENAI_BASE_URL).toBe(`${SERVER}/model/openai`);
  });
});

describe('OpenCode', () => {
  const host = runnableNamed('opencode').run;
  const content = (environment: Record<string, string>) => JSON.parse(environment.OPENCODE_CONFIG_CONTENT!);

  test('gets everything by a variable, each provider as its SDK wants it', async () => {
    verifies('WIN-08');
    const { args, environment } = await build(host, { mcp: PROCESS });
    expect(args).toEqual([]);
    expect(content(environment)).toEqual({
      provider: {
        anthropic: { options: { baseURL: `${SERVER}/model/anthropic/v1` } },
        openai: { options: { baseURL: `${SERVER}/model/openai/v1` } },
        google: { options: { baseURL: `${SERVER}/model/gemini/v1beta` } },
      },
      mcp: { infold: { type: 'local', enabled: true, command: ['/bin/node', ...PROCESS.args] } },
    });
  });

  test('keeps what the variable holds already, and addresses of its configuration', async () => {
    const given = { theme: 'dark', provider: { openai: { options: { timeout: 5 } } } };
    const own = {
      provider: { anthropic: { options: { baseURL: 'https://gateway.example/v1' } } },
      mcp: { infold: {} },
    };
    const { environment, upstreams, found } = await build(host, {
      environment: { OPENCODE_CONFIG_CONTENT: JSON.stringify(given) },
      says: { 'debug config': JSON.stringify(own) },
    });
    expect(upstreams.anthropic?.url).toBe('https://gateway.example/v1');
    expect(found.hasMcp).toBe(true);
    const set = content(environment);
    expect(set.theme).toBe('dark');
    expect(set.provider.openai.options).toEqual({ timeout: 5, baseURL: `${SERVER}/model/openai/v1` });
    expect(set.provider.anthropic.options.baseURL).toBe(`${SERVER}/model/anthropic`);
  });
});

test.each(RUNNABLE)('$name has the token of the run in its address', async ({ run: host }) => {
  const token = ['inf', 'made-up'].join('_');
  const { args, environment } = await build(host, { token });
  expect(JSON.stringify([args, environment])).toMatch(new RegExp(`/model/\\w+/~${token}\\b`));
});

describe('any command', () => {
  test('gets what SDKs read, and its own addresses stay the upstreams', async () => {
    verifies('WIN-08');
    const look = async (surroundings: Surroundings) => anyCommand.look(surroundings);
    const { environment, upstreams } = await build(
      { look, connect: anyCommand.connect },
      { environment: { OPENAI_API_BASE: 'http://localhost:8000/v1' } },
    );
    expect(upstreams).toEqual({ openai: { url: 'http://localhost:8000/v1', dialect: 'openai' } });
    expect(environment).toEqual({
      ANTHROPIC_BASE_URL: `${SERVER}/model/anthropic`,
      OPENAI_BASE_URL: `${SERVER}/model/openai`,
      OPENAI_API_BASE: `${SERVER}/model/openai`,
      GOOGLE_GEMINI_BASE_URL: `${SERVER}/model/gemini`,
    });
  });

  test('an address that cannot be an upstream is refused without being shown', async () => {
    const found = { upstreams: { openai: 'https://me:pass@gateway.example' } };
    await expect(addressesOf(found)).rejects.toThrow(/no password or query/);
  });

  test('a door that nobody answers at is left over, and not gone through', async () => {
    const { upstreams, doors } = await addressesOf({
      upstreams: { openai: 'http://127.0.0.1:1/model/openai/v1' },
    });
    expect({ upstreams, doors }).toEqual({ upstreams: {}, doors: {} });
  });
});

test('what stands behind "--" alone is a command, else the first word is a host', () => {
  expect(wantedOf(['codex', 'exec'], ['run', 'codex', '--', 'exec'])).toEqual({
    host: 'codex',
    args: ['exec'],
  });
  expect(wantedOf(['codex', 'exec'], ['run', '--', 'codex', 'exec'])).toEqual({
    program: 'codex',
    args: ['exec'],
  });
  expect(wantedOf(['codex'], ['run', 'codex'])).toEqual({ host: 'codex', args: [] });
  expect(() => wantedOf([], ['run'])).toThrow(/claude-code, codex/);
});
