import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createScrubber } from '@infold/scrub';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { createServices } from '../../cli/services/create.ts';
import { openTestJournal, temporaryFolder, testConfig } from '../../testing/fixtures.suite.ts';
import { itemsOf, MemoryAgent } from '../fixture.suite.ts';
import { EmbeddingEndpoint } from './endpoint.ts';
import { Meaning } from './meaning.ts';

const KEY = ['sk', 'test', 'only', '0123456789'].join('-');

interface Asked {
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: { model: string; input: string[]; dimensions?: number };
}
interface Told {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Never answers. */
  hangs?: boolean;
}

/** An endpoint to which texts are near that begin with the same letter. */
const byFirstLetter = ({ body }: Asked): Told => ({
  body: {
    data: body.input
      .map((text, index) => ({
        index,
        embedding: Array.from({ length: 26 }, (_, place) =>
          place === (text.toLowerCase().charCodeAt(0) + 26 - 97) % 26 ? 3 : 0,
        ),
      }))
      .reverse(),
  },
});

async function endpoint(answer: (asked: Asked, turn: number) => Told) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
    asked.push({ url: request.url, headers: request.headers, body });
    const told = answer(asked.at(-1)!, asked.length);
    if (told.hangs) return;
    response.writeHead(told.status ?? 200, { 'Content-Type': 'application/json', ...told.headers });
    response.end(JSON.stringify(told.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const { signal } = new AbortController();
const asItIs = (text: string) => text;

describe('an endpoint', () => {
  test('is asked in its own words, and its vectors come in the order of the texts', async () => {
    verifies('PACK-15');
    const { url, asked } = await endpoint(byFirstLetter);
    const embedder = await EmbeddingEndpoint.open({ url, model: 'small', key: KEY }, asItIs, signal);
    expect(embedder).toMatchObject({ model: 'small', dimensions: 26, version: '26' });
    const [apple, berry] = await embedder.embed(['apple', 'berry'], signal);
    expect([apple!.indexOf(1), berry!.indexOf(1)]).toEqual([0, 1]);
    expect(asked.at(-1)).toMatchObject({
      url: '/v1/embeddings',
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: 'small', input: ['apple', 'berry'] },
    });
    expect(asked.at(-1)!.body).not.toHaveProperty('dimensions');
  });

  test('gets many texts in several requests, long ones shortened and empty ones as a dash', async () => {
    const { url, asked } = await endpoint(byFirstLetter);
    const embedder = await EmbeddingEndpoint.open({ url, model: 'small', dimensions: 26 }, asItIs, signal);
    const texts = [...Array.from({ length: 150 }, (_, index) => `a${index}`), 'b'.repeat(20_000), ' '];
    expect(await embedder.embed(texts, signal)).toHaveLength(152);
    expect(asked.map(({ body }) => body.input.length)).toEqual([64, 64, 24]);
    expect(asked[2]!.body.input.slice(-2)).toEqual(['b'.repeat(8000), '-']);
    expect(asked[0]!.headers.authorization).toBeUndefined();
    expect(asked[0]!.body.dimensions).toBe(26);
  });

  test.each([429, 500, 503])('that answers %d is asked again after a pause', async (status) => {
    const { url, asked } = await endpoint((each, turn) =>
      turn === 1 ? { status, headers: { 'Retry-After': '0' } } : byFirstLetter(each),
    );
    const embedder = await EmbeddingEndpoint.open({ url, model: 'small', dimensions: 26 }, asItIs, signal);
    const started = performance.now();
    expect(await embedder.embed(['apple'], signal)).toHaveLength(1);
    expect(asked).toHaveLength(2);
    expect(performance.now() - started).toBeGreaterThan(400);
  });

  test.each<[string, Told]>([
    ['refuses the key', { status: 401, body: { error: { message: `bad key ${KEY}` } } }],
    ['refuses the text', { status: 400, body: { error: { message: `bad key ${KEY}` } } }],
    ['says something else', { body: { answer: 42 } }],
    ['says too little', { body: { data: [] } }],
    ['has vectors of another length', { body: { data: [{ index: 0, embedding: [1, 2] }] } }],
  ])('that %s is an error that does not hold the key', async (_, told) => {
    const { url } = await endpoint(() => told);
    const embedder = await EmbeddingEndpoint.open(
      { url, model: 'small', key: KEY, dimensions: 26 },
      asItIs,
      signal,
    );
    const soon = AbortSignal.timeout(300);
    const error = await embedder.embed(['apple'], soon).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify([error, String(error), String((error as Error).cause)])).not.toContain(KEY);
  });

  test('that leads elsewhere is not followed there with the key', async () => {
    const elsewhere = await endpoint(byFirstLetter);
    const { url } = await endpoint(() => ({ status: 307, headers: { Location: elsewhere.url } }));
    const settings = { url, model: 'small', key: KEY, dimensions: 26 };
    const embedder = await EmbeddingEndpoint.open(settings, asItIs, signal);
    await expect(embedder.embed(['apple'], AbortSignal.timeout(300))).rejects.toThrow(/does not answer/);
    expect(elsewhere.asked).toEqual([]);
  });

  test('is not waited for once the caller has gone', async () => {
    const { url } = await endpoint(() => ({ hangs: true }));
    const embedder = await EmbeddingEndpoint.open({ url, model: 'small', dimensions: 26 }, asItIs, signal);
    await expect(embedder.embed(['apple'], AbortSignal.timeout(50))).rejects.toThrow(/in time/);
  });
});

