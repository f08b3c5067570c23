import { join } from 'node:path';
import type { HostFile, InstallPlace, SettingsEntry } from '../../install/installable.ts';
import { addressIn, type Environment } from '../existing-setup.ts';
import type { Host } from '../host.ts';
import { documentIn, keysOf } from '../machine/documents.ts';
import { pathIn } from '../machine/folders.ts';
import type { Ours } from '../our-program.ts';
import {
  groups,
  type HookShape,
  hookCommand,
  hookEntries,
  hookFiles,
  isOurStatusLine,
  PATIENCE,
  statusLineCommand,
  statusLineFiles,
} from '../parts/hook-commands.ts';
import { eventsOf } from '../parts/hook-events.ts';
import { processOf, serverEntry } from '../parts/mcp-server.ts';
import { addressEntry, windowAddress } from '../parts/model-address.ts';
import { skillFiles } from '../parts/skill.ts';

const ADDRESS = 'ANTHROPIC_BASE_URL';
const TOOL_SEARCH = 'ENABLE_TOOL_SEARCH';

const COMMANDS = groups((_event, command) => ({ type: 'command', command, timeout: PATIENCE }));

/** Posts to the server that runs. At its start no request can be counted on to arrive, so that stays a command. */
function requests({ url }: Ours): HookShape {
  const address = `${url}/hooks/claude-code`;
  return {
    write: (event, command) =>
      event.name === 'SessionStart'
        ? COMMANDS.write(event, command)
        : groups(() => ({ type: 'http', url: address, timeout: PATIENCE })).write(event, command),
    handlers: COMMANDS.handlers,
  };
}

export const claudeCode: Host = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  window: 'anthropic',
  traces: (place) => (place.scope === 'user' ? [ownFolder(place)] : [join(place.project, '.claude')]),
  files: (place, ours) => {
    const { servers, settings, skills } = places(place);
    const files: HostFile[] = [
      {
        kind: 'edited',
        path: servers,
        format: 'jsonc',
        // Over HTTP too: only to a process does Claude Code say which session it is, and hooks and tools must mean the same.
        entries: [serverEntry(['mcpServers'], { type: 'stdio', ...processOf(ours) })],
      },
      {
        kind: 'edited',
        path: settings,
        format: 'jsonc',
        entries: [
          ...hooksOf(place, ours),
          // A project's line would be shown instead of the person's own.
          ...(place.scope === 'user' ? [statusLine(ours)] : []),
          ...windowEntries(place, ours),
        ],
      },
    ];
    return [
      ...files,
      ...hookFiles('claude-code', ours),
      ...(place.scope === 'user' ? statusLineFiles('claude-code', ours) : []),
      ...skillFiles(skills, ours),
    ];
  },
  async notes(place, ours) {
    const { scope, http } = place;
    const off = await hooksOff(place);
    const { statusLine: line } = await documentIn(places(place).settings, 'jsonc');
    const hasOwnLine = line !== undefined && !statusLine(ours).isOurs(line);
    return [
      ...(scope === 'project' ? ['Claude Code asks once whether the server of .mcp.json may be used.'] : []),
      ...(http
        ? [`Claude Code names its session only to a process that it starts: ${whatHttpDoes(ours.needsToken)}`]
        : []),
      ...(off === undefined ? [] : [off]),
      ...(hasOwnLine
        ? [
            `Your own status line stays as it is. To show ours in it, pipe its input to: ${statusLineCommand('claude-code', ours)}`,
          ]
        : []),
    ];
  },
  async hookTrouble(place) {
    const off = await hooksOff(place);
    if (off !== undefined) return off;
    const { settings } = places(place);
    const { enabledPlugins } = await documentIn(settings, 'jsonc');
    const plugin = Object.entries(keysOf(enabledPlugins)).find(
      ([name, is]) => /^infold@/.test(name) && is === true,
    );
    return (
      plugin &&
      `Claude Code also has the plugin ${plugin[0]}, and runs each hook twice: remove one of the two`
    );
  },
  run: {
    async look({ environment, folder, home, read }) {
      const own = ownFolder({ environment, home });
      // What stands in a settings file is set over the environment; the later file over the earlier one.
      const files = [
        join(own, 'settings.json'),
        join(folder, '.claude', 'settings.json'),
        join(folder, '.claude', 'settings.local.json'),
      ].map(read);
      const settings = files
        .map((file) => addressOfSettings(file))
        .findLast((address) => address !== undefined);
      const anthropic = settings ?? addressIn(environment, ADDRESS);
      return {
        upstreams: { ...(anthropic !== undefined && { anthropic }) },
        isInSettings: settings !== undefined,
        hasHooks: files.some((file) => file !== undefined && / claude-code SessionStart\b/.test(file)),
        ...(['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'].some((name) => environment[name]) && {
          notes: [
            'Claude Code is set up for Bedrock or Vertex: its requests do not go through the window door.',
          ],
        }),
      };
    },
    connect({ base, mcp, hooks, found }) {
      const address = base('anthropic');
      const settings = {
        ...(found.isInSettings && { env: { [ADDRESS]: address } }),
        ...(hooks && { hooks: hooksForOneRun(hooks) }),
      };
      // The flag takes a list: only what is written with "=" leaves the next word alone.
      return {
        args: [
          ...(mcp ? [`--mcp-config=${JSON.stringify({ mcpServers: { infold: mcp } })}`] : []),
          ...(Object.keys(settings).length > 0 ? [`--settings=${JSON.stringify(settings)}`] : []),
        ],
        // Behind another address than its own, it would put every tool into the first prompt.
        environment: { [ADDRESS]: address, [TOOL_SEARCH]: 'true' },
      };
    },
  },
};

