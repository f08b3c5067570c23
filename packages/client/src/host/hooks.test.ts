import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { dataFolder, Hooks } from './hooks.ts';

let data: string;
let server: Server | undefined;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'infold-host-'));
});
afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
  rmSync(data, { recursive: true, force: true });
});

const heard: Record<string, unknown>[] = [];

/** Answers each line as told; undefined hangs up. */
async function listen(answer: (payload: Record<string, unknown>) => string | undefined): Promise<void> {
  heard.length = 0;
  server = createServer((socket) => {
    let line = '';
    socket.on('data', (chunk) => {
      line += chunk;
      if (!line.endsWith('\n')) return;
      const frame = JSON.parse(line);
      heard.push(frame);
      const text = answer(JSON.parse(frame.payload));
      if (text === undefined) socket.destroy();
      else socket.end(`${text}\n`);
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => {
    server!.listen(join(data, 'hooks.sock'), resolve);
  });
}

const hooks = () => new Hooks({ host: 'opencode', data, folder: '/project' });
const context = (additionalContext: string) =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } });

describe('an event', () => {
  test('is told in the words of hooks, and what Infold says comes back', async () => {
    await listen(() => context('Two rules are in force.'));
    expect(await hooks().tell('SessionStart', 'ses_1', { source: 'startup' })).toBe(
      'Two rules are in force.',
    );
    expect(heard).toEqual([
      expect.objectContaining({ v: 1, host: 'opencode', event: 'SessionStart', id: expect.any(String) }),
    ]);
    expect(heard[0]!.ancestors).toContain(process.pid);
    expect(JSON.parse(heard[0]!.payload as string)).toEqual({
      session_id: 'ses_1',
      cwd: '/project',
      hook_event_name: 'SessionStart',
      source: 'startup',
    });
  });

  test.each(['', '{}', 'no JSON', '{"hookSpecificOutput":7}'])(
    'answered with %j says nothing',
    async (text) => {
      await listen(() => text);
      expect(await hooks().tell('SessionStart', 'ses_1')).toBeUndefined();
    },
  );

  test('that nobody hears waits in the spool, for its owner alone', async () => {
    verifies('HOST-02');
    expect(await hooks().tell('PostToolUse', 'ses_1', { tool_name: 'bash' })).toBeUndefined();
    const [name, ...others] = readdirSync(join(data, 'spool'));
    expect(others).toEqual([]);
    const path = join(data, 'spool', name!);
    expect(statSync(path).mode & 0o077).toBe(0);
    const { payload } = JSON.parse(readFileSync(path, 'utf8'));
    expect(JSON.parse(payload)).toMatchObject({ session_id: 'ses_1', tool_name: 'bash' });
    expect(Number(name!.split('-')[1])).toBe(statSync(path).size);
  });

  test('waits for somebody who is about to listen', async () => {
    const said = hooks().tell('SessionStart', 'ses_1', {}, 20_000);
    await listen(() => context('Woken.'));
    expect(await said).toBe('Woken.');
    expect(readdirSync(data)).toEqual(['hooks.sock']);
  });

  test('that was not taken in waits, too', async () => {
    await listen(() => undefined);
    await hooks().tell('PostToolUse', 'ses_1');
    expect(readdirSync(join(data, 'spool'))).toHaveLength(1);
  });

  test('that finds the spool full is counted, and lost', async () => {
    mkdirSync(join(data, 'spool'));
    writeFileSync(join(data, 'spool', `1-${16 * 1024 * 1024}-1.json`), '');
    await hooks().tell('PostToolUse', 'ses_1');
    expect(readdirSync(join(data, 'spool')).sort()).toEqual([`1-${16 * 1024 * 1024}-1.json`, 'dropped']);
  });

  test('leaves nothing where there is no data folder', async () => {
    rmSync(data, { recursive: true });
    expect(await hooks().tell('PostToolUse', 'ses_1')).toBeUndefined();
    expect(statSync(data, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('originals', () => {
  const originals = [{ handle: `win_${'a'.repeat(20)}`, text: 'a long log' }];

  test('are kept when Infold says so for all of them', async () => {
    await listen((payload) => JSON.stringify({ kept: (payload.originals as unknown[]).length }));
    expect(await hooks().keep('ses_1', originals)).toBe(true);
  });

  test.each(['', '{"kept":0}', 'no JSON', undefined])('are not when it answers %j', async (text) => {
    await listen(() => text);
    expect(await hooks().keep('ses_1', originals)).toBe(false);
  });

  test('are never spooled: who leaves them out must know that they are there', async () => {
    expect(await hooks().keep('ses_1', originals)).toBe(false);
    expect(readdirSync(data)).toEqual([]);
  });
});

test('the data folder is what it is told, the environment says, or the usual one', () => {
  expect(dataFolder('/data')).toBe('/data');
  process.env.INFOLD_DATA = '/of-the-environment';
  try {
    expect(dataFolder(undefined)).toBe('/of-the-environment');
  } finally {
    delete process.env.INFOLD_DATA;
  }
  expect(dataFolder('')).toMatch(/\.infold$/);
});