describe('a server with an endpoint', () => {
  async function serve(url: string, folder = temporaryFolder()) {
    const journal = await openTestJournal(undefined, folder);
    const embeddings = { url, model: 'small', key: KEY };
    const services = createServices(testConfig({ embeddings }), journal, 'silent');
    onTestFinished(() => services.settle());
    services.parts.meaning!.start();
    const made = () =>
      journal.database.hasTable('cache_memory_vector')
        ? journal.database.all('SELECT row FROM cache_memory_vector').length
        : 0;
    return { agent: new MemoryAgent(services), made };
  }

  test('finds by its vectors', async () => {
    verifies('PACK-15');
    const { url } = await endpoint(byFirstLetter);
    const { agent, made } = await serve(url);
    await agent.remember('zorvex was sold');
    await agent.remember('quillam was bought');
    await expect.poll(made, { timeout: 5000 }).toBe(2);
    const pack = await agent.context('zzz');
    expect(itemsOf(pack).map(({ content }) => content)).toEqual(['zorvex was sold']);
  });

  test('sends no secret', async () => {
    const { url, asked } = await endpoint(byFirstLetter);
    const { agent, made } = await serve(url);
    const secret = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5'].join('_');
    await agent.remember(`the token is ${secret} for now`);
    await expect.poll(made, { timeout: 5000 }).toBe(1);
    await agent.context(`what is ${secret} for?`);
    const sent = asked.flatMap(({ body }) => body.input);
    expect(sent.some((text) => text.startsWith('the token is'))).toBe(true);
    expect(sent.some((text) => text.startsWith('what is'))).toBe(true);
    expect(JSON.stringify(sent)).not.toContain(secret);
  });

  test('answers in time without it where it does not answer, says so, and does not wait for each pack', async () => {
    verifies('PACK-15');
    let isAway = false;
    const { url, asked } = await endpoint((each) => (isAway ? { hangs: true } : byFirstLetter(each)));
    const { agent, made } = await serve(url);
    await agent.remember('zorvex was sold');
    await expect.poll(made, { timeout: 5000 }).toBe(1);
    await agent.context('zzz');
    isAway = true;
    const started = performance.now();
    const pack = await agent.context('who sold it?');
    expect(performance.now() - started).toBeLessThan(3000);
    expect(itemsOf(pack).map(({ content }) => content)).toEqual(['zorvex was sold']);
    expect(pack.markdown).toContain('not by meaning: its endpoint does not answer');
    const before = asked.length;
    await agent.context('who sold it?');
    expect(asked).toHaveLength(before);
  });

  test('asks once for each passage, however many processes share the folder', async () => {
    const { url, asked } = await endpoint(byFirstLetter);
    const folder = temporaryFolder();
    const [one, other] = [await serve(url, folder), await serve(url, folder)];
    const texts = Array.from({ length: 30 }, (_, index) => `zorvex ${index}`);
    for (const text of texts) await one.agent.remember(text);
    await expect.poll(other.made, { timeout: 8000 }).toBe(30);
    const sent = asked.flatMap(({ body }) => body.input).filter((text) => text.startsWith('zorvex'));
    expect(sent.sort()).toEqual(texts.sort());
  });

  test('leaves out the one text that it refuses', async () => {
    const { url } = await endpoint((each) =>
      each.body.input.some((text) => text.startsWith('bad')) ? { status: 400 } : byFirstLetter(each),
    );
    const { agent, made } = await serve(url);
    await agent.import(['apple', 'bad', 'cherry'].map((content) => ({ content })));
    await expect.poll(made, { timeout: 5000 }).toBe(2);
  });

  test('makes vectors once it is back', async () => {
    const { url, asked } = await endpoint((each, turn) => (turn < 3 ? { status: 503 } : byFirstLetter(each)));
    const { agent, made } = await serve(url);
    await agent.remember('zorvex was sold');
    await expect.poll(made, { timeout: 8000 }).toBe(1);
    expect(asked.length).toBeGreaterThan(3);
  });

  test('that refuses its key is told once to the log, without the key', async () => {
    const { url } = await endpoint(() => ({ status: 401, body: { error: KEY } }));
    const journal = await openTestJournal();
    const told: string[] = [];
    const meaning = new Meaning({
      ...{ journal, clock: () => 0, scrubber: createScrubber(), settings: { url, model: 'small', key: KEY } },
      onError: (error, what) => told.push(`${what}: ${String(error)}`),
    });
    meaning.start();
    await expect.poll(() => told.length, { timeout: 5000 }).toBe(1);
    await meaning.close();
    expect(told[0]).toContain('refused the key');
    expect(told[0]).not.toContain(KEY);
  });
});
