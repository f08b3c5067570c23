import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Hooks } from '../packages/client/src/host/hooks.ts';
import { socketAddress as addressForPlugins } from '../packages/client/src/host/socket.ts';
import { socketAddress } from '../packages/server/src/hooks/delivery/socket.ts';
import { readSpool, takeIn } from '../packages/server/src/hooks/delivery/spool.ts';
import { verifies } from './requirements.ts';

/** Plugins cannot import the server: what they do by its rules is held to them here. */
function dataFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'infold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, name));
  return join(folder, name);
}

test.each(['data', 'a-very-long-name-'.repeat(8)])('plugins find whoever listens in %s', async (name) => {
  const data = dataFolder(name);
  expect(addressForPlugins(data)).toBeUndefined();
  const address = socketAddress(data);
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(address, resolve);
  });
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  expect(addressForPlugins(data)).toBe(address);
});

test('what plugins spool is taken in', async () => {
  verifies('HOST-02');
  const data = dataFolder('data');
  const hooks = new Hooks({ host: 'pi', data, folder: '/project' });
  await hooks.tell('PostToolUse', 'ses_1', { tool_name: 'bash', tool_response: 'é' });
  const { waiting, bytes } = readSpool(data);
  expect(waiting).toBe(1);
  const lines: string[] = [];
  const take = async (line: string) => lines.push(line) > 0;
  await takeIn(data, take, new AbortController().signal);
  expect(lines.map((line) => Buffer.byteLength(line))).toEqual([bytes]);
  expect(readSpool(data).waiting).toBe(0);
});
