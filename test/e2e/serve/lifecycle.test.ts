import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  ERAS,
  environment,
  initializeCall,
  isRunning,
  modernStatusCall,
  PROGRAM,
  post,
  start,
  startServer,
  statusCall,
  temporaryFolder,
  until,
} from '../support/program.ts';

const branchArguments = {
  session_id: 'one-window',
  description: 'Slow',
  prompt: 'Waits for the lock',
  project_path: '/home/someone/shop',
};

/** Holds the journal, as another process would: a call that writes is in flight until it is let go. */
async function holdJournal(data: string): Promise<() => void> {
  const database = await openDatabase(join(data, 'infold.db'), { blockingWait: 2000 });
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

/** Long enough for a call to have reached the journal. */
const SENT = 400;
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const START = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url));

describe('serve', () => {
  test('says on the first line of stdout where it listens, and nothing else there', async () => {
    verifies('KERN-13');
    const data = join(temporaryFolder(), 'made', 'on', 'the', 'way');
    const server = await startServer({ data });
    expect(server.stdout()).toMatch(/^infold listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(server.port).toBeGreaterThan(0);
    expect((await post(`${server.url}/mcp`, statusCall)).status).toBe(200);
    const { stdout } = await server.stop();
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  test('listens on the loopback address alone unless told otherwise', async () => {
    const server = await startServer();
    expect(server.url).toContain('127.0.0.1');
    const other = await startServer({ args: ['--host', '127.0.0.2'] });
    expect((await fetch(`${other.url}/healthz`)).status).toBe(200);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it with 0, at once when nothing is in flight',
    async (signal) => {
      verifies('KERN-15');
      const server = await startServer();
      await post(`${server.url}/mcp`, statusCall);
      const began = performance.now();
      server.process.kill(signal);
      expect((await server.ended).code).toBe(0);
      expect(performance.now() - began).toBeLessThan(3500);
    },
  );

  test.each(ERAS)('SIGTERM: a call in flight is answered first (%s)', async (era) => {
    verifies('KERN-15');
    const server = await startServer();
    const client = await connectHttp(`${server.url}/mcp`, era);
    await callTool(client, 'context_branch', branchArguments);
    const letGo = await holdJournal(server.data);
    const call = callTool(client, 'context_branch', branchArguments);
    await wait(SENT);
    server.process.kill('SIGTERM');
    await wait(300);
    expect(isRunning(server.process.pid!)).toBe(true);
    letGo();
    expect(await call).toMatchObject({ isError: false, structuredContent: { branch_depth: 2 } });
    expect((await server.ended).code).toBe(0);
  });

  test('SIGTERM: a request that is still being sent is answered', async () => {
    verifies('KERN-15');
    const server = await startServer();
    const body = JSON.stringify(statusCall);
    const socket = connect(server.port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`${head}\r\n\r\n${body.slice(0, 20)}`);
    await wait(200);
    server.process.kill('SIGTERM');
    await wait(200);
    socket.write(body.slice(20));
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*"isError":false/s);
    expect((await server.ended).code).toBe(0);
  });

  test('SIGTERM: open notification streams do not hold it up', async () => {
    const server = await startServer();
    const begun = await post(`${server.url}/mcp`, initializeCall);
    const headers = { 'mcp-session-id': begun.headers.get('mcp-session-id')!, accept: 'text/event-stream' };
    const stream = await fetch(`${server.url}/mcp`, { headers });
    expect(stream.status).toBe(200);
    const began = performance.now();
    expect((await server.stop()).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(3500);
    await stream.text().catch(() => {});
  });

  test('while stopping it takes no new connections', async () => {
    const server = await startServer();
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    await callTool(client, 'context_branch', branchArguments);
    const letGo = await holdJournal(server.data);
    const call = callTool(client, 'context_branch', branchArguments);
    await wait(SENT);
    server.process.kill('SIGTERM');
    await wait(200);
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => resolve(true));
      socket.on('connect', () => resolve(false));
    });
    letGo();
    expect(refused).toBe(true);
    expect((await call).isError).toBe(false);
  });

  test('a second signal ends it at once', async () => {
    const server = await startServer();
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    await callTool(client, 'context_branch', branchArguments);
    const letGo = await holdJournal(server.data);
    const call = callTool(client, 'context_branch', branchArguments).catch(() => undefined);
    await wait(SENT);
    server.process.kill('SIGTERM');
    await wait(SENT);
    server.process.kill('SIGTERM');
    expect((await server.ended).code).toBe(1);
    letGo();
    await call;
  });
});

describe('npm start', () => {
  test('ends with the shell that npm ran it in', async () => {
    verifies('KERN-15');
    const words = [process.execPath, START, '--port', '0', '--data', temporaryFolder()];
    const shell = spawn('sh', ['-c', `"$@" & echo "pid $!"; wait`, 'sh', ...words], { env: environment() });
    let said = '';
    shell.stdout.on('data', (text) => {
      said += text;
    });
    await until(() => said.includes('listening on'), 120_000);
    const pid = Number(/pid (\d+)/.exec(said)![1]);
    shell.kill('SIGKILL');
    await until(() => !isRunning(pid));
  });
});

describe('stdio', () => {
  test.each(ERAS)('ends with 0 when its host closes the input (%s)', async (era) => {
    verifies('KERN-15');
    const running = start(['stdio', '--data', temporaryFolder()]);
    const first = era === '2026' ? modernStatusCall : initializeCall;
    running.process.stdin!.write(`${JSON.stringify(first)}\n`);
    await until(() => running.stdout().includes('"result"'));
    running.process.stdin!.end();
    const began = performance.now();
    expect((await running.ended).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('ends with 0 when its host closes the input without having said anything', async () => {
    verifies('KERN-15');
    expect((await start(['stdio', '--data', temporaryFolder()], { input: '' }).ended).code).toBe(0);
  });

  test('ends within 5 s when its host is killed', async () => {
    verifies('KERN-15');
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ${JSON.stringify([PROGRAM, 'stdio', '--data', temporaryFolder()])});
      child.stdout.once('data', () => console.log(child.pid));
      child.stdin.write(${JSON.stringify(`${JSON.stringify(initializeCall)}\n`)});
      setInterval(() => {}, 1000);
    `;
    const host = spawn(process.execPath, ['-e', script], { env: environment() });
    const pid = Number(
      await new Promise<string>((resolve) => host.stdout.once('data', (text) => resolve(`${text}`))),
    );
    expect(isRunning(pid)).toBe(true);
    host.kill('SIGKILL');
    await until(() => !isRunning(pid), 60_000);
  });

  test('SIGTERM ends it with 0', async () => {
    verifies('KERN-15');
    const running = start(['stdio', '--data', temporaryFolder()]);
    running.process.stdin!.write(`${JSON.stringify(initializeCall)}\n`);
    await until(() => running.stdout().includes('"result"'));
    running.process.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });

  test.each(['the input has ended', 'SIGTERM'])('answers a call in flight when %s', async (how) => {
    verifies('KERN-15');
    const data = temporaryFolder();
    const running = start(['stdio', '--data', data]);
    const send = (id: number, method: string, params: unknown) =>
      running.process.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const branch = { name: 'context_branch', arguments: branchArguments };
    send(0, 'initialize', initializeCall.params);
    send(1, 'tools/call', branch);
    await until(() => running.stdout().includes('"id":1'));
    const letGo = await holdJournal(data);
    send(2, 'tools/call', branch);
    await wait(SENT);
    if (how === 'SIGTERM') running.process.kill('SIGTERM');
    else running.process.stdin!.end();
    await wait(200);
    letGo();
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    const last = JSON.parse(stdout.trim().split('\n').at(-1)!);
    expect(last).toMatchObject({ id: 2, result: { isError: false } });
  });

  test('what was piped in is answered before it ends', async () => {
    const lines = [initializeCall, { jsonrpc: '2.0', method: 'notifications/initialized' }, statusCall];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { code, stdout } = await start(['stdio', '--data', temporaryFolder()], { input }).ended;
    expect(code).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    expect(answers.map(({ id }) => id)).toEqual([0, 1]);
  });
});
