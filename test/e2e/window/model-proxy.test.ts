import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { run, runJson, type Server, startServer, temporaryFolder, until } from '../support/program.ts';
import { events, JSON_TYPE, type ScriptedUpstream, send, startUpstream } from '../support/upstream.ts';

/** A server before one upstream, which stands for all three providers. */
async function serverBefore(
  upstream: { url: string },
  more: readonly string[] = [],
  data = temporaryFolder(),
) {
  const names = ['anthropic', 'openai', 'gemini'];
  const args = names.flatMap((name) => ['--upstream', `${name}=${upstream.url}`]);
  const server = await startServer({ data, args: [...args, ...more] });
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const closed = (stream: IncomingMessage) => new Promise((resolve) => stream.once('close', resolve));
const fakeKey = () => `sk-${randomBytes(20).toString('hex')}`;

async function metric(server: Server, name: string, token?: string): Promise<number> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
  const line = text.split('\n').find((one) => one.startsWith(name));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

describe('the SDKs of the providers', () => {
  const words = 'Grüße aus dem Fenster'.split(' ');

  test('Anthropic, streaming and not', async () => {
    verifies('WIN-01');
    const usage = {
      input_tokens: 3,
      output_tokens: 4,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 6,
    };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: null,
      stop_sequence: null,
    };
    const upstream = await startUpstream(({ body }, response) => {
      if (!JSON.parse(body.toString()).stream) {
        response.writeHead(200, JSON_TYPE);
        response.end(
          JSON.stringify({ ...message, content: [{ type: 'text', text: words.join(' ') }], usage }),
        );
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        events(['message_start', { type: 'message_start', message: { ...message, content: [], usage } }]),
      );
      response.write(
        events([
          'content_block_start',
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ]),
      );
      for (const text of words) {
        response.write(
          events([
            'content_block_delta',
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
          ]),
        );
      }
      response.write(events(['content_block_stop', { type: 'content_block_stop', index: 0 }]));
      response.write(
        events([
          'message_delta',
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
        ]),
      );
      response.end(events(['message_stop', { type: 'message_stop' }]));
    });
    const server = await serverBefore(upstream);
    const apiKey = fakeKey();
    const client = new Anthropic({ apiKey, baseURL: `${server.url}/model/anthropic`, maxRetries: 0 });
    const ask = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hello' }] };
    const whole = await client.messages.create(ask);
    expect(whole.content[0]).toMatchObject({ text: words.join(' ') });
    const streamed = await client.messages.stream(ask).finalMessage();
    expect(streamed.content[0]).toMatchObject({ text: words.join('') });
    expect(streamed.usage.output_tokens).toBe(9);
    expect(upstream.arrived.map(({ url }) => url)).toEqual(['/v1/messages', '/v1/messages']);
    for (const { headers } of upstream.arrived) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${apiKey}`,
        host: `127.0.0.1:${upstream.port}`,
        'accept-encoding': 'identity',
      });
    }
    expect(upstream.connections).toBe(1);
  });

  test('OpenAI chat and responses, streaming and not', async () => {
    verifies('WIN-01');
    const choice = (delta: object, finish_reason: string | null = null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const done = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output: [
        {
          type: 'message',
          id: 'm1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: words.join(' '), annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 3,
        total_tokens: 8,
      },
    };
    const upstream = await startUpstream(({ url, body }, response) => {
      const { stream } = JSON.parse(body.toString()) as { stream?: boolean };
      response.writeHead(200, stream ? { 'content-type': 'text/event-stream' } : JSON_TYPE);
      if (url === '/base/v1/responses') {
        if (!stream) return response.end(JSON.stringify(done));
        response.write(
          events([
            'response.created',
            { type: 'response.created', sequence_number: 0, response: { ...done, output: [] } },
          ]),
        );
        return response.end(
          events(['response.completed', { type: 'response.completed', sequence_number: 1, response: done }]),
        );
      }
      if (!stream) {
        const whole = {
          ...choice({}),
          object: 'chat.completion',
          choices: [
            { index: 0, message: { role: 'assistant', content: words.join(' ') }, finish_reason: 'stop' },
          ],
        };
        return response.end(JSON.stringify(whole));
      }
      for (const content of words) response.write(events([undefined, choice({ content })]));
      return response.end(events([undefined, choice({}, 'stop')], [undefined, '[DONE]']));
    });
    const server = await serverBefore(upstream, ['--upstream', `ours=openai+${upstream.url}/base/`]);
    const client = new OpenAI({ apiKey: fakeKey(), baseURL: `${server.url}/model/ours/v1`, maxRetries: 0 });
    const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
    expect((await client.chat.completions.create(ask)).choices[0]!.message.content).toBe(words.join(' '));
    let text = '';
    for await (const chunk of await client.chat.completions.create({ ...ask, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe(words.join(''));
    expect((await client.responses.create({ model: 'm', input: 'Hello' })).output_text).toBe(words.join(' '));
    const streamed = await client.responses.stream({ model: 'm', input: 'Hello' }).finalResponse();
    expect(streamed.usage).toMatchObject({ input_tokens: 5 });
    expect(upstream.arrived.map(({ url }) => url)).toEqual([
      ...['/base/v1/chat/completions', '/base/v1/chat/completions'],
      ...['/base/v1/responses', '/base/v1/responses'],
    ]);
  });

  test('Gemini, streaming and not', async () => {
    verifies('WIN-01');
    const part = (text: string) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 },
    });
    const upstream = await startUpstream(({ url }, response) => {
      const isStream = url.includes(':streamGenerateContent');
      response.writeHead(200, isStream ? { 'content-type': 'text/event-stream' } : JSON_TYPE);
      if (!isStream) return response.end(JSON.stringify(part(words.join(' '))));
      return response.end(events(...words.map((word): [undefined, unknown] => [undefined, part(word)])));
    });
    const server = await serverBefore(upstream);
    const apiKey = fakeKey();
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${server.url}/model/gemini` } });
    const ask = { model: 'gemini-test', contents: 'Hello' };
    expect((await client.models.generateContent(ask)).text).toBe(words.join(' '));
    let text = '';
    for await (const chunk of await client.models.generateContentStream(ask)) text += chunk.text;
    expect(text).toBe(words.join(''));
    expect(upstream.arrived.map(({ url }) => url)).toEqual([
      '/v1beta/models/gemini-test:generateContent',
      '/v1beta/models/gemini-test:streamGenerateContent?alt=sse',
    ]);
    expect(upstream.arrived[0]!.headers['x-goog-api-key']).toBe(apiKey);
  });
});

