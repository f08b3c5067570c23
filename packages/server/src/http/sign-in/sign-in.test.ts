import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callsOf } from '../../cli/services/calls.ts';
import { revokeToken } from '../../system/actions/tokens.ts';
import {
  HOUR,
  makeToken,
  movableClock,
  noteTool,
  temporaryFolder,
  testConfig,
  testServices,
} from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { listDenials } from '../../trust/identity/queries.ts';
import { createHttpApp } from '../app.ts';
import { Metrics } from '../metrics.ts';
import { TokenCookies, withoutCookies } from './cookies.ts';
import { Seal } from './seal.ts';

const ORIGIN = 'http://localhost:4711';
const PAGE = { origin: ORIGIN, 'x-infold-console': '1', 'sec-fetch-site': 'same-origin' };

async function setUp(overrides: Parameters<typeof testConfig>[0] = {}) {
  const clock = movableClock();
  const services = await testServices({ clock, tools: [noteTool], config: testConfig(overrides) });
  const app = createHttpApp({ ...services, metrics: new Metrics(services.journal), ready: () => true });
  onTestFinished(async () => {
    await app.close();
    await services.settle();
  });
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    app.fetch(
      new Request(`${ORIGIN}${path}`, {
        method,
        headers: { host: 'localhost:4711', 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  const signIn = (token: unknown, keep = true, headers: Record<string, string> = PAGE) =>
    send('POST', '/api/sign-in', headers, { token, keep });
  /** Signs in as a browser does; answers what it sends from then on. */
  const cookieFor = async (token: string) => {
    const set = (await signIn(token)).headers.get('set-cookie')!;
    return { cookie: set.split(';')[0]! };
  };
  return { services, clock, send, signIn, cookieFor };
}

const status = (headers: Record<string, string>, { send }: Awaited<ReturnType<typeof setUp>>) =>
  send('GET', '/api/status', headers);
const project = { name: 'shop' };

describe('signing in', () => {
  test('tells who the token is, and keeps nothing unless it is asked to', async () => {
    const { services, signIn } = await setUp();
    const { token } = await makeToken(services.journal, { scopes: ['read'] });
    const response = await signIn(token, false);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      principal: 'alice',
      organisation: 'local',
      scopes: ['read'],
      expires_at: null,
    });
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test('keeps it where no script reads it, no other site sends it and nobody can tell what it is', async () => {
    verifies('CON-06');
    const { services, signIn } = await setUp();
    const { token } = await makeToken(services.journal);
    const set = (await signIn(` ${token}\n`)).headers.get('set-cookie')!;
    const [pair = '', ...fields] = set.split('; ');
    expect(pair).toMatch(/^infold_4711=[\w-]+$/);
    expect(fields).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${30 * 24 * 3600}`]);
    for (const part of [token, token.slice(4, 20)]) {
      expect(set).not.toContain(part);
      expect(Buffer.from(pair.slice('infold_4711='.length), 'base64url').toString('latin1')).not.toContain(
        part,
      );
    }
    const again = (await signIn(token)).headers.get('set-cookie');
    expect(again).not.toBe(set);
    const key = join(dirname(services.journal.database.path), 'console.key');
    expect(statSync(key).mode & 0o077).toBe(0);
  });

  test('the cookie ends when the token does, and is marked where TLS stands before the server', async () => {
    const { services, clock, signIn } = await setUp();
    const { token } = await makeToken(services.journal, { expiresAt: clock.read() + HOUR });
    const set = (await signIn(token)).headers.get('set-cookie');
    expect(set).toContain('Max-Age=3600');
    expect(set).not.toContain('Secure');
    const behind = await signIn(token, true, { ...PAGE, origin: 'https://localhost:4711' });
    expect(behind.headers.get('set-cookie')).toContain('; Secure');
  });

  test('says what is wrong with a token, and puts it on record', async () => {
    const { services, signIn } = await setUp();
    await makeToken(services.journal);
    const response = await signIn(['inf', 'nobody'].join('_'));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      code: 'unauthenticated',
      error:
        'The bearer token is not known here. The operator can make one with "infold token create --name NAME"',
    });
    expect(response.headers.get('set-cookie')).toBeNull();
    await services.denials.close();
    expect(listDenials(services.journal.database, 10, undefined)).toMatchObject([
      { principal: 'unknown', resource: '/api/sign-in', code: 'unauthenticated' },
    ]);
  });

  test('the page’s first look is refused and not put on record; whatever was tried is', async () => {
    const { services, send } = await setUp();
    await makeToken(services.journal);
    const wrong = ['inf', 'nobody'].join('_');
    const tries = [
      PAGE,
      {},
      { ...PAGE, authorization: `Bearer ${wrong}` },
      { ...PAGE, cookie: 'infold_4711=forged' },
    ];
    for (const headers of tries) expect((await send('GET', '/api/status', headers)).status).toBe(401);
    await services.denials.close();
    expect(listDenials(services.journal.database, 10, undefined)).toMatchObject([
      { principal: 'unknown', code: 'unauthenticated', count: tries.length - 1 },
    ]);
  });

  test.each([
    ['no token', {}, 400],
    ['an empty one', { token: ' ' }, 400],
    ['something else', { token: 7 }, 400],
    ['an unknown field', { token: 'x', remember: true }, 400],
    ['no JSON', 'token=x', 400],
    ['too much', { token: 'x'.repeat(20_000) }, 413],
  ])('refuses %s', async (_title, body, expected) => {
    const { send } = await setUp();
    expect((await send('POST', '/api/sign-in', PAGE, body)).status).toBe(expected);
  });

  test('guessing is slowed down like any other guessing', async () => {
    // Few, so that a slow machine gets none of them back meanwhile.
    const { signIn, services } = await setUp({ limits: { ...LIMITS, strangersPerMinute: 2 } });
    await makeToken(services.journal);
    const statuses: number[] = [];
    for (const guess of ['one', 'two', 'three']) statuses.push((await signIn(`inf_${guess}`)).status);
    expect(statuses).toEqual([401, 401, 429]);
  });

  test.each([
    ['of another site', { origin: 'https://evil.example', 'x-infold-console': '1' }],
    ['on another port of this machine', { origin: 'http://localhost:3000', 'x-infold-console': '1' }],
    ['that cannot send our header', { origin: ORIGIN }],
    ['that hides where it is from', { origin: 'null', 'x-infold-console': '1' }],
  ])('a page %s signs nobody in or out', async (_title, headers) => {
    const { services, send, signIn } = await setUp({ allowedOrigins: ['http://localhost:3000'] });
    const { token } = await makeToken(services.journal);
    for (const response of [
      await signIn(token, true, headers),
      await send('POST', '/api/sign-out', headers, {}),
    ]) {
      expect(response.status).toBe(403);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('a request that comes by the cookie', () => {
  test('is its token’s: it reads and changes what that may', async () => {
    verifies('CON-06');
    const made = await setUp();
    const { services, send, cookieFor } = made;
    const writer = await cookieFor((await makeToken(services.journal)).token);
    expect(await (await status(writer, made)).json()).toMatchObject({ principal: 'alice' });
    expect((await send('POST', '/api/projects', { ...PAGE, ...writer }, project)).status).toBe(201);
    const { token } = await makeToken(services.journal, { name: 'reader', scopes: ['read'] });
    const reader = await cookieFor(token);
    expect((await status(reader, made)).status).toBe(200);
    const refused = await send('POST', '/api/projects', { ...PAGE, ...reader }, { name: 'other' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('scope "write"') });
  });

  test.each([
    ['from a page of another site', { origin: 'https://evil.example', 'x-infold-console': '1' }],
    ['from another port of this machine', { origin: 'http://localhost:3000', 'x-infold-console': '1' }],
    [
      'from a page that is allowed here, but not ours',
      { origin: 'http://localhost:5000', 'x-infold-console': '1' },
    ],
    ['without our header', { origin: ORIGIN }],
    ['without an origin', { 'x-infold-console': '1' }],
  ])('changes nothing %s', async (_title, headers) => {
    verifies('CON-06');
    const { services, send, cookieFor } = await setUp({ allowedOrigins: ['http://localhost:5000'] });
    const { token, id } = await makeToken(services.journal, { scopes: ['read', 'write', 'admin'] });
    const own = await cookieFor(token);
    const head = services.journal.head().seq;
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'memory.note', arguments: { text: 'forged' } },
    };
    for (const [method, path, body] of [
      ['POST', '/api/projects', project],
      ['POST', '/mcp', call],
      ['DELETE', '/mcp', undefined],
      ['DELETE', `/api/tokens/${id}`, undefined],
    ] as const) {
      const response = await send(method, path, { ...own, ...headers }, body);
      expect([method, path, response.status]).toEqual([method, path, 403]);
    }
    expect(services.journal.head().seq).toBe(head);
  });

  test('is nobody’s where the browser says that another origin made it', async () => {
    const made = await setUp();
    const own = await made.cookieFor((await makeToken(made.services.journal)).token);
    for (const site of ['cross-site', 'same-site'])
      expect((await status({ ...own, 'sec-fetch-site': site }, made)).status).toBe(401);
    for (const site of ['same-origin', 'none'])
      expect((await status({ ...own, 'sec-fetch-site': site }, made)).status).toBe(200);
  });

  test('ends with its token', async () => {
    verifies('CON-06');
    const made = await setUp();
    const { id, token } = await makeToken(made.services.journal);
    const own = await made.cookieFor(token);
    await callsOf(made.services, localOwner)(revokeToken, { id });
    const response = await status(own, made);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'The bearer token was revoked' });
  });

  test('is as if it had none where the cookie was changed, is of another port or of another data folder', async () => {
    const made = await setUp();
    const { token } = await makeToken(made.services.journal);
    const { cookie } = await made.cookieFor(token);
    const [name = '', value = ''] = cookie.split('=');
    const middle = Math.floor(value.length / 2);
    const changed = `${value.slice(0, middle)}${value[middle] === 'A' ? 'B' : 'A'}${value.slice(middle + 1)}`;
    const elsewhere = await setUp();
    await makeToken(elsewhere.services.journal);
    for (const bad of [
      `${name}=${changed}`,
      `${name}=`,
      `${name}=x`,
      `infold_1=${value}`,
      `${name}=${token}`,
    ]) {
      const response = await status({ cookie: bad }, made);
      expect(await response.json()).toMatchObject({
        error: 'A bearer token is required: send "Authorization: Bearer inf_…"',
      });
    }
    expect((await status({ cookie }, elsewhere)).status).toBe(401);
    const other = await made.send('GET', '/api/status', { cookie, host: 'localhost:5000' });
    expect(other.status).toBe(401);
  });

  test('is not asked where a header says who it is', async () => {
    const made = await setUp();
    const own = await made.cookieFor((await makeToken(made.services.journal)).token);
    const { token } = await makeToken(made.services.journal, { name: 'bob' });
    const both = { ...own, authorization: `Bearer ${token}` };
    expect(await (await status(both, made)).json()).toMatchObject({ principal: 'bob' });
    // A program with a token is no page, and needs no header.
    expect((await made.send('POST', '/api/projects', both, project)).status).toBe(201);
  });

  test('is over when somebody signs out', async () => {
    const { services, send, cookieFor } = await setUp();
    const own = await cookieFor((await makeToken(services.journal)).token);
    const response = await send('POST', '/api/sign-out', { ...PAGE, ...own }, {});
    expect(response.headers.get('set-cookie')).toBe(
      'infold_4711=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    );
  });

  test('a token that no cookie can hold is told so', async () => {
    const cookies = new TokenCookies({ path: join(temporaryFolder(), 'infold.db') });
    expect(() => cookies.keep('x'.repeat(4000), new Headers({ host: 'localhost' }), undefined)).toThrow(
      'too long for a cookie',
    );
  });
});

test('what is sealed opens with the key of its folder alone, for what it was sealed for', () => {
  const path = join(temporaryFolder(), 'key');
  const sealed = new Seal(path).seal('a word', 'one');
  expect(new Seal(path).open(sealed, 'one')).toBe('a word');
  expect(new Seal(path).open(sealed, 'other')).toBeUndefined();
  expect(new Seal(join(temporaryFolder(), 'key')).open(sealed, 'one')).toBeUndefined();
});

test('a cookie header loses what is ours and nothing else', () => {
  expect(withoutCookies('a=1;b=2')).toBe('a=1;b=2');
  expect(withoutCookies('a=1; infold_9090=xyz; b=2; infold_80=q')).toBe('a=1; b=2');
  expect(withoutCookies('infold_9090=xyz')).toBe('');
});
