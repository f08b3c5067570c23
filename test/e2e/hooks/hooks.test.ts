import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type LastReports,
  readLastReports,
} from '../../../packages/server/src/hooks/delivery/last-reports.ts';
import { readSpool } from '../../../packages/server/src/hooks/delivery/spool.ts';
import { verifies } from '../../requirements.ts';
import { claude, HOOK, hook, SILENT, toolUse, waiting } from '../support/hooks.ts';
import {
  connectStdio,
  isRunning,
  PROGRAM,
  post,
  run,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';

const hears = (data: string, condition: (heard: LastReports) => boolean) =>
  until(() => condition(readLastReports(data)), 30_000);

describe('with a server', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
    await until(() => existsSync(join(server.data, 'hooks.sock')), 30_000);
  });
  afterAll(() => server.stop());

  test('a hook is heard and ends well; nothing waits', async () => {
    verifies('HOST-02');
    expect(await hook(server.data, 'claude-code', 'PostToolUse', toolUse('t1'))).toMatchObject(SILENT);
    await hears(server.data, (heard) => heard['claude-code']?.events.PostToolUse !== undefined);
    expect(waiting(server.data)).toEqual([]);
    expect(statSync(join(server.data, 'hooks.sock')).mode & 0o777).toBe(0o600);
  });

  test('the command line knows it too, wherever its options stand, and explains it', async () => {
    const end = claude('SessionEnd', { reason: 'other' });
    const program = [PROGRAM, '--log-level', 'warn', 'hook'];
    expect(await hook(server.data, 'codex', 'SessionEnd', end, { program })).toMatchObject(SILENT);
    await hears(server.data, (heard) => heard.codex?.events.SessionEnd !== undefined);
    const help = await run(['hook', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('claude-code');
  });

  test('what comes over HTTP is the same', async () => {
    verifies('HOST-02');
    const response = await post(`${server.url}/hooks/qwen`, claude('SessionEnd'));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({});
    await hears(server.data, (heard) => heard.qwen?.events.SessionEnd !== undefined);
    const garbage = await post(`${server.url}/hooks/qwen`, '{"session_id":');
    expect([garbage.status, await garbage.text()]).toEqual([200, '{}']);
    const unknown = await post(`${server.url}/hooks/zed`, {});
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: expect.stringContaining('claude-code') });
  });

  test('garbage, nothing, no text or another shape is answered with silence, and only the last is told', async () => {
    verifies('HOST-02');
    const payloads = {
      codex: '{"session_id": not json',
      gemini: '',
      pi: '\u0000\u00ff',
      cursor: '{"session":{}}',
    };
    await Promise.all(
      Object.entries(payloads).map(async ([host, payload]) => {
        expect(await hook(server.data, host, 'Unheard', payload)).toMatchObject(SILENT);
      }),
    );
    const unreadable = ['codex', 'gemini', 'pi'] as const;
    await hears(
      server.data,
      (heard) =>
        heard.cursor?.unknown?.event === 'Unheard' &&
        unreadable.every((host) => heard[host]?.empty?.event === 'Unheard'),
    );
    const heard = readLastReports(server.data);
    expect(heard.cursor!.unknown!.fields).toEqual(['session']);
    for (const host of unreadable) expect(heard[host]).not.toHaveProperty('unknown');
  });

  test('a large payload arrives whole', async () => {
    const large = toolUse('t2', 'x'.repeat(3_000_000));
    expect((await hook(server.data, 'qwen', 'PostToolUse', large)).code).toBe(0);
    await hears(server.data, (heard) => heard.qwen?.events.PostToolUse !== undefined);
  });

  test('a host that never closes its end is heard and not kept', async () => {
    verifies('HOST-02');
    const end = claude('SessionEnd');
    expect(await hook(server.data, 'claude-code', 'SessionEnd', end, { keepsOpen: true })).toMatchObject(
      SILENT,
    );
    await hears(server.data, (heard) => heard['claude-code']?.events.SessionEnd !== undefined);
    expect(readSpool(server.data)).toMatchObject({ waiting: 0, dropped: 0 });
  });

  test('a second host that runs the first one’s hooks is silent', async () => {
    verifies('HOST-02');
    const start = claude('SessionStart', { session_id: 'cursor-1', source: 'startup' });
    const inPayload = { ...start, cursor_version: '3.1.0', workspace_roots: ['/home/someone/shop'] };
    expect(await hook(server.data, 'claude-code', 'SessionStart', inPayload)).toMatchObject(SILENT);
    const env = { CURSOR_VERSION: '3.1.0' };
    expect(await hook(server.data, 'claude-code', 'SessionStart', start, { env })).toMatchObject(SILENT);
    await hears(server.data, (heard) => heard['claude-code']?.foreign !== undefined);
    expect(JSON.stringify(await runJson(server.data, 'sessions'))).not.toContain('cursor-1');
  });

  test('a token is needed over HTTP where tokens are', async () => {
    const other = await startServer();
    const { token } = await runJson<{ token: string }>(other.data, 'token', 'create', '--name', 'alice');
    const send = (headers: Record<string, string>) =>
      post(`${other.url}/hooks/codex`, claude('SessionEnd'), headers);
    const reader = ['token', 'create', '--name', 'bob', '--scope', 'read'] as const;
    const { token: reading } = await runJson<{ token: string }>(other.data, ...reader);
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: `Bearer ${reading}` })).status).toBe(403);
    expect((await send({ authorization: `Bearer ${token}` })).status).toBe(200);
    await other.stop();
  });
});

