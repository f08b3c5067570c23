import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Server } from './server.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'infold-pi-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server of a few lines: `answer` gets each request, and says what to write. */
async function start(answer: string): Promise<Server> {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(
    path,
    `import { createInterface } from 'node:readline';
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return write({ id, result: { protocolVersion: params.protocolVersion } });
  ${answer}
});`,
  );
  const server = await Server.start([process.execPath, path], folder);
  onTestFinished(() => server.close());
  return server;
}

describe('a server', () => {
  test('lists its tools, page by page', async () => {
    const server = await start(`
      if (method === 'tools/list') write({ id, result: params.cursor
        ? { tools: [{ name: 'b', inputSchema: {} }] }
        : { tools: [{ name: 'a', inputSchema: {} }], nextCursor: 'more' } });`);
    expect((await server.tools()).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('is called with what the host knows of the call', async () => {
    const server = await start(`
      if (method === 'tools/call') write({ id, result: { content: [{ type: 'text', text: JSON.stringify(params) }] } });`);
    const { content } = await server.call('remember', { content: 'x' }, { callId: 'call_1' });
    expect(JSON.parse(content![0]!.text!)).toEqual({
      ...{ name: 'remember', arguments: { content: 'x' } },
      _meta: { callId: 'call_1' },
    });
  });

  test('is answered in what it asks of a client, and what it says in between is passed over', async () => {
    const server = await start(`
      if (method === 'tools/call') {
        process.stdout.write('no JSON\\n');
        write({ method: 'notifications/message', params: {} });
        write({ id: 'own', method: 'roots/list' });
        globalThis.asked = id;
      } else if (id === 'own') write({ id: globalThis.asked, result: { content: [], isError: true } });`);
    expect(await server.call('a', {}, {})).toEqual({ content: [], isError: true });
  });

  test('that refuses a call says why', async () => {
    const server = await start(
      `if (method === 'tools/call') write({ id, error: { code: -32602, message: 'No such tool' } });`,
    );
    await expect(server.call('a', {}, {})).rejects.toThrow('No such tool');
  });

  test('that ends lets nobody wait', async () => {
    const server = await start(`if (method === 'tools/call') process.exit(3);`);
    await expect(server.call('a', {}, {})).rejects.toThrow('exit code 3');
    await expect(server.call('a', {}, {})).rejects.toThrow('exit code 3');
  });

  test('is told that a call was stopped', async () => {
    const server = await start(`
      if (method === 'notifications/cancelled') globalThis.cancelled = params.requestId;
      if (method === 'tools/call' && params.name === 'what') write({ id, result: { isError: globalThis.cancelled === 2 } });`);
    const stopping = new AbortController();
    const call = server.call('slow', {}, {}, stopping.signal);
    stopping.abort();
    await expect(call).rejects.toThrow('stopped');
    expect(await server.call('what', {}, {})).toEqual({ isError: true });
  });
});

test('a program that is not there is an error, and nothing else', async () => {
  await expect(Server.start([join(folder, 'missing')], folder)).rejects.toThrow('ENOENT');
});
