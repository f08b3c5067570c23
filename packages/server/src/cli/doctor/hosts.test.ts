import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { type ConfigReport, loadConfig } from '../../kernel/config.ts';
import { trustHash, trustKey } from '../hosts/definitions/codex-trust.ts';
import { isTrustedFolder } from '../hosts/definitions/gemini-trust.ts';
import { installables } from '../hosts/index.ts';
import { oursOf } from '../hosts/our-program.ts';
import { Installs } from '../install/install-record.ts';
import type { InstallPlace } from '../install/installable.ts';
import { Installer } from '../install/installer.ts';
import type { Check } from './check.ts';
import { checkHosts } from './hosts.ts';

const NOW = Date.parse('2026-05-05T12:00:00Z');
const HOUR = 3_600_000;

let root: string;
let report: ConfigReport;
let places: Pick<InstallPlace, 'home' | 'project' | 'environment'>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'infold-check-'));
  for (const folder of ['data', 'home', 'shop']) mkdirSync(join(root, folder));
  report = loadConfig({ data: join(root, 'data') }, {});
  places = { home: join(root, 'home'), project: join(root, 'shop'), environment: {} };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (...path: string[]) => join(root, ...path);

async function install(name: string, changes: Partial<InstallPlace> = {}): Promise<void> {
  const host = installables(oursOf(report)).find((one) => one.name === name)!;
  const session = new Installer(Installs.read(report.config.data));
  await session.install(host, { ...places, scope: 'user', window: false, http: false, ...changes }, false);
  session.commit();
}

async function uninstall(name: string): Promise<void> {
  const host = installables(oursOf(report)).find((one) => one.name === name)!;
  const session = new Installer(Installs.read(report.config.data));
  await session.uninstall(host, { ...places, scope: 'user', window: true, http: false }, false);
  session.commit();
}

async function notesOf(name: string): Promise<string> {
  const host = installables(oursOf(report)).find((one) => one.name === name)!;
  return (await host.notes!({ ...places, scope: 'user', window: false, http: false })).join('\n');
}

async function look(connected: [string, number][] = []): Promise<Record<string, Check>> {
  const checks = await checkHosts(report, new Map(connected), places, NOW);
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));

