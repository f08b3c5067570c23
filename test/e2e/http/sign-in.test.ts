import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { runJson, type Server, startServer, temporaryFolder } from '../support/program.ts';
import { JSON_TYPE, send, startUpstream } from '../support/upstream.ts';

/** A person at the console's page, with a token: what their browser sends. */
let data: string;
let token: string;

beforeAll(async () => {
  data = temporaryFolder();
  token = (await runJson<{ token: string }>(data, 'token', 'create', '--name', 'ann')).token;
});

const pageOf = (server: Server) => ({ origin: server.url, 'x-infold-console': '1' });

async function signIn(server: Server): Promise<string> {
  const response = await fetch(`${server.url}/api/sign-in`, {
    method: 'POST',
    headers: { ...pageOf(server), 'content-type': 'application/json' },
    body: JSON.stringify({ token, keep: true }),
  });
  expect(response.status).toBe(200);
  return response.headers.get('set-cookie')!.split(';')[0]!;
}

describe('a console that is signed in by its cookie', () => {
  test('stays signed in after a restart, on the same port', async () => {
    verifies('CON-06');
    const first = await startServer({ data });
    const cookie = await signIn(first);
    const status = (server: Server) => fetch(`${server.url}/api/status`, { headers: { cookie } });
    expect(await (await status(first)).json()).toMatchObject({ principal: 'ann' });
    const { port } = new URL(first.url);
    await first.stop();
    const second = await startServer({ data, args: ['--port', port] });
    expect((await status(second)).status).toBe(200);
    await second.stop();
    const elsewhere = await startServer({ data });
    expect((await status(elsewhere)).status).toBe(401);
    await elsewhere.stop();
  });

  test('asks a model, which learns neither of the token nor of the page', async () => {
    verifies('CON-06');
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, JSON_TYPE);
      response.end('{}');
    });
    const server = await startServer({ data, args: ['--upstream', `openai=${upstream.url}`] });
    const cookie = await signIn(server);
    const ask = (headers: Record<string, string>, path = 'v1/chat/completions') =>
      send(`${server.url}/model/openai/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-kept': 'yes', ...headers },
        body: '{"model":"m","messages":[]}',
      });
    const ours = {
      ...pageOf(server),
      cookie: `theme=dark; ${cookie}`,
      referer: `${server.url}/conversation`,
    };
    expect((await ask({ ...ours, 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' })).status).toBe(
      200,
    );
    expect((await ask({ 'x-infold-token': token, cookie: `a=1; ${cookie}` })).status).toBe(200);
    for (const { headers, url } of upstream.arrived) {
      const told = JSON.stringify({ headers, url });
      for (const secret of [token, cookie, 'infold', server.url]) expect(told).not.toContain(secret);
      expect(headers['x-kept']).toBe('yes');
    }
    expect(upstream.arrived.map(({ headers }) => headers.cookie)).toEqual([undefined, 'a=1']);
    // Refused: without our header, from elsewhere, with a wrong token, and opened as a page.
    for (const [headers, status] of [
      [{ cookie, origin: server.url }, 403],
      [{ cookie, 'x-infold-console': '1', origin: 'http://localhost:3000' }, 403],
      [{ 'x-infold-token': 'inf_wrong' }, 401],
      [{}, 401],
      [{ 'x-infold-token': token, 'sec-fetch-dest': 'document' }, 403],
    ] as [Record<string, string>, number][]) {
      expect((await ask(headers)).status, JSON.stringify(headers)).toBe(status);
    }
    expect(upstream.arrived).toHaveLength(2);
    await server.stop();
  });
});