describe('without anybody who listens', () => {
  test('an event waits privately, and is taken in by the next server', async () => {
    verifies('HOST-02');
    const data = temporaryFolder();
    expect(await hook(data, 'claude-code', 'PostToolUse', toolUse('t1'))).toMatchObject(SILENT);
    expect(await hook(data, 'claude-code', 'SessionEnd', claude('SessionEnd'))).toMatchObject(SILENT);
    expect(waiting(data)).toHaveLength(2);
    for (const name of waiting(data)) expect(statSync(join(data, 'spool', name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'spool')).mode & 0o777).toBe(0o700);
    const server = await startServer({ data });
    await until(() => waiting(data).length === 0, 30_000);
    await server.stop();
    expect(Object.keys(readLastReports(data)['claude-code']!.events).sort()).toEqual([
      'PostToolUse',
      'SessionEnd',
    ]);
  });

  test('what came whole waits though the host left its end open, and what did not is counted as lost', async () => {
    verifies('HOST-02');
    const data = temporaryFolder();
    const whole = JSON.stringify(toolUse('t1'));
    const keepsOpen = true;
    expect(await hook(data, 'claude-code', 'PostToolUse', whole, { keepsOpen })).toMatchObject(SILENT);
    expect(readSpool(data)).toMatchObject({ waiting: 1, dropped: 0 });
    const [name] = waiting(data);
    expect(JSON.parse(readFileSync(join(data, 'spool', name!), 'utf8')).payload).toBe(whole);
    for (const part of [whole.slice(0, -1), '']) {
      expect(await hook(data, 'claude-code', 'PostToolUse', part, { keepsOpen })).toMatchObject(SILENT);
    }
    expect(readSpool(data)).toMatchObject({ waiting: 1, dropped: 2 });
  });

  test('what a server that was killed left is no obstacle', async () => {
    verifies('HOST-02');
    const server = await startServer();
    await until(() => existsSync(join(server.data, 'hooks.sock')), 30_000);
    server.process.kill('SIGKILL');
    await server.ended;
    expect(existsSync(join(server.data, 'hooks.sock'))).toBe(true);
    expect(await hook(server.data, 'claude-code', 'PostToolUse', toolUse('t1'))).toMatchObject(SILENT);
    expect(waiting(server.data)).toHaveLength(1);
  });

  test('a server that hangs is not waited for, and the event is kept', async () => {
    verifies('HOST-02');
    const data = temporaryFolder();
    const hanging = createServer(() => {}).listen(join(data, 'hooks.sock'));
    onTestFinished(() => void hanging.close());
    expect(await hook(data, 'claude-code', 'PostToolUse', toolUse('t1'))).toMatchObject(SILENT);
    expect(waiting(data)).toHaveLength(1);
  });

  test('a session’s start waits for the server that the host has just started', async () => {
    verifies('HOST-02');
    const data = temporaryFolder();
    const answered = hook(data, 'claude-code', 'SessionStart', claude('SessionStart', { source: 'startup' }));
    const said = `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Awake."}}`;
    const late = createServer((socket) => void socket.once('data', () => socket.end(`${said}\n`)));
    onTestFinished(() => void late.close());
    late.listen(join(data, 'hooks.sock'));
    expect(await answered).toMatchObject({ code: 0, stdout: `${said}\n`, stderr: '' });
    expect(waiting(data)).toEqual([]);
  });

  test('one that goes on after a compaction waits for nobody', async () => {
    verifies('HOST-02');
    const [begins, goesOn] = [temporaryFolder(), temporaryFolder()];
    // From the start of its hook on, which its name begins with.
    const waitedFor = (data: string) => {
      const [name] = waiting(data);
      return statSync(join(data, 'spool', name!)).mtimeMs - Number.parseInt(name!, 10);
    };
    const start = (data: string, source: string) =>
      hook(data, 'claude-code', 'SessionStart', claude('SessionStart', { source }));
    expect(await start(goesOn, 'compact')).toMatchObject(SILENT);
    expect(await start(begins, 'resume')).toMatchObject(SILENT);
    expect(waitedFor(goesOn)).toBeLessThan(2400);
    expect(waitedFor(begins)).toBeGreaterThan(2400);
  });

  test.each(['gone', 'a file', 'no folder for what waits'])('a data folder that is %s', async (what) => {
    verifies('HOST-02');
    const data = join(temporaryFolder(), 'data');
    if (what === 'a file') writeFileSync(data, 'not a folder');
    if (what === 'no folder for what waits') {
      mkdirSync(data);
      writeFileSync(join(data, 'spool'), 'not a folder');
    }
    for (const event of ['PostToolUse', 'SessionStart']) {
      expect(await hook(data, 'claude-code', event, toolUse('t1'))).toMatchObject(SILENT);
    }
    expect(existsSync(data)).toBe(what !== 'gone');
  });

  test('the data folder is the one of the environment, else the one in the home folder', async () => {
    const home = temporaryFolder();
    const data = join(home, '.infold');
    mkdirSync(data);
    const input = JSON.stringify(claude('SessionEnd'));
    const words = ['hook', 'codex', 'SessionEnd'];
    expect(await run(words, { env: { HOME: home }, input })).toMatchObject(SILENT);
    expect(waiting(data)).toHaveLength(1);
    const other = temporaryFolder();
    expect(await run(words, { env: { HOME: home, INFOLD_DATA: other }, input })).toMatchObject(SILENT);
    expect([waiting(data).length, waiting(other).length]).toEqual([1, 1]);
  });

  test('a command that was written wrongly is silent too', async () => {
    const data = temporaryFolder();
    for (const args of [[], ['claude-code'], ['nobody', 'Stop'], ['claude-code', 'Stop', '--what']]) {
      expect(await run(['hook', ...args, '--data', data], { input: '{}' })).toMatchObject(SILENT);
    }
  });
});