/** A person may switch all hooks off: the file that counts most decides. */
async function hooksOff(place: InstallPlace): Promise<string | undefined> {
  const { project } = place;
  const files = [
    join(ownFolder(place), 'settings.json'),
    join(project, '.claude', 'settings.json'),
    join(project, '.claude', 'settings.local.json'),
  ];
  const said = await Promise.all(
    files.map(async (path) => ({ path, is: (await documentIn(path, 'jsonc')).disableAllHooks })),
  );
  const last = said.findLast(({ is }) => typeof is === 'boolean');
  return last?.is === true
    ? `Claude Code runs no hooks, because "disableAllHooks" is true in ${last.path}: remove it so that ours run`
    : undefined;
}

function whatHttpDoes(needsToken: boolean): string {
  return needsToken
    ? 'tools use such a process, and hooks, which would need a token, are commands.'
    : 'tools use such a process, and hooks are requests to the server.';
}

function ownFolder({ environment, home }: { environment: Environment; home: string }): string {
  return pathIn(environment, 'CLAUDE_CONFIG_DIR') ?? join(home, '.claude');
}

function places(place: InstallPlace): { servers: string; settings: string; skills: string } {
  const { scope, home, project, environment } = place;
  if (scope === 'user') {
    const own = ownFolder(place);
    return {
      servers: join(pathIn(environment, 'CLAUDE_CONFIG_DIR') ?? home, '.claude.json'),
      settings: join(own, 'settings.json'),
      skills: join(own, 'skills'),
    };
  }
  return {
    servers: join(project, '.mcp.json'),
    // Its own file for what is of this machine; Claude Code keeps it out of Git.
    settings: join(project, '.claude', 'settings.local.json'),
    skills: join(project, '.claude', 'skills'),
  };
}

function hooksOf(place: InstallPlace, ours: Ours): SettingsEntry[] {
  // Where a request needs a token, a command does not.
  const shape = place.http && !ours.needsToken ? requests(ours) : COMMANDS;
  return hookEntries('claude-code', ours, shape);
}

function hooksForOneRun(ours: Ours): Record<string, unknown[]> {
  const hooks: Record<string, unknown[]> = {};
  for (const event of eventsOf('claude-code')) {
    hooks[event.name] ??= [];
    hooks[event.name]!.push(COMMANDS.write(event, hookCommand('claude-code', event.name, ours)));
  }
  return hooks;
}

function statusLine(ours: Ours): SettingsEntry {
  return {
    at: 'key',
    path: ['statusLine'],
    value: { type: 'command', command: statusLineCommand('claude-code', ours) },
    ifAbsent: true,
    isOurs: (value) => isOurStatusLine((value as { command?: unknown } | null)?.command),
  };
}

function windowEntries(place: InstallPlace, ours: Ours): SettingsEntry[] {
  const address = windowAddress(claudeCode, place, ours);
  if (address === undefined) return [];
  return [
    addressEntry(['env', ADDRESS], address),
    {
      at: 'key',
      path: ['env', TOOL_SEARCH],
      value: 'true',
      isOurs: (value) => value === 'true',
      isCommon: true,
      ifAbsent: true,
    },
  ];
}

function addressOfSettings(text: string | undefined): string | undefined {
  try {
    const { env } = JSON.parse(text ?? '{}') as { env?: Record<string, unknown> };
    const address = env?.[ADDRESS];
    return typeof address === 'string' && address !== '' ? address : undefined;
  } catch {
    return undefined;
  }
}
