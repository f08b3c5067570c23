import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectStdio,
  initializeCall,
  modernHeaders,
  modernStatusCall,
  post,
  type Running,
  type Server,
  start,
  startServer,
  statusCall,
  temporaryFolder,
  until,
} from '../support/program.ts';

const MEGABYTE = 1024 * 1024;
const ROUTES = [
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/mcp',
  '/mcp/tools/list',
  '/api/sessions',
  '/nowhere',
];

type Answer = { id: unknown; error?: { code: number; message: string; data?: unknown }; result?: unknown };

describe('over HTTP', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = await startServer({ args: ['--log-level', 'warn'] });
    url = `${server.url}/mcp`;
  });

  /** Whatever came in before, the process is unharmed and has written nothing. */
  afterAll(async () => {
    expect((await post(url, statusCall)).status).toBe(200);
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready', seq: 0 });
    const { code, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stderr).toBe('');
  });

  test.each(['{ broken', '', 'text', '{"jsonrpc":"2.0",', '\u0000'])(
    'broken JSON gets 400 and −32700',
    async (body) => {
      const response = await post(url, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } });
    },
  );

  test.each(['['.repeat(100_000), `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`])(
    'JSON that is nested too deep is refused before it is parsed',
    async (body) => {
      const response = await post(url, body);
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('nested') } });
    },
  );

  test.each([
    [[]],
    [7],
    [{}],
    [{ jsonrpc: '2.0' }],
    [{ ...statusCall, jsonrpc: '3.0' }],
    [{ ...statusCall, method: 7 }],
  ])('JSON that is no message gets 400: %j', async (body) => {
    const response = await post(url, body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error?.code).toBeLessThanOrEqual(-32600);
  });

  test('a protocol version that does not exist', async () => {
    const old = await post(
      url,
      { jsonrpc: '2.0', id: 3, method: 'tools/list' },
      { 'mcp-protocol-version': '1999-01-01' },
    );
    expect(old.status).toBe(400);
    expect(((await old.json()) as Answer).error?.message).toContain('1999-01-01');
    const _meta = {
      ...modernStatusCall.params._meta,
      'io.modelcontextprotocol/protocolVersion': '2031-01-01',
    };
    const message = { ...statusCall, params: { ...statusCall.params, _meta } };
    const headers = { ...modernHeaders, 'mcp-protocol-version': '2031-01-01' };
    const future = await post(url, message, headers);
    expect(future.status).toBe(400);
    expect(((await future.json()) as Answer).error).toMatchObject({
      code: -32022,
      data: { supported: expect.arrayContaining(['2026-07-28']) },
    });
  });

  test('headers that differ from the body', async () => {
    const response = await post(url, modernStatusCall, { ...modernHeaders, 'mcp-name': 'another_tool' });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error?.code).toBe(-32020);
  });

  test('an unknown method', async () => {
    const answer = (await (
      await post(url, { jsonrpc: '2.0', id: 4, method: 'tools/burn' })
    ).json()) as Answer;
    expect(answer).toMatchObject({ id: 4, error: { code: -32601 } });
  });

  test('a body over the limit gets 413, said and unsaid in Content-Length', async () => {
    const body = JSON.stringify({
      ...statusCall,
      params: { name: 'infold_status', arguments: { project: 'x'.repeat(10 * MEGABYTE) } },
    });
    const response = await post(url, body);
    expect(response.status).toBe(413);
    expect(((await response.json()) as Answer).error?.message).toContain(`${4 * MEGABYTE} bytes`);
    const chunked = await new Promise<number | undefined>((resolve) => {
      const sending = request(
        url,
        { method: 'POST', headers: { 'content-type': 'application/json' } },
        (answer) => {
          resolve(answer.statusCode);
          sending.destroy();
        },
      );
      sending.on('error', () => {});
      for (let sent = 0; sent < 10; sent++) sending.write('x'.repeat(MEGABYTE));
      sending.end();
    });
    expect(chunked).toBe(413);
  });

  test('a batch over the limit gets 400 and the limit', async () => {
    const response = await post(
      url,
      Array.from({ length: 101 }, (_, id) => ({ ...statusCall, id })),
    );
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error?.message).toMatch(/100 messages.*101/);
  });

  test.each(ROUTES)('a hostile Host or Origin gets 403 on %s', async (path) => {
    verifies('KERN-11');
    const statusOf = (headers: Record<string, string>, method: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asking = request(`${server.url}${path}`, { method, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asking.on('error', reject);
        asking.end();
      });
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      expect(await statusOf({ host: 'evil.example' }, method), method).toBe(403);
      expect(await statusOf({ host: `evil.example:${server.port}` }, method), method).toBe(403);
      expect(await statusOf({ origin: 'https://evil.example' }, method), method).toBe(403);
      expect(await statusOf({ origin: 'null' }, method), method).toBe(403);
    }
  });

  test('a request that is not HTTP does not disturb the others', async () => {
    const { connect } = await import('node:net');
    const socket = connect(server.port, '127.0.0.1');
    const answer = await new Promise<string>((resolve) => {
      socket.on('data', (data) => resolve(`${data}`));
      socket.write('HELLO\r\n\r\n');
    });
    expect(answer).toContain('400 Bad Request');
    socket.destroy();
  });
});

