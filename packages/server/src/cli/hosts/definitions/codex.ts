import { join } from 'node:path';
import type { InstallPlace, SettingsEntry, Value } from '../../install/installable.ts';
import type { Environment } from '../existing-setup.ts';
import type { Host, Mcp } from '../host.ts';
import { documentIn, keysOf } from '../machine/documents.ts';
import { pathIn } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import { groups, hookEntries, hookFiles, PATIENCE } from '../parts/hook-commands.ts';
import { eventsOf } from '../parts/hook-events.ts';
import { addressOf, processOf, serverEntry } from '../parts/mcp-server.ts';
import { addressEntry, windowAddress } from '../parts/model-address.ts';
import { skillFiles } from '../parts/skill.ts';
import { distrusted } from './codex-trust.ts';

/** Where Codex sends what a ChatGPT subscription pays for. */
const SUBSCRIPTION = 'https://chatgpt.com/backend-api/codex';

/** Codex gives what runs at its end no more, and says so at every start where more is asked for. */
const AT_THE_END = 3;

const HOOKS = groups(({ kind }, command) => ({
  type: 'command',
  command,
  timeout: kind === 'session-end' ? AT_THE_END : PATIENCE,
}));

export const codex: Host = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  window: 'openai',
  traces: (place) => [ownFolder(place)],
  files: (place, ours) => [
    {
      kind: 'edited',
      path: join(ownFolder(place), 'config.toml'),
      format: 'toml',
      entries: [...windowEntries(place, ours), serverEntry(['mcp_servers'], serverOf(place, ours))],
    },
    {
      kind: 'edited',
      path: join(ownFolder(place), 'hooks.json'),
      format: 'jsonc',
      entries: hookEntries('codex', ours, HOOKS),
    },
    ...hookFiles('codex', ours),
    ...skillFiles(
      place.scope === 'user' ? join(ownFolder(place), 'skills') : join(place.project, '.agents', 'skills'),
      ours,
    ),
  ],
  notes: ({ scope }) => [
    'Codex runs new hooks only when you trust them: open /hooks in it once. Until then it skips them silently.',
    ...(scope === 'project'
      ? ['Codex reads the .codex folder of a project only if you trust the project.']
      : []),
  ],
  async hookTrouble(place, ours) {
    const file = join(ownFolder(place), 'hooks.json');
    // Trust is kept with the person, for hooks of projects too.
    const config = await documentIn(join(codexHome(place), 'config.toml'), 'toml');
    const states = keysOf(keysOf(config.hooks).state) as Record<string, { trusted_hash?: unknown }>;
    const entries = hookEntries('codex', ours, HOOKS);
    const isOurs = (event: string, group: unknown) =>
      entries.some((entry) => entry.path[1] === event && entry.isOurs(group));
    const hooks = keysOf((await documentIn(file, 'jsonc')).hooks);
    const skipped = distrusted(file, hooks, states, isOurs, eventsOf('codex'));
    return skipped.length === 0
      ? undefined
      : `Codex skips hooks until you trust them (${skipped.join(', ')}): open /hooks in it`;
  },
  run: {
    async look({ environment, home, read, ask }) {
      const [login, own] = await Promise.all([ask('login', 'status'), ask('mcp', 'get', 'infold')]);
      const config = read(join(codexHome({ environment, home }), 'config.toml')) ?? '';
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
  },
};

function codexHome({ environment, home }: { environment: Environment; home: string }): string {
  return pathIn(environment, 'CODEX_HOME') ?? join(home, '.codex');
}

function ownFolder(place: InstallPlace): string {
  return place.scope === 'user' ? codexHome(place) : join(place.project, '.codex');
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  if (!place.http) return processOf(ours);
  return {
    url: addressOf(place, ours, codex.title),
    ...(ours.needsToken && { bearer_token_env_var: 'INFOLD_TOKEN' }),
  };
}

function windowEntries(place: InstallPlace, ours: Ours): SettingsEntry[] {
  const address = windowAddress(codex, place, ours);
  if (address === undefined) return [];
  return [
    addressEntry(['openai_base_url'], address),
    {
      at: 'key',
      path: ['features', 'enable_request_compression'],
      value: false,
      isOurs: (value) => value === false,
      isCommon: true,
    },
  ];
}

function server(mcp: Mcp, environment: Environment): string[] {
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