describe('what is passed on', () => {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Grüße  ' }], n: 1.0 });

  test('method, address, query, headers and body arrive as they were sent; status, headers and body come back', async () => {
    verifies('WIN-01');
    const bytes = randomBytes(5000);
    const upstream = await startUpstream((_request, response) => {
      response.sendDate = false;
      response.writeHead(418, 'Short and stout', [
        ...['Content-Type', 'text/odd; charset=x', 'X-Twice', 'one', 'x-twice', 'two'],
        ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Connection', 'X-Hop, keep-alive', 'X-Hop', 'no'],
      ]);
      response.end(bytes);
    });
    const server = await serverBefore(upstream);
    const answer = await send(`${server.url}/model/anthropic/v1/messages?beta=true&x=%2F..%20a&x=`, {
      headers: {
        ...JSON_TYPE,
        'X-Api-Key': fakeKey(),
        Authorization: 'Bearer of-the-provider',
        'anthropic-beta': 'one,two',
        Connection: 'X-Mine',
        'X-Mine': 'no',
        TE: 'trailers',
      },
      body,
    });
    const [arrived] = upstream.arrived;
    expect(arrived).toMatchObject({ method: 'POST', url: '/v1/messages?beta=true&x=%2F..%20a&x=' });
    expect(arrived!.body.toString()).toBe(body);
    expect(arrived!.rawHeaders.join('\n')).toMatch(/X-Api-Key[\s\S]*anthropic-beta\none,two/);
    expect(arrived!.headers).toMatchObject({
      authorization: 'Bearer of-the-provider',
      'content-length': String(Buffer.byteLength(body)),
    });
    for (const gone of ['x-mine', 'te']) expect(arrived!.headers[gone]).toBeUndefined();
    expect([answer.status, answer.message]).toEqual([418, 'Short and stout']);
    expect(answer.body.equals(bytes)).toBe(true);
    expect(answer.rawHeaders.slice(0, 10)).toEqual([
      ...['Content-Type', 'text/odd; charset=x', 'X-Twice', 'one', 'x-twice', 'two'],
      ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
    ]);
    for (const absent of ['x-hop', 'x-frame-options', 'content-security-policy', 'date']) {
      expect(answer.headers[absent]).toBeUndefined();
    }
  });

  test.each([
    ['gzip', gzipSync(body)],
    ['br', brotliCompressSync(body)],
    ['deflate', deflateSync(body)],
    ['identity', Buffer.from(body)],
    ['nonsense', randomBytes(100)],
    ['gzip', randomBytes(100)],
  ])('a body in %s goes on in the same bytes', async (encoding, bytes) => {
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const server = await serverBefore(upstream);
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    expect((await send(`${server.url}/model/openai/v1/responses`, { headers, body: bytes })).status).toBe(
      200,
    );
    expect(upstream.arrived[0]!.body.equals(bytes)).toBe(true);
    expect(upstream.arrived[0]!.headers['content-encoding']).toBe(encoding);
    const isUnread = bytes.length === 100;
    expect(await metric(server, 'infold_model_unread_total{why="encoding"}')).toBe(isUnread ? 1 : 0);
  });

  test('redirects are the host’s to follow', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(307, { location: 'https://elsewhere.example/v1/messages' });
      response.end();
    });
    const server = await serverBefore(upstream);
    const answer = await send(`${server.url}/model/anthropic/v1/messages`, { headers: JSON_TYPE, body });
    expect([answer.status, answer.headers.location]).toEqual([307, 'https://elsewhere.example/v1/messages']);
    expect(upstream.arrived).toHaveLength(1);
  });

  test.each([
    ['HEAD', '/api/hello', undefined],
    ['GET', '/v1/models?limit=5', undefined],
    ['POST', '/v1/messages/count_tokens', body],
    ['DELETE', '/v1/files/one', undefined],
    ['POST', '/v1/messages', 'not JSON at all'],
    ['POST', '/v1/messages', '[1, 2'],
    ['POST', '/v1/messages', ''],
  ])('%s %s passes untouched', async (method, path, sent) => {
    verifies('WIN-07');
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'x-model': 'there' });
      response.end(method === 'HEAD' ? undefined : 'hello');
    });
    const server = await serverBefore(upstream);
    const answer = await send(`${server.url}/model/anthropic${path}`, {
      method,
      headers: { ...JSON_TYPE, 'accept-encoding': 'gzip' },
      ...(sent === undefined ? {} : { body: sent }),
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-model': 'there' } });
    expect(answer.body.toString()).toBe(method === 'HEAD' ? '' : 'hello');
    expect(upstream.arrived[0]).toMatchObject({ method, url: path });
    expect(upstream.arrived[0]!.body.toString()).toBe(sent ?? '');
  });

  test('a body of 50 MB, announced or in chunks, and one that is larger than may be read', async () => {
    verifies('WIN-01', 'WIN-07');
    const upstream = await startUpstream((request, response) => response.end(String(request.body.length)));
    const file = join(temporaryFolder(), 'small.json');
    writeFileSync(file, JSON.stringify({ window: { bodyBytes: 60 * 1024 * 1024 } }));
    const server = await serverBefore(upstream, ['--config', file]);
    const large = (megabytes: number) =>
      Buffer.from(JSON.stringify({ text: 'x'.repeat(megabytes * 1024 * 1024) }));
    for (const [megabytes, chunked] of [
      [50, false],
      [50, true],
      [70, false],
      [70, true],
    ] as const) {
      const sent = large(megabytes);
      const headers = { ...JSON_TYPE, ...(chunked ? { 'transfer-encoding': 'chunked' } : {}) };
      const answer = await send(`${server.url}/model/openai/v1/chat/completions`, { headers, body: sent });
      expect(answer.body.toString()).toBe(String(sent.length));
      expect(upstream.arrived.pop()!.body.equals(sent)).toBe(true);
    }
    expect(await metric(server, 'infold_model_unread_total{why="size"}')).toBe(2);
    expect(await metric(server, 'infold_model_unread_bytes_total{why="size"}')).toBe(2 * large(70).length);
  });

  test('switched off, everything passes unread', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const data = temporaryFolder();
    const file = join(temporaryFolder(), 'off.json');
    writeFileSync(file, JSON.stringify({ window: { enabled: false } }));
    const server = await serverBefore(upstream, ['--config', file], data);
    const answer = await send(`${server.url}/model/anthropic/v1/messages`, {
      headers: { ...JSON_TYPE, 'accept-encoding': 'br' },
      body,
    });
    expect(answer.status).toBe(200);
    expect(upstream.arrived[0]!.headers['accept-encoding']).toBe('br');
    expect(await metric(server, 'infold_model_unread_total{why="disabled"}')).toBe(1);
  });
});