describe('who listens', () => {
  test('the first stdio process, then the next one, then a server', async () => {
    verifies('HOST-02');
    const data = temporaryFolder();
    const address = join(data, 'hooks.sock');
    const first = await connectStdio('2025', data);
    await until(() => existsSync(address), 30_000);
    const { ino } = statSync(address);
    const second = await connectStdio('2025', data);
    expect(await hook(data, 'codex', 'SessionEnd', claude('SessionEnd'))).toMatchObject(SILENT);
    await hears(data, (heard) => heard.codex !== undefined);
    expect(statSync(address).ino).toBe(ino);
    process.kill(first.pid, 'SIGKILL');
    await until(() => !isRunning(first.pid), 30_000);
    expect(await hook(data, 'gemini', 'SessionEnd', claude('SessionEnd'))).toMatchObject(SILENT);
    await hears(data, (heard) => heard.gemini !== undefined);
    expect(waiting(data)).toEqual([]);
    const { ino: former } = statSync(address);
    const server = await startServer({ data });
    await until(() => (statSync(address, { throwIfNoEntry: false })?.ino ?? former) !== former, 30_000);
    await server.stop();
    // The process of the host hears them again.
    expect(await hook(data, 'qwen', 'SessionEnd', claude('SessionEnd'))).toMatchObject(SILENT);
    await hears(data, (heard) => heard.qwen !== undefined);
    await second.client.close();
    await until(() => !existsSync(address), 30_000);
  });

  test('a data folder with a long path has its socket elsewhere', async () => {
    verifies('HOST-02');
    const data = join(temporaryFolder(), 'a'.repeat(90));
    const server = await startServer({ data });
    await until(async () => {
      await hook(data, 'codex', 'SessionEnd', claude('SessionEnd'));
      return waiting(data).length === 0;
    }, 30_000);
    expect(existsSync(join(data, 'hooks.sock'))).toBe(false);
    await server.stop();
    expect(readLastReports(data).codex?.events.SessionEnd).toBeGreaterThan(0);
  });
});

test('the program that hosts start loads nothing of the server, and nothing that is installed', () => {
  verifies('HOST-02');
  const source = readFileSync(HOOK, 'utf8');
  expect(source).not.toMatch(/^\s*import\b|\brequire\(|\bimport\(/m);
  const loaded = [...source.matchAll(/getBuiltinModule\('([^']+)'\)/g)].map(([, name]) => name);
  expect(new Set(loaded)).toEqual(new Set(['node:fs', 'node:path', 'node:os', 'node:net', 'node:crypto']));
});
