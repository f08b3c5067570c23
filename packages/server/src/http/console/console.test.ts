import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { makeToken, temporaryFolder, testServices } from '../../testing/fixtures.suite.ts';
import { createHttpApp } from '../app.ts';
import { listen, stopListening } from '../connections/listen.ts';
import { Metrics } from '../metrics.ts';
import { CONSOLE_POLICY } from './index.ts';

const SHELL =
  '<!doctype html><title>Infold</title><script type="module" src="/assets/main-1a2b.js"></script>';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(2000))});`;
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
};

/** A folder as the build leaves it, beside one that is nobody's business. */
function builtConsole(): string {
  const folder = temporaryFolder();
  const console = join(folder, 'console');
  mkdirSync(join(console, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'not for anybody');
  writeFileSync(join(console, 'index.html'), SHELL);
  writeFileSync(join(console, 'assets', 'main-1a2b.js'), SCRIPT);
  writeFileSync(join(console, 'assets', 'main-1a2b.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(console, 'assets', 'font.woff2'), Buffer.from([0, 1, 2, 255]));
  symlinkSync(join(folder, 'secret.txt'), join(console, 'assets', 'link.txt'));
  return console;
}

async function setUp(consoleFolder = builtConsole()) {
  const services = await testServices();
  const metrics = new Metrics(services.journal);
  const app = createHttpApp({ ...services, metrics, ready: () => true, consoleFolder });
  onTestFinished(() => app.close());
  const get = async (path: string, headers: Record<string, string> = BROWSER, method = 'GET') =>
    app.fetch(
      new Request(`http://localhost:4711${path}`, {
        method,
        headers: { host: 'localhost:4711', ...headers },
      }),
    );
  return { services, app, get };
}

describe('the page of the console', () => {
  test.each(['/', '/window', '/tree/sess_1?at=7', '/settings/general/display', '/apiary', '/index.html'])(
    'answers a browser at %s, with or without a token',
    async (path) => {
      const { get, services } = await setUp();
      await makeToken(services.journal);
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(SHELL);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
    },
  );

  test('runs nothing but its own files, and makes no markup of text', async () => {
    verifies('CON-05');
    const { get } = await setUp();
    for (const path of ['/', '/assets/main-1a2b.js']) {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
    expect(CONSOLE_POLICY).not.toContain('unsafe');
  });

  test.each([
    ...['/api', '/api/nothing', '/mcp', '/ws', '/model/openai/v1', '/hooks/x', '/healthz', '/readyz'],
    ...['/metrics', '/.well-known/x', '/assets/x'],
  ])('is not what stands at %s', async (path) => {
    const { get } = await setUp();
    expect(await (await get(path)).text()).not.toContain('<!doctype');
  });

  test('is for browsers: a program that misses an address is told so', async () => {
    const { get, services } = await setUp();
    expect((await get('/nowhere', { accept: '*/*' })).status).toBe(404);
    await makeToken(services.journal);
    expect((await get('/nowhere', { accept: 'application/json' })).status).toBe(401);
  });

  test('is not for other hosts', async () => {
    const { get } = await setUp();
    expect((await get('/', { ...BROWSER, host: 'evil.example' })).status).toBe(403);
  });

  test('says what to do where it is not built, and is there once it is', async () => {
    const folder = temporaryFolder();
    const { get } = await setUp(folder);
    const response = await get('/window');
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toContain('npm run build');
    writeFileSync(join(folder, 'index.html'), SHELL);
    expect((await get('/window')).status).toBe(200);
  });
});

describe('files of the console', () => {
  test('are compressed for who takes that, and kept for good', async () => {
    const { get } = await setUp();
    const response = await get('/assets/main-1a2b.js');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    expect(gunzipSync(Buffer.from(await response.arrayBuffer())).toString()).toBe(SCRIPT);
    for (const encoding of ['identity', 'br, gzip;q=0', '']) {
      const plain = await get('/assets/main-1a2b.js', { 'accept-encoding': encoding });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(SCRIPT);
    }
    const font = await get('/assets/font.woff2');
    expect(font.headers.get('content-type')).toBe('font/woff2');
    expect(new Uint8Array(await font.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2, 255]));
  });

  test('are not sent again to who holds them', async () => {
    const { get } = await setUp();
    for (const path of ['/', '/assets/main-1a2b.js']) {
      const first = await get(path);
      const tag = first.headers.get('etag')!;
      for (const held of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await get(path, { ...BROWSER, 'if-none-match': held });
        expect(again.status).toBe(304);
        expect(await again.text()).toBe('');
        expect(again.headers.get('etag')).toBe(tag);
        expect(again.headers.get('content-security-policy')).toBe(CONSOLE_POLICY);
      }
      expect((await get(path, { ...BROWSER, 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  test('are told of by HEAD', async () => {
    const { get } = await setUp();
    const response = await get('/assets/main-1a2b.js', { 'accept-encoding': 'identity' }, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(SCRIPT.length));
    expect(await response.text()).toBe('');
    expect((await get('/', BROWSER, 'HEAD')).status).toBe(200);
  });

  test('are 404 where there are none, and links are not followed', async () => {
    const { get } = await setUp();
    for (const path of [
      '/assets',
      '/assets/',
      '/assets/other.js',
      '/assets/main-1a2b.js.gz',
      '/assets/link.txt',
    ])
      expect((await get(path)).status, path).toBe(404);
  });

  test('no address leads out of their folder', async () => {
    verifies('CON-05');
    const { get } = await setUp();
    const step = fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2E.',
      '..%2f',
      '%5c..',
      '\\',
      'assets',
      'secret.txt',
      '%00',
      '',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(step, fc.string({ maxLength: 8 })), { maxLength: 8 }),
        async (steps) => {
          const response = await get(`/assets/${steps.join('/')}`);
          const text = await response.text();
          expect(text).not.toContain('not for anybody');
          if (response.status === 200) expect(text === SHELL || response.headers.get('etag')).toBeTruthy();
        },
      ),
    );
  });

  test('nor does one that no client has tidied', async () => {
    const { app } = await setUp();
    const listening = await listen({ host: '127.0.0.1', port: 0, fetch: app.fetch });
    onTestFinished(() => stopListening(listening, 0, async () => {}));
    for (const path of [
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/assets/..\\..\\secret.txt',
      '//assets/../secret.txt',
    ]) {
      const text = await rawGet(listening.port, path);
      expect(text, path).toMatch(/^HTTP\/1\.1 (200|400|404)/);
      expect(text, path).not.toContain('not for anybody');
    }
  });
});

/** The path as it is, which no client of Node's would send. */
async function rawGet(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
