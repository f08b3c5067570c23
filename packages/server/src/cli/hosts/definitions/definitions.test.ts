import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOST_NAMES, type HostName } from '@infold/protocol';
import { afterAll, describe, expect, test } from 'vitest';
import { verifies } from '../../../../../../test/requirements.ts';
import { CommandLine } from '../../command-line.ts';
import { addInstall } from '../../install/commands.ts';
import type { InstallPlace, SettingsEntry } from '../../install/installable.ts';
import { HOSTS, installables, isThere } from '../index.ts';
import type { Ours } from '../our-program.ts';
import { eventsOf } from '../parts/hook-events.ts';
import { userFolder } from './vscode.ts';

const root = mkdtempSync(join(tmpdir(), 'infold-hosts-'));
const SKILL = '---\nname: infold\ndescription: When to fold\n---\nFold.\n';
mkdirSync(join(root, 'plugin', 'skills', 'infold'), { recursive: true });
writeFileSync(join(root, 'plugin', 'skills', 'infold', 'SKILL.md'), SKILL);
for (const folder of ['bin', 'dist/plugins']) mkdirSync(join(root, folder), { recursive: true });
for (const file of ['bin/hook.mjs', 'bin/statusline.mjs', 'dist/plugins/opencode.mjs', 'dist/plugins/pi.mjs'])
  writeFileSync(join(root, file), `// ${file}\n`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const OURS: Ours = {
  node: '/usr/bin/node',
  root,
  isCached: false,
  data: '/home/me/.infold',
  dataFlags: [],
  configFlags: [],
  url: 'http://127.0.0.1:9090',
  needsToken: false,
  isWindows: false,
  found: {},
};
const PROGRAM = join(root, 'bin', 'infold.mjs');
const PROCESS = { command: '/usr/bin/node', args: [PROGRAM, 'stdio'] };

const place = (changes: Partial<InstallPlace> = {}): InstallPlace => ({
  scope: 'user',
  home: '/home/me',
  project: '/home/me/shop',
  environment: {},
  window: false,
  http: false,
  ...changes,
});
const PROJECT = { scope: 'project' } as const;

/** What is written: by file, the value at each path, elements as lists; whole files as their text. */
function written(name: HostName, changes: Partial<InstallPlace> = {}, ours: Partial<Ours> = {}) {
  const files: Record<string, unknown> = {};
  for (const file of HOSTS[name].files(place(changes), { ...OURS, ...ours })) {
    expect(files[file.path]).toBeUndefined();
    files[file.path] = file.kind === 'whole' ? file.text : documentOf(file.entries);
  }
  return files;
}

function documentOf(entries: readonly SettingsEntry[]): unknown {
  const document = {};
  for (const { at, path, value } of entries) {
    const names = [...path];
    const last = names.pop()!;
    let object = document as Record<string, unknown>;
    for (const name of names) {
      object[name] ??= {};
      object = object[name] as Record<string, unknown>;
    }
    object[last] = at === 'key' ? value : [...((object[last] as unknown[]) ?? []), value];
  }
  return document;
}

/** A part of what is written. */
const inside = (whole: unknown, ...path: (string | number)[]): unknown =>
  path.reduce((value, key) => (value as Record<string | number, unknown>)[key], whole);

const command = (host: string, event: string) =>
  `/usr/bin/node ${join(root, 'bin', 'hook.mjs')} ${host} ${event} 2>/dev/null || true`;

/** What Codex runs when a session starts. */
const firstCommand = (files: unknown) =>
  inside(files, '/home/me/.codex/hooks.json', 'hooks', 'SessionStart', 0, 'hooks', 0, 'command');

/** The lists of all events that a host tells, each with one element. */
const hooksOf = (host: HostName, element: (event: { name: string; kind: string }) => unknown) =>
  Object.fromEntries(
    eventsOf(host).map(({ name, kind, matcher }) => [
      name,
      [{ ...(matcher === undefined ? {} : { matcher }), ...(element({ name, kind }) as object) }],
    ]),
  );
const groupsOf = (host: HostName, more: (event: { name: string; kind: string }) => object) =>
  hooksOf(host, (event) => ({
    hooks: [{ type: 'command', command: command(host, event.name), ...more(event) }],
  }));

describe('what is written for', () => {
  test('Claude Code', () => {
    verifies('HOST-01');
    const hooks = groupsOf('claude-code', () => ({ timeout: 5 }));
    expect(Object.keys(hooks)).toEqual(expect.arrayContaining(['SessionStart', 'PostToolUse', 'PreCompact']));
    const settings = {
      hooks,
      statusLine: { type: 'command', command: `/usr/bin/node ${PROGRAM} statusline` },
    };
    expect(written('claude-code')).toEqual({
      '/home/me/.claude.json': { mcpServers: { infold: { type: 'stdio', ...PROCESS } } },
      '/home/me/.claude/settings.json': settings,
      '/home/me/.claude/skills/infold/SKILL.md': SKILL,
    });
    expect(Object.keys(written('claude-code', { environment: { CLAUDE_CONFIG_DIR: '/c' } }))).toEqual([
      '/c/.claude.json',
      '/c/settings.json',
      '/c/skills/infold/SKILL.md',
    ]);
    expect(written('claude-code', PROJECT)).toEqual({
      '/home/me/shop/.mcp.json': { mcpServers: { infold: { type: 'stdio', ...PROCESS } } },
      // Without a status line: it would be shown instead of the person's own.
      '/home/me/shop/.claude/settings.local.json': { hooks },
      '/home/me/shop/.claude/skills/infold/SKILL.md': SKILL,
    });
  });

  test('Claude Code over HTTP: hooks are requests, but for the first; only a process is told the session', () => {
    const files = written('claude-code', { http: true });
    expect(files['/home/me/.claude.json']).toEqual({ mcpServers: { infold: { type: 'stdio', ...PROCESS } } });
    const hooks = inside(files, '/home/me/.claude/settings.json', 'hooks');
    expect(inside(hooks, 'SessionStart', 0, 'hooks', 0, 'type')).toBe('command');
    expect(inside(hooks, 'PostToolUse', 0, 'hooks')).toEqual([
      { type: 'http', url: 'http://127.0.0.1:9090/hooks/claude-code', timeout: 5 },
    ]);
    const safe = written('claude-code', { http: true }, { needsToken: true });
    expect(
      inside(safe, '/home/me/.claude/settings.json', 'hooks', 'PostToolUse', 0, 'hooks', 0, 'type'),
    ).toBe('command');
  });

  test.each(['gemini', 'qwen', 'cursor', 'copilot'] as const)(
    '%s over HTTP: no hooks, as they would be of another session than its calls',
    async (name) => {
      const http = { ...PROJECT, http: true };
      expect(JSON.stringify(written(name, http))).not.toContain('hook.mjs');
      const host = installables(OURS).find((one) => one.name === name)!;
      expect((await host.notes!(place(http))).join()).toContain('has to pass session_id');
      expect((await host.notes!(place(PROJECT))).join()).not.toContain('session_id');
    },
  );

  test('Codex: hooks.json holds nothing but hooks, and its end gets no more than Codex gives', () => {
    verifies('HOST-01');
    const hooks = groupsOf('codex', ({ kind }) => ({ timeout: kind === 'session-end' ? 3 : 5 }));
    expect(written('codex')).toEqual({
      '/home/me/.codex/config.toml': { mcp_servers: { infold: PROCESS } },
      '/home/me/.codex/hooks.json': { hooks },
      '/home/me/.codex/skills/infold/SKILL.md': SKILL,
    });
    expect(Object.keys(written('codex', { environment: { CODEX_HOME: '/x' } }))).toEqual([
      '/x/config.toml',
      '/x/hooks.json',
      '/x/skills/infold/SKILL.md',
    ]);
    expect(Object.keys(written('codex', PROJECT))).toEqual([
      '/home/me/shop/.codex/config.toml',
      '/home/me/shop/.codex/hooks.json',
      '/home/me/shop/.agents/skills/infold/SKILL.md',
    ]);
    expect(written('codex', { ...PROJECT, http: true })['/home/me/shop/.codex/config.toml']).toEqual({
      mcp_servers: { infold: { url: 'http://127.0.0.1:9090/mcp?names=portable&project=/home/me/shop' } },
    });
  });

  test.each([
    ['gemini', 'GEMINI_CLI_HOME', '.gemini', '/x/.gemini'],
    ['qwen', 'QWEN_HOME', '.qwen', '/x'],
  ] as const)('%s: one file, with names and milliseconds', (name, variable, folder, moved) => {
    verifies('HOST-01');
    const document = {
      mcpServers: { infold: PROCESS },
      hooks: groupsOf(name, (event) => ({ name: `infold:${event.name}`, timeout: 5000 })),
    };
    expect(written(name)).toEqual({
      [`/home/me/${folder}/settings.json`]: document,
      [`/home/me/${folder}/skills/infold/SKILL.md`]: SKILL,
    });
    expect(written(name, PROJECT)[`/home/me/shop/${folder}/settings.json`]).toEqual(document);
    expect(Object.keys(written(name, { environment: { [variable]: '/x' } }))[0]).toBe(
      `${moved}/settings.json`,
    );
    const http = written(name, { ...PROJECT, http: true })[`/home/me/shop/${folder}/settings.json`];
    expect(inside(http, 'mcpServers', 'infold')).toEqual({
      httpUrl: 'http://127.0.0.1:9090/mcp?names=portable&project=/home/me/shop',
    });
  });

  test('OpenCode: a server, and a plugin in place of hooks', () => {
    verifies('HOST-01');
    const plugin = `file://${root}/dist/plugins/opencode.mjs`;
    expect(written('opencode')).toEqual({
      '/home/me/.config/opencode/opencode.json': {
        mcp: { infold: { type: 'local', enabled: true, command: ['/usr/bin/node', PROGRAM, 'stdio'] } },
        plugin: [plugin],
      },
      '/home/me/.config/opencode/skills/infold/SKILL.md': SKILL,
    });
    const elsewhere = { data: '/d', dataFlags: ['--data', '/d'] };
    const project = written('opencode', PROJECT, elsewhere)['/home/me/shop/opencode.json'];
    expect(inside(project, 'plugin')).toEqual([[plugin, { data: '/d' }]]);
    expect(inside(project, 'mcp', 'infold', 'command')).toEqual([
      '/usr/bin/node',
      PROGRAM,
      'stdio',
      '--data',
      '/d',
    ]);
    const http = written('opencode', { ...PROJECT, http: true })['/home/me/shop/opencode.json'];
    expect(inside(http, 'mcp', 'infold')).toEqual({
      type: 'remote',
      enabled: true,
      url: 'http://127.0.0.1:9090/mcp?names=portable&project=/home/me/shop',
    });
    const moved = written('opencode', { environment: { XDG_CONFIG_HOME: '/x' } });
    expect(Object.keys(moved)[0]).toBe('/x/opencode/opencode.json');
  });

  test('OpenCode, where a person has the file with comments', () => {
    const project = mkdtempSync(join(root, 'project-'));
    writeFileSync(join(project, 'opencode.jsonc'), '{}');
    expect(Object.keys(written('opencode', { ...PROJECT, project }))[0]).toBe(
      join(project, 'opencode.jsonc'),
    );
  });

  test('Pi: an extension that names what it starts', () => {
    verifies('HOST-01');
    const from = `import { infold } from "file://${root}/dist/plugins/pi.mjs";\n`;
    const start = JSON.stringify({ command: ['/usr/bin/node', PROGRAM] });
    expect(written('pi')).toEqual({
      '/home/me/.pi/agent/extensions/infold.js': `${from}export default infold(${start});\n`,
      '/home/me/.pi/agent/skills/infold/SKILL.md': SKILL,
    });
    const elsewhere = written('pi', PROJECT, { data: '/d', dataFlags: ['--data', '/d'] });
    expect(elsewhere['/home/me/shop/.pi/extensions/infold.js']).toContain('infold({"data":"/d",');
  });

  test('Cursor: without its version the file would not count', () => {
    verifies('HOST-01');
    const hooks = hooksOf('cursor', ({ name }) => ({ command: command('cursor', name), timeout: 5 }));
    expect(written('cursor')).toEqual({
      '/home/me/.cursor/mcp.json': { mcpServers: { infold: { type: 'stdio', ...PROCESS } } },
      '/home/me/.cursor/hooks.json': { version: 1, hooks },
      '/home/me/.cursor/skills/infold/SKILL.md': SKILL,
    });
    expect(JSON.stringify(hooks)).not.toContain('//');
    const project = written('cursor', PROJECT)['/home/me/shop/.cursor/mcp.json'];
    expect(inside(project, 'mcpServers', 'infold', 'args')).toEqual([
      PROGRAM,
      'stdio',
      '--project',
      '/home/me/shop',
    ]);
  });

  test('VS Code: servers, and the skill where Copilot looks', () => {
    verifies('HOST-01');
    const user = userFolder(place());
    expect(written('vscode')).toEqual({
      [join(user, 'mcp.json')]: { servers: { infold: { type: 'stdio', ...PROCESS } } },
      '/home/me/.copilot/skills/infold/SKILL.md': SKILL,
    });
    expect(Object.keys(written('vscode', PROJECT))).toEqual([
      '/home/me/shop/.vscode/mcp.json',
      '/home/me/shop/.github/skills/infold/SKILL.md',
    ]);
    expect(userFolder(place(), 'linux')).toBe('/home/me/.config/Code/User');
    expect(userFolder(place(), 'darwin')).toBe('/home/me/Library/Application Support/Code/User');
    expect(userFolder(place({ environment: { APPDATA: '/a' } }), 'win32')).toBe('/a/Code/User');
  });

  test('Copilot CLI: hooks in a file of their own', () => {
    verifies('HOST-01');
    const hooks = hooksOf('copilot', ({ name }) => ({
      type: 'command',
      command: command('copilot', name),
      timeoutSec: 5,
    }));
    expect(written('copilot')).toEqual({
      '/home/me/.copilot/mcp-config.json': {
        mcpServers: { infold: { type: 'local', ...PROCESS, tools: ['*'] } },
      },
      '/home/me/.copilot/hooks/infold.json': { version: 1, hooks },
      '/home/me/.copilot/skills/infold/SKILL.md': SKILL,
    });
    expect(Object.keys(written('copilot', { environment: { COPILOT_HOME: '/x' } }))[1]).toBe(
      '/x/hooks/infold.json',
    );
    expect(Object.keys(written('copilot', PROJECT))).toEqual([
      '/home/me/shop/.github/mcp.json',
      '/home/me/shop/.github/hooks/infold.json',
      '/home/me/shop/.github/skills/infold/SKILL.md',
    ]);
  });

  test('Windsurf, Zed, Goose and Cline: server and skill', () => {
    verifies('HOST-01');
    expect(written('windsurf')).toEqual({
      '/home/me/.codeium/windsurf/mcp_config.json': { mcpServers: { infold: PROCESS } },
      '/home/me/.codeium/windsurf/hooks.json': {
        hooks: hooksOf('windsurf', ({ name }) => ({
          command: command('windsurf', name),
          show_output: false,
        })),
      },
      '/home/me/.codeium/windsurf/skills/infold/SKILL.md': SKILL,
    });
    expect(written('zed')).toEqual({
      '/home/me/.config/zed/settings.json': { context_servers: { infold: { ...PROCESS, env: {} } } },
      '/home/me/.agents/skills/infold/SKILL.md': SKILL,
    });
    expect(written('goose')).toEqual({
      '/home/me/.config/goose/config.yaml': {
        extensions: {
          infold: {
            name: 'infold',
            description: 'Branch, fold, rules and memory',
            enabled: true,
            timeout: 300,
            type: 'stdio',
            cmd: '/usr/bin/node',
            args: [PROGRAM, 'stdio'],
          },
        },
      },
      '/home/me/.config/goose/skills/infold/SKILL.md': SKILL,
    });
    expect(written('cline')).toEqual({
      '/home/me/.cline/data/settings/cline_mcp_settings.json': {
        mcpServers: { infold: { ...PROCESS, disabled: false, autoApprove: [] } },
      },
      '/home/me/.cline/skills/infold/SKILL.md': SKILL,
    });
  });

  test.each(['windsurf', 'goose', 'cline'] as const)('%s in a project: nothing, and why', (name) => {
    expect(() => written(name, PROJECT)).toThrow(/no settings in a project.*--scope user/);
  });

  test('Cline within VS Code too, where it is there', () => {
    const home = mkdtempSync(join(root, 'home-'));
    const extension = join(userFolder({ home, environment: {} }), 'globalStorage', 'saoudrizwan.claude-dev');
    mkdirSync(extension, { recursive: true });
    expect(Object.keys(written('cline', { home }))).toContain(
      join(extension, 'settings', 'cline_mcp_settings.json'),
    );
  });
});

describe('out of a cache of npx', () => {
  const cached = { isCached: true, data: '/d', dataFlags: ['--data', '/d'] };

  test('the server is started by npx, and what hooks run is copied to where it stays', () => {
    const files = written('codex', {}, cached);
    expect(inside(files, '/home/me/.codex/config.toml', 'mcp_servers', 'infold')).toEqual({
      command: 'npx',
      args: ['-y', 'infold', 'stdio', '--data', '/d'],
    });
    expect(files['/d/hosts/codex/hook.mjs']).toBe('// bin/hook.mjs\n');
    expect(firstCommand(files)).toBe(
      '/usr/bin/node /d/hosts/codex/hook.mjs codex SessionStart --data /d 2>/dev/null || true',
    );
  });

  test('and so is what prints the status line', () => {
    const files = written('claude-code', {}, cached);
    expect(inside(files, '/home/me/.claude/settings.json', 'statusLine', 'command')).toBe(
      '/usr/bin/node /d/hosts/claude-code/infold-statusline.mjs --data /d',
    );
    expect(files['/d/hosts/claude-code/infold-statusline.mjs']).toBe('// bin/statusline.mjs\n');
  });

  test('plugins are copied too', () => {
    expect(written('opencode', {}, cached)['/d/hosts/opencode/opencode.mjs']).toContain('opencode.mjs');
    const pi = written('pi', {}, cached);
    expect(pi['/home/me/.pi/agent/extensions/infold.js']).toContain('file:///d/hosts/pi/pi.mjs');
  });
});

describe('entries know themselves', () => {
  const everywhere = HOST_NAMES.flatMap((name) =>
    [{ window: true }, { ...PROJECT, http: true }, { ...PROJECT, http: false }].map(
      (changes) => [name, changes] as const,
    ),
  );

  test.each(everywhere)('%s %o', (name, changes) => {
    verifies('HOST-01');
    const older: Ours = {
      ...OURS,
      node: '/old/node',
      root: '/old/infold',
      data: '/e',
      dataFlags: ['--data', '/e'],
    };
    const entriesOf = (ours: Ours) => {
      try {
        return HOSTS[name]
          .files(place(changes), ours)
          .flatMap((file) => (file.kind === 'edited' ? file.entries : []));
      } catch {
        return [];
      }
    };
    const [now, then] = [entriesOf(OURS), entriesOf(older)];
    for (const [index, entry] of now.entries()) {
      expect(entry.isOurs(entry.value)).toBe(true);
      expect(entry.isOurs(then[index]!.value)).toBe(true);
      for (const foreign of [
        null,
        'x',
        {},
        { hooks: [{ type: 'command', command: 'lint --fix' }] },
        { command: 'node', args: ['server.js'] },
      ])
        expect(entry.isOurs(foreign)).toBe(false);
      // Nobody takes the hook of another event for its own.
      const twins = now.filter(
        (other) => other !== entry && other.at === 'element' && entry.at === 'element',
      );
      for (const other of twins)
        if (other.path.join() === entry.path.join()) expect(entry.isOurs(other.value)).toBe(false);
    }
  });

  test('a hook of one host is not taken for that of another', () => {
    const [codex] = HOSTS.codex
      .files(place(), OURS)
      .flatMap((file) => (file.kind === 'edited' ? file.entries : []))
      .filter(({ at }) => at === 'element');
    expect(
      codex!.isOurs({ hooks: [{ type: 'command', command: command('claude-code', 'SessionStart') }] }),
    ).toBe(false);
    expect(
      codex!.isOurs({ hooks: [{ type: 'command', command: 'npx infold hook codex SessionStart' }] }),
    ).toBe(true);
  });

  test("a status line, a server and an address of a person's own are theirs", () => {
    const entries = HOSTS['claude-code']
      .files(place({ window: true }), OURS)
      .flatMap((file) => (file.kind === 'edited' ? file.entries : []));
    const at = (path: string) => entries.find((entry) => entry.path.join('.') === path)!;
    expect(at('statusLine').isOurs({ type: 'command', command: 'ccstatusline' })).toBe(false);
    expect(at('env.ANTHROPIC_BASE_URL').isOurs('https://gateway.example')).toBe(false);
    expect(at('mcpServers.infold').isOurs({ command: '/usr/bin/other', args: ['stdio'] })).toBe(false);
  });
});

describe('--window', () => {
  const at = (name: HostName, ours: Partial<Ours> = {}) =>
    JSON.stringify(written(name, { window: true }, ours));
  const notes = async (name: HostName, ours: Partial<Ours> = {}) => {
    const host = installables({ ...OURS, ...ours }).find((one) => one.name === name)!;
    return (await host.notes!(place({ window: true }))).join('\n');
  };

  test('sets the address where a host has a setting for it, and says that a server has to run', async () => {
    const claude = written('claude-code', { window: true })['/home/me/.claude/settings.json'];
    expect(inside(claude, 'env')).toEqual({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9090/model/anthropic',
      ENABLE_TOOL_SEARCH: 'true',
    });
    const codex = written('codex', { window: true })['/home/me/.codex/config.toml'];
    expect(inside(codex, 'openai_base_url')).toBe('http://127.0.0.1:9090/model/openai/v1');
    expect(inside(codex, 'features')).toEqual({ enable_request_compression: false });
    expect(await notes('codex')).toContain('A server must be running at http://127.0.0.1:9090');
  });

  test('leaves an address that a person has, and one that a token would have to stand in', async () => {
    const found = { codex: { upstreams: { openai: 'https://proxy.example/v1' } } };
    expect(at('codex', { found })).not.toContain('/model/');
    expect(await notes('codex', { found })).toMatch(/stays as it is.*infold run codex/);
    expect(at('claude-code', { needsToken: true })).not.toContain('/model/');
    expect(await notes('claude-code', { needsToken: true })).toContain('need a token');
    const ours = { codex: { upstreams: { openai: 'http://127.0.0.1:9090/model/openai/v1' } } };
    expect(at('codex', { found: ours })).toContain('/model/openai/v1');
  });

  test('says where there is no such setting', async () => {
    expect(await notes('gemini')).toContain('infold run gemini');
    expect(await notes('zed')).toContain('nothing was written for --window');
    expect(await notes('opencode')).toContain('by itself');
  });
});

test('files with paths of this machine are said to be no files for a team, by a plugin over HTTP too', async () => {
  const notes = async (name: HostName, http: boolean) => {
    const host = installables(OURS).find((one) => one.name === name)!;
    return (await host.notes!(place({ ...PROJECT, http }))).join('\n');
  };
  expect(await notes('zed', false)).toContain('paths of this machine');
  expect(await notes('opencode', false)).toContain('paths of this machine');
  expect(await notes('opencode', true)).toContain('paths of this machine');
  expect(await notes('zed', true)).not.toContain('paths of this machine');
});

test('over HTTP a host needs the project, unless it can name it itself', () => {
  expect(() => written('codex', { http: true })).toThrow(/--scope project/);
  const odd = written('zed', { ...PROJECT, project: '/home/me/a b&c', http: true });
  expect(inside(odd, '/home/me/a b&c/.zed/settings.json', 'context_servers', 'infold', 'url')).toBe(
    'http://127.0.0.1:9090/mcp?names=portable&project=/home/me/a%20b%26c',
  );
});

test('a command has its words quoted for a shell, and on Windows as its shells read them', () => {
  expect(firstCommand(written('codex', {}, { node: "/o'neil/node" }))).toMatch(/^'\/o'\\''neil\/node' /);
  const windows = { isWindows: true, node: 'C:\\Program Files\\node.exe' };
  expect(firstCommand(written('codex', {}, windows))).toMatch(
    /^"C:\/Program Files\/node\.exe" ".*hook\.mjs" "codex" "SessionStart"$/,
  );
});

test('a folder that a variable names counts from here, but for one that has to be absolute', () => {
  const moved = { environment: { CODEX_HOME: 'mine', XDG_CONFIG_HOME: 'mine' } };
  expect(Object.keys(written('codex', moved))[0]).toBe(join(process.cwd(), 'mine', 'config.toml'));
  expect(Object.keys(written('goose', moved))[0]).toBe('/home/me/.config/goose/config.yaml');
});

test.each(['install', 'uninstall'])('the help of %s names every host', (name) => {
  const line = new CommandLine();
  addInstall(line);
  const said: string[] = [];
  const command = line.program.commands.find((one) => one.name() === name)!;
  command.configureOutput({ writeOut: (text) => said.push(text) }).outputHelp();
  expect(said.join('')).toContain(`Hosts: ${HOST_NAMES.join(', ')}.`);
});

test('a host is there by its folder or by its command', () => {
  const home = mkdtempSync(join(root, 'home-'));
  const nobody = HOST_NAMES.filter((name) => isThere(HOSTS[name], place({ home, project: home })));
  expect(nobody).toEqual([]);
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, 'gemini'), '', { mode: 0o755 });
  const there = (changes: Partial<InstallPlace>) =>
    HOST_NAMES.filter((name) => isThere(HOSTS[name], place({ home, project: home, ...changes })));
  expect(there({ environment: { PATH: home } })).toEqual(['codex', 'gemini']);
  // In a project only what the project holds counts.
  expect(there({ ...PROJECT, environment: { PATH: home } })).toEqual(['codex']);
});

test('the skill is left out where it is not shipped', () => {
  const files = HOSTS.codex.files(place(), { ...OURS, root: '/nowhere/infold' });
  expect(files.map(({ path }) => path)).toEqual([
    '/home/me/.codex/config.toml',
    '/home/me/.codex/hooks.json',
  ]);
});

test.each(HOST_NAMES)('%s is given no permission', (name) => {
  const words = JSON.stringify(written(name));
  expect(words).not.toMatch(/"(trust|trusted_hash|permission|permissions|default_tools_approval_mode)"/);
  expect(words).not.toMatch(/"autoApprove":\[[^\]]/);
});