describe('doctor', () => {
  test('tells of hosts that are there and have nothing of ours, and not of others', async () => {
    mkdirSync(file('home', '.codex'));
    expect(await look()).toEqual({
      Codex: { name: 'Codex', state: 'ok', detail: 'found, not installed', advice: 'infold install codex' },
      hooks: { name: 'hooks', state: 'ok', detail: 'no events are waiting' },
    });
  });

  test('tells what is installed, connected and heard of', async () => {
    verifies('HOST-01');
    await install('claude-code');
    await install('zed', { scope: 'project' });
    await install('vscode');
    await install('pi');
    expect(await look()).toMatchObject({
      // It runs the hooks of others.
      'VS Code': { detail: 'installed for you; not connected yet' },
      Pi: { detail: 'installed for you; not connected yet; no hook has run yet' },
      'Claude Code': {
        state: 'ok',
        detail: 'installed for you; not connected yet; no hook has run yet',
      },
      Zed: { state: 'ok', detail: 'installed in this project; not connected yet' },
    });
    const heard = {
      'claude-code': { at: NOW - 5000, events: { SessionStart: NOW - HOUR, Stop: NOW - 5000 } },
    };
    writeFileSync(file('data', 'hooks-heard.json'), JSON.stringify(heard));
    expect((await look([['claude-code', NOW - 2 * HOUR]]))['Claude Code']!.detail).toBe(
      'installed for you; connected 2 hours ago; last hook just now (Stop)',
    );
  });

  test('takes no skill that hosts share for an installed host, and no home for a project', async () => {
    mkdirSync(file('shop', '.zed'));
    await install('codex', { scope: 'project' });
    expect(await look()).not.toHaveProperty('Zed');
    await install('cursor');
    places = { ...places, project: places.home };
    expect((await look()).Cursor!.detail).toMatch(/^installed for you;/);
  });

  test('takes one that speaks HTTP for as good', async () => {
    await install('codex', { scope: 'project', http: true });
    const { Codex } = await look();
    expect(Codex!.detail).toContain('installed in this project');
    expect(Codex!.advice).not.toContain('another version');
    // It has no hooks then that anybody would have to trust.
    await install('gemini', { scope: 'project', http: true });
    expect((await look())['Gemini CLI']!.state).toBe('ok');
  });

  test('tells what was edited by hand, is missing, is out of date or cannot be read', async () => {
    verifies('HOST-01');
    await install('claude-code');
    edit(file('home', '.claude', 'settings.json'), (text) => text.replace('"timeout": 5', '"timeout": 50'));
    expect((await look())['Claude Code']).toMatchObject({
      state: 'warning',
      advice: expect.stringMatching(/SessionStart in .*settings\.json was edited by hand.*--force/),
    });
    await install('cursor');
    rmSync(file('home', '.cursor', 'mcp.json'));
    expect((await look()).Cursor!.advice).toMatch(/Part of it is missing: infold install cursor/);
    await install('zed');
    report = loadConfig({ data: file('data'), config: file('other.json') }, withFile('other.json'));
    expect((await look()).Zed!.advice).toMatch(/another version, or from another folder/);
    writeFileSync(file('home', '.claude', 'settings.json'), '{ "hooks": ');
    expect((await look())['Claude Code']!.advice).toContain('settings.json');
  });

  test('tells what is left of ours in a file that could not be read at uninstall', async () => {
    verifies('HOST-01');
    await install('claude-code');
    const settings = file('home', '.claude', 'settings.json');
    edit(settings, (text) => `${text}}`);
    await uninstall('claude-code');
    expect((await look())['Claude Code']).toMatchObject({
      state: 'warning',
      detail: 'not installed, but some of our entries remain',
      advice: expect.stringMatching(
        /settings\.json is not valid JSON .*still has our entries: fix the file, then infold uninstall claude-code$/,
      ),
    });
    edit(settings, (text) => text.slice(0, -1));
    await uninstall('claude-code');
    mkdirSync(file('home', '.claude'), { recursive: true });
    expect((await look())['Claude Code']).toMatchObject({ state: 'ok', detail: 'found, not installed' });
  });

  test('calls nothing installed that stands in no file', async () => {
    verifies('HOST-01');
    mkdirSync(file('home', '.claude'));
    const settings = file('home', '.claude', 'settings.json');
    writeFileSync(settings, '{ "hooks": ');
    expect((await look())['Claude Code']).toMatchObject({
      state: 'warning',
      detail: 'found, not installed',
      advice: expect.stringContaining(`${settings} is not valid JSON`),
    });
    await install('claude-code');
    expect((await look())['Claude Code']).toMatchObject({
      state: 'warning',
      detail: 'partly installed for you; not connected yet',
      advice: expect.stringMatching(/settings\.json is not valid JSON .*: fix the file, then infold install/),
    });
    await install('cursor');
    rmSync(file('home', '.cursor', 'mcp.json'));
    expect((await look()).Cursor!.detail).toMatch(/^partly installed for you;/);
  });

  test('tells that a person has switched off all hooks of Claude Code, and so does install', async () => {
    await install('claude-code');
    expect(await notesOf('claude-code')).toBe('');
    const settings = file('home', '.claude', 'settings.json');
    edit(settings, (text) => text.replace('{', '{ "disableAllHooks": true,'));
    const told = expect.stringContaining(`"disableAllHooks" is true in ${settings}`);
    expect((await look())['Claude Code']).toMatchObject({ state: 'warning', advice: told });
    expect(await notesOf('claude-code')).toEqual(told);
    // What the project says counts more.
    mkdirSync(file('shop', '.claude'));
    writeFileSync(file('shop', '.claude', 'settings.json'), '{ "disableAllHooks": false }');
    expect((await look())['Claude Code']!.state).toBe('ok');
  });

  test("install tells that a person's own status line stays, and how ours is had", async () => {
    mkdirSync(file('home', '.claude'));
    const settings = file('home', '.claude', 'settings.json');
    writeFileSync(settings, '{ "statusLine": { "type": "command", "command": "mine" } }');
    expect(await notesOf('claude-code')).toMatch(/status line stays as it is.*infold\.mjs statusline/);
    await install('claude-code');
    expect(readFileSync(settings, 'utf8')).toContain('"command": "mine"');
  });

  test('tells that a host told something in a new shape, until it is understood again', async () => {
    await install('cursor');
    const unknown = { at: NOW - 10, event: 'postToolUse', fields: ['chat', 'tool'] };
    const write = (events: Record<string, number>, at = NOW) =>
      writeFileSync(file('data', 'hooks-heard.json'), JSON.stringify({ cursor: { at, events, unknown } }));
    const warning = {
      state: 'warning',
      advice: expect.stringMatching(/postToolUse with fields that Infold does not know \(chat, tool\)/),
    };
    write({ postToolUse: NOW - 20 }, NOW - 20);
    expect((await look()).Cursor).toMatchObject(warning);
    // That others are understood says nothing of this one.
    write({ postToolUse: NOW - 20, sessionStart: NOW });
    expect((await look()).Cursor).toMatchObject(warning);
    write({ postToolUse: NOW });
    expect((await look()).Cursor!.state).toBe('ok');
    unknown.at = NOW - 8 * 24 * HOUR;
    write({});
    expect((await look()).Cursor!.state).toBe('ok');
  });

  test('takes a hook that was run without a payload for no fault of the host', async () => {
    await install('cursor');
    const empty = { at: NOW - 10, event: 'sessionStart' };
    const write = (told: object) =>
      writeFileSync(
        file('data', 'hooks-heard.json'),
        JSON.stringify({ cursor: { events: {}, empty, ...told } }),
      );
    write({});
    expect((await look()).Cursor).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/no hook has run yet; sessionStart was run without a payload just now$/),
    });
    write({ at: NOW });
    expect((await look()).Cursor!.detail).toMatch(/last hook just now$/);
  });

  test('tells that the plugin of Claude Code is there as well', async () => {
    await install('claude-code');
    edit(file('home', '.claude', 'settings.json'), (text) =>
      text.replace('{', '{ "enabledPlugins": { "infold@infold": true, "other@x": true },'),
    );
    expect((await look())['Claude Code']).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('also has the plugin infold@infold'),
    });
  });

  test('tells what waits, and what was lost', async () => {
    mkdirSync(file('data', 'spool'));
    writeFileSync(file('data', 'spool', '1-2048-a.json'), '{}');
    writeFileSync(file('data', 'spool', 'dropped'), '...');
    const { hooks } = await look();
    expect(hooks).toMatchObject({ state: 'warning' });
    expect(hooks!.detail).toMatch(/1 event waits for a server \(2 KiB\); 3 were lost/);
  });

  test('says that the record is damaged', async () => {
    writeFileSync(file('data', 'installs.json'), '{');
    expect((await look()).hosts).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('damaged'),
    });
  });
});