describe('over stdio', () => {
  function open(): { running: Running; send: (text: string) => void; answers: () => Answer[] } {
    const running = start(['stdio', '--data', temporaryFolder()]);
    const answers = () =>
      running
        .stdout()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Answer);
    return { running, answers, send: (text) => running.process.stdin!.write(`${text}\n`) };
  }

  test('broken JSON is answered with −32700, before and after the beginning', async () => {
    const { running, send, answers } = open();
    send('{ broken');
    await until(() => answers().length === 1);
    send(JSON.stringify(initializeCall));
    await until(() => answers().length === 2);
    send('also broken');
    send(JSON.stringify(statusCall));
    await until(() => answers().length === 4);
    expect(answers().map(({ id, error }) => error?.code ?? id)).toEqual([-32700, 0, -32700, 1]);
    running.process.stdin!.end();
    expect((await running.ended).code).toBe(0);
  });

  test('what is no message is answered with −32600 and its id', async () => {
    const { send, answers } = open();
    send(JSON.stringify(initializeCall));
    await until(() => answers().length === 1);
    send('{"id":9,"method":"ping"}');
    send('[]');
    await until(() => answers().length === 3);
    expect(answers().slice(1)).toMatchObject([
      { id: 9, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  test('10 MB of text as an argument is refused in one short answer; the next call is served', async () => {
    const { send, answers } = open();
    send(JSON.stringify(initializeCall));
    await until(() => answers().length === 1);
    const huge = { name: 'infold_status', arguments: { project: 'x'.repeat(10 * MEGABYTE) } };
    send(JSON.stringify({ ...statusCall, id: 5, params: huge }));
    send(JSON.stringify(statusCall));
    await until(() => answers().length === 3, 60_000);
    const [, refused, served] = answers();
    expect(refused?.error).toMatchObject({
      code: -32600,
      message: expect.stringContaining(`${4 * MEGABYTE} bytes`),
    });
    expect(served).toMatchObject({ id: 1, result: { isError: false } });
  });

  test('a protocol version that does not exist is answered with one that does', async () => {
    const { send, answers } = open();
    send(
      JSON.stringify({
        ...initializeCall,
        params: { ...initializeCall.params, protocolVersion: '1999-01-01' },
      }),
    );
    await until(() => answers().length === 1);
    expect(answers()[0]?.result).toMatchObject({ protocolVersion: expect.stringMatching(/^202/) });
  });

  test('a long name that is within the limit does not come back whole', async () => {
    const { client } = await connectStdio('2025', temporaryFolder());
    const { isError, content } = await callTool(client, 'infold_status', {
      project: 'x'.repeat(3 * MEGABYTE),
    });
    expect(isError).toBe(true);
    expect(content[0]!.text.length).toBeLessThan(1000);
  });
});