describe('answers that take their time', () => {
  const ask = (server: Server, path = '/model/anthropic/v1/messages') => {
    const request = httpRequest(`${server.url}${path}`, { method: 'POST', headers: JSON_TYPE, agent: false });
    request.on('error', () => {});
    request.end('{"model":"m"}');
    return request;
  };
  const responseOf = async (request: ReturnType<typeof ask>) => {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    return response;
  };

  test('each piece arrives when it is sent, the status before them all', async () => {
    // The next is sent only when the one before has arrived: what is held back would never come.
    const arrived: string[] = [];
    const upstream = await startUpstream(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      for (const piece of ['status', 'one', 'two', 'three']) {
        if (piece !== 'status') response.write(piece);
        await until(() => arrived.includes(piece));
      }
      response.end();
    });
    const server = await serverBefore(upstream);
    const response = await responseOf(ask(server));
    arrived.push('status');
    for await (const chunk of response) arrived.push(String(chunk));
    expect(arrived).toEqual(['status', 'one', 'two', 'three']);
  });

  test('a host that goes takes its request along', async () => {
    const upstream = await startUpstream(async (_request, response) => {
      response.writeHead(200);
      response.write('begun');
    });
    const server = await serverBefore(upstream);
    const request = ask(server);
    await once(await responseOf(request), 'data');
    expect(upstream.open.size).toBe(1);
    request.destroy();
    await until(() => upstream.open.size === 0);
  });

  test('a host that goes before the answer began takes its request along too', async () => {
    const upstream = await startUpstream(() => {});
    const server = await serverBefore(upstream);
    const request = ask(server);
    await until(() => upstream.arrived.length === 1);
    request.destroy();
    await until(() => upstream.open.size === 0);
  });

  test.each(['chunked', 'announced'])(
    'an answer that is cut off (%s) is not taken for a whole one',
    async (how) => {
      verifies('WIN-01');
      const upstream = await startUpstream(async (_request, response) => {
        response.writeHead(200, how === 'announced' ? { 'content-length': '100' } : {});
        response.write('begun');
        await pause(50);
        response.socket!.destroy();
      });
      const server = await serverBefore(upstream);
      const response = await responseOf(ask(server));
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      await closed(response);
      expect([text, response.complete]).toEqual(['begun', false]);
    },
  );

  test('kill -9 of the upstream in mid-stream cuts the answer off, and the next request is told why', async () => {
    verifies('WIN-07');
    const upstream = await upstreamProcess();
    const server = await serverBefore(upstream);
    const response = await responseOf(ask(server));
    await once(response, 'data');
    upstream.process.kill('SIGKILL');
    await closed(response.resume());
    expect(response.complete).toBe(false);
    const after = await send(`${server.url}/model/anthropic/v1/messages`, { headers: JSON_TYPE, body: '{}' });
    expect(after.status).toBe(502);
    expect(JSON.parse(after.body.toString())).toMatchObject({
      type: 'error',
      error: {
        type: 'api_error',
        message: expect.stringMatching(/upstream "anthropic" at http:\/\/127.*ECONNREFUSED/),
      },
    });
    expect(await metric(server, 'infold_model_answers_total{upstream="anthropic",status="0"}')).toBe(1);
  });

  test('an upstream that is not there is told in each provider’s words', async () => {
    const server = await serverBefore({ url: 'http://127.0.0.1:9' });
    const error = async (path: string) =>
      JSON.parse(
        (await send(`${server.url}/model/${path}`, { headers: JSON_TYPE, body: '{}' })).body.toString(),
      ).error;
    expect(await error('openai/v1/responses')).toMatchObject({
      type: 'server_error',
      code: 'upstream_unreachable',
    });
    expect(await error('gemini/v1beta/models/m:generateContent')).toMatchObject({
      code: 502,
      status: 'UNAVAILABLE',
    });
    const unknown = await send(`${server.url}/model/mistral/v1/messages`, { headers: JSON_TYPE, body: '{}' });
    expect([unknown.status, unknown.body.toString()]).toEqual([
      404,
      expect.stringContaining('anthropic, openai, gemini'),
    ]);
  });

  test('a kept connection that the upstream closed is not a failure', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const server = await serverBefore(upstream);
    const url = `${server.url}/model/anthropic/v1/messages`;
    for (let round = 0; round < 20; round++) {
      expect((await send(url, { headers: JSON_TYPE, body: '{}' })).status).toBe(200);
      for (const socket of upstream.open) socket.destroy();
    }
  });

  test('a host that reads slowly slows the upstream down', async () => {
    const piece = Buffer.alloc(256 * 1024, 'x');
    let written = 0;
    const upstream = await startUpstream(async (_request, response) => {
      response.writeHead(200);
      for (let index = 0; index < 400; index++) {
        written += piece.length;
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    });
    const server = await serverBefore(upstream);
    const response = await responseOf(ask(server));
    await pause(700);
    expect(written).toBeLessThan(60 * 1024 * 1024);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(400 * piece.length);
  });

  test('many at once stay apart', async () => {
    const upstream = await startUpstream(async ({ body }, response) => {
      const { model } = JSON.parse(body.toString()) as { model: string };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 20; index++) {
        response.write(`data: ${model}\n\n`);
        await pause(5);
      }
      response.end();
    });
    const server = await serverBefore(upstream);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        send(`${server.url}/model/anthropic/v1/messages`, {
          headers: JSON_TYPE,
          body: `{"model":"m${index}"}`,
        }),
      ),
    );
    answers.forEach(({ body }, index) => {
      expect(body.toString()).toBe(`data: m${index}\n\n`.repeat(20));
    });
  });
});

