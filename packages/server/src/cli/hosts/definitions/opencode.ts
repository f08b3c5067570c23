import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Family } from '../../../kernel/window-config.ts';
import type { InstallPlace, SettingsEntry, Value } from '../../install/installable.ts';
import type { ExistingSetup } from '../existing-setup.ts';
import type { Host } from '../host.ts';
import { configFolder } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import { addressOf, processOf, serverEntry } from '../parts/mcp-server.ts';
import { bundle } from '../parts/plugin-bundle.ts';
import { skillFiles } from '../parts/skill.ts';

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
  name: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  hasPlugin: true,
  traces: (place) => [
    place.scope === 'user' ? userFolder(place) : join(place.project, '.opencode'),
    ...(place.scope === 'user' ? [] : [configFile(place)]),
  ],
  files: (place, ours) => {
    const plugin = bundle('opencode', ours);
    return [
      {
        kind: 'edited',
        path: configFile(place),
        format: 'jsonc',
        entries: [serverEntry(['mcp'], serverOf(place, ours)), pluginEntry(plugin.url, ours)],
      },
      ...plugin.files,
      ...skillFiles(
        join(place.scope === 'user' ? userFolder(place) : join(place.project, '.opencode'), 'skills'),
        ours,
      ),
    ];
  },
  notes: ({ window }) =>
    window ? ['The plugin keeps the window of OpenCode small by itself: no address is needed for that.'] : [],
  run: {
    async look({ ask }): Promise<ExistingSetup> {
      // Its own word: the configuration comes from half a dozen places.
      const { provider = {}, mcp = {} } = parse(await ask('debug', 'config'));
      const upstreams: ExistingSetup['upstreams'] = {};
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
          mcp: {
            ...given.mcp,
            infold: { type: 'local', enabled: true, command: [mcp.command, ...mcp.args] },
          },
        }),
      };
      return { args: [], environment: { [CONTENT]: JSON.stringify(content) } };
    },
  },
};

function userFolder(place: InstallPlace): string {
  return join(configFolder(place), 'opencode');
}

/** It reads both, and a person may have either. */
function configFile(place: InstallPlace): string {
  const folder = place.scope === 'user' ? userFolder(place) : place.project;
  const withComments = join(folder, 'opencode.jsonc');
  return existsSync(withComments) ? withComments : join(folder, 'opencode.json');
}

function serverOf(place: InstallPlace, ours: Ours): Value {
  if (place.http) return { type: 'remote', enabled: true, url: addressOf(place, ours, opencode.title) };
  const { command, args } = processOf(ours);
  return { type: 'local', enabled: true, command: [command, ...args] };
}

/** Hooks, and a window that is kept small within the host: OpenCode lets a plugin do both. */
function pluginEntry(url: string, { dataFlags, data }: Ours): SettingsEntry {
  return {
    at: 'element',
    path: ['plugin'],
    value: dataFlags.length > 0 ? [url, { data }] : url,
    isOurs: (value) => {
      const name: unknown = Array.isArray(value) ? value[0] : value;
      return typeof name === 'string' && /^(file:.*\/opencode\.mjs|@infold\/opencode(@.*)?)$/.test(name);
    },
  };
}

function parse(text: string | undefined): Config {
  try {
    return JSON.parse(text || '{}') as Config;
  } catch {
    return {};
  }
}
