import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { HookSocket, type SocketAnswer, socketAddress } from './socket.ts';

const echo: SocketAnswer = async (line) => `heard ${line.trim()}`;

async function listen(address: string, takesOver = false, answer = echo): Promise<HookSocket | undefined> {
  const socket = await HookSocket.listen(address, answer, takesOver);
  if (socket) onTestFinished(() => socket.close(0));
  return socket;
}

/** What is answered, or undefined where the connection ended badly. */
function say(address: string, text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(address, () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => resolve(undefined));
    socket.on('end', () => resolve(answer));
  });
}

const addressIn = (folder: string) => socketAddress(folder);

test('a line is answered with a line, and the socket is its owner’s alone', async () => {
  verifies('HOST-02');
  const folder = temporaryFolder();
  await listen(addressIn(folder));
  expect(await say(addressIn(folder), '{"a":1}\n')).toBe('heard {"a":1}\n');
  expect(statSync(addressIn(folder)).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['hooks.sock']);
});

test('a message that comes in pieces is heard whole', async () => {
  const address = addressIn(temporaryFolder());
  await listen(address, false, async (line) => String(line.length));
  expect(await say(address, `${'x'.repeat(3_000_000)}\n`)).toBe('3000001\n');
});

test('what was not taken in is not answered', async () => {
  verifies('HOST-02');
  const address = addressIn(temporaryFolder());
  let fails = false;
  await listen(address, false, () =>
    fails ? Promise.reject(new Error('a bug')) : Promise.resolve(undefined),
  );
  expect(await say(address, 'a\n')).not.toBe('\n');
  fails = true;
  expect(await say(address, 'a\n')).not.toBe('\n');
});

test('who does not wait for the answer is known to have gone', async () => {
  verifies('HOST-02');
  const address = addressIn(temporaryFolder());
  const left = new Promise<void>((resolve) => {
    void listen(address, false, (_line, gone) => {
      gone.addEventListener('abort', () => resolve());
      return new Promise(() => {});
    }).then(() => {
      const hasty = connect(address, () => hasty.write('a\n', () => hasty.destroy()));
    });
  });
  await left;
});

test('one process listens; another takes over only where it should', async () => {
  verifies('HOST-02');
  const address = addressIn(temporaryFolder());
  const first = (await listen(address))!;
  expect(await listen(address)).toBeUndefined();
  expect(first.isHeard).toBe(true);
  const second = (await listen(address, true, async () => 'the second'))!;
  expect(first.isHeard).toBe(false);
  expect(await say(address, 'a\n')).toBe('the second\n');
  // It must not take the other one's name away.
  await first.close(0);
  expect(second.isHeard).toBe(true);
  expect(await say(address, 'a\n')).toBe('the second\n');
  await second.close(0);
  expect(existsSync(address)).toBe(false);
});

test('what a process that was killed left is replaced', async () => {
  verifies('HOST-02');
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'hooks.sock'), 'not even a socket');
  await listen(addressIn(folder));
  expect(await say(addressIn(folder), 'a\n')).toBe('heard a\n');
});

test('a socket that somebody removed is missed', async () => {
  const address = addressIn(temporaryFolder());
  const socket = (await listen(address))!;
  rmSync(address);
  expect(socket.isHeard).toBe(false);
});

test('who says nothing does not keep the process from ending', async () => {
  const address = addressIn(temporaryFolder());
  const socket = (await listen(address))!;
  const silent = connect(address);
  onTestFinished(() => void silent.destroy());
  silent.on('error', () => {});
  await new Promise((resolve) => silent.once('connect', resolve));
  await socket.close(0);
});

test('a folder whose path is too long has its socket elsewhere, in a private folder', async () => {
  const folder = join(temporaryFolder(), 'a'.repeat(100));
  mkdirSync(folder);
  const address = addressIn(folder);
  expect(Buffer.byteLength(address)).toBeLessThan(100);
  expect(address).not.toBe(addressIn(`${folder}b`));
  await listen(address);
  expect(await say(address, 'a\n')).toBe('heard a\n');
  expect(statSync(join(address, '..')).mode & 0o077).toBe(0);
});