describe('who may', () => {
  test('a token of ours stands in the address, goes no further and is written nowhere; nor is the provider’s key', async () => {
    verifies('WIN-01');
    const data = temporaryFolder();
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const writer = await runJson<{ token: string }>(
      data,
      'token',
      'create',
      '--name',
      'writer',
      '--scope',
      'read,write,admin',
    );
    const reader = await runJson<{ token: string }>(
      data,
      'token',
      'create',
      '--name',
      'reader',
      '--scope',
      'read',
    );
    const server = await serverBefore(upstream, ['--log-level', 'trace'], data);
    const key = fakeKey();
    const wrong = `inf_${randomBytes(24).toString('hex')}`;
    const status = async (token: string, headers: Record<string, string> = {}) =>
      (
        await send(`${server.url}/model/anthropic/${token}v1/messages?key=${key}`, {
          headers: { ...JSON_TYPE, 'x-api-key': key, ...headers },
          body: '{"messages":[]}',
        })
      ).status;
    expect(await status(`~${writer.token}/`)).toBe(200);
    expect(upstream.arrived[0]!.url).toBe(`/v1/messages?key=${key}`);
    expect(JSON.stringify(upstream.arrived[0])).not.toContain(writer.token);
    expect(await status('')).toBe(401);
    expect(await status('', { authorization: `Bearer ${writer.token}` })).toBe(401);
    expect(await status(`~${wrong}/`)).toBe(401);
    expect(await status(`~${reader.token}/`)).toBe(403);
    expect(upstream.arrived).toHaveLength(1);
    const { stderr } = await server.stop();
    const written = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => readFileSync(join(item.parentPath, item.name), 'latin1'));
    const denials = await run(['--data', data, '--json', 'denials']);
    for (const text of [...written, stderr, denials.stdout]) {
      for (const secret of [key, writer.token, reader.token, wrong]) expect(text).not.toContain(secret);
    }
    expect(denials.stdout).toContain('/model/');
  });

  test('an answer ends with the token that asked for it', async () => {
    const data = temporaryFolder();
    const upstream = await startUpstream((_request, response) => {
      response.write('begun');
    });
    const { id, token } = await runJson<{ id: string; token: string }>(
      data,
      'token',
      'create',
      '--name',
      'me',
    );
    const server = await serverBefore(upstream, [], data);
    const request = httpRequest(`${server.url}/model/anthropic/~${token}/v1/messages`, {
      method: 'POST',
      headers: JSON_TYPE,
    });
    request.on('error', () => {});
    request.end('{}');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    const ended = closed(response.resume());
    await run(['--data', data, 'token', 'revoke', id]);
    await ended;
    expect(response.complete).toBe(false);
    await until(() => upstream.open.size === 0);
  });

  test('pages of other sites may not, nor other names', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const server = await serverBefore(upstream);
    const status = async (headers: Record<string, string>) =>
      (
        await send(`${server.url}/model/anthropic/v1/messages`, {
          headers: { ...JSON_TYPE, ...headers },
          body: '{}',
        })
      ).status;
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://localhost:3000' })).toBe(403);
    expect(await status({})).toBe(200);
    expect(upstream.arrived).toHaveLength(1);
  });

  test('a WebSocket is answered 426', async () => {
    verifies('WIN-01');
    const server = await serverBefore({ url: 'http://127.0.0.1:9' });
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      'GET /model/openai/v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1\.1 426 /);
  });

  test('an address may not climb out of its upstream', async () => {
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const server = await serverBefore(upstream);
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /model/anthropic/v1/../../admin HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(upstream.arrived).toEqual([]);
  });
});