function withFile(name: string): Record<string, string> {
  writeFileSync(file(name), '{}');
  return {};
}

describe('trust', () => {
  test('of Codex, hook by hook, and again when one changed', async () => {
    await install('codex');
    const path = file('home', '.codex', 'hooks.json');
    expect((await look()).Codex!.advice).toMatch(
      /skips hooks until you trust them \(SessionStart, .*\/hooks/,
    );
    const { hooks } = JSON.parse(readFileSync(path, 'utf8')) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    const states = Object.entries(hooks).map(([event, [group]]) => {
      const hash = trustHash(event, group!, group!.hooks[0]!);
      return `[hooks.state."${trustKey(path, event, 0, 0)}"]\ntrusted_hash = "${hash}"\n`;
    });
    edit(file('home', '.codex', 'config.toml'), (text) => `${text}\n${states.join('\n')}`);
    expect((await look()).Codex!.state).toBe('ok');
    edit(path, (text) => text.replace('codex PreCompact', 'codex PreCompact --more'));
    expect((await look()).Codex!.advice).toContain('until you trust them (PreCompact)');
  });

  test('of Codex is what its own program takes', () => {
    // What Codex 0.166 was seen to take the hash of.
    const handler = { type: 'command', command: 'true', timeout: 10 };
    expect(trustKey('/x/hooks.json', 'PostToolUse', 0, 1)).toBe('/x/hooks.json:post_tool_use:0:1');
    const text =
      '{"event_name":"post_tool_use","hooks":[{"async":false,"command":"true","timeout":10,"type":"command"}],"matcher":".*"}';
    expect(trustHash('PostToolUse', { matcher: '.*' }, handler)).toBe(sha256(text));
    expect(trustHash('PostToolUse', {}, { type: 'command', command: 'true' })).toBe(
      sha256(
        '{"event_name":"post_tool_use","hooks":[{"async":false,"command":"true","timeout":600,"type":"command"}]}',
      ),
    );
  });

  test('of Gemini CLI, for a folder and what is below', async () => {
    expect(isTrustedFolder('/a/b/c', { '/a/b': 'TRUST_FOLDER' })).toBe(true);
    expect(isTrustedFolder('/a/b/c', { '/a/b/c': 'DO_NOT_TRUST' })).toBe(false);
    expect(isTrustedFolder('/a/b', { '/a/x': 'TRUST_PARENT' })).toBe(true);
    expect(isTrustedFolder('/ab', { '/a': 'TRUST_FOLDER' })).toBe(false);
    await install('gemini');
    expect((await look())['Gemini CLI']!.advice).toContain('have not trusted');
    const trusted = { [places.project]: 'TRUST_FOLDER' };
    writeFileSync(file('home', '.gemini', 'trustedFolders.json'), JSON.stringify(trusted));
    expect((await look())['Gemini CLI']!.state).toBe('ok');
  });
});

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