/** One in a process of its own, that can be killed. */
async function upstreamProcess(): Promise<Pick<ScriptedUpstream, 'url'> & { process: ChildProcess }> {
  const program = `
    const server = require('node:http').createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        setInterval(() => response.write('data: {}\\n\\n'), 10);
      });
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url: `http://127.0.0.1:${port}`, process: child };
}

describe('secrets', () => {
  const secret = () => ['ghp', randomBytes(18).toString('hex')].join('_');
  const asked = (text: string) => JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] });

  test.each([
    ['redact', false],
    ['warn', true],
  ])('window.scrub "%s"', async (scrub, leaves) => {
    const upstream = await startUpstream((_request, response) => response.end('{}'));
    const file = join(temporaryFolder(), 'scrub.json');
    writeFileSync(file, JSON.stringify({ window: { scrub } }));
    const server = await serverBefore(upstream, ['--config', file]);
    const found = secret();
    const key = secret();
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip', 'x-api-key': key };
    for (let round = 0; round < 2; round++) {
      const body = gzipSync(asked(`deploy with ${found}`));
      await send(`${server.url}/model/anthropic/v1/messages`, { headers, body });
    }
    const [first, second] = upstream.arrived;
    expect(first!.headers['x-api-key']).toBe(key);
    expect(first!.body.equals(second!.body)).toBe(true);
    const text = (leaves ? gunzipSync(first!.body) : first!.body).toString();
    expect(text.includes(found)).toBe(leaves);
    if (!leaves) expect(text).toMatch(/deploy with \[REDACTED:[\w-]+\]/);
    expect(first!.headers['content-encoding']).toBe(leaves ? 'gzip' : undefined);
    expect(await metric(server, 'infold_model_secrets_total')).toBe(1);
    const { stderr } = await server.stop();
    expect(stderr.match(/on their way to a model/g)).toHaveLength(1);
    expect(stderr).not.toContain(found);
  });
});
