import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  ERAS,
  post,
  run,
  runJson,
  startServer,
  statusCall,
  temporaryFolder,
} from '../support/program.ts';

interface MadeToken {
  id: string;
  token: string;
  projects: string[] | null;
  scopes: string[];
  expires_at: string | null;
}

const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

describe('tokens', () => {
  test('are shown once, listed without their secret, and revoked', async () => {
    const data = temporaryFolder();
    const made = await runJson<MadeToken>(
      data,
      'token',
      'create',
      '--name',
      'alice',
      '--scope',
      'read',
      '--expires',
      '30d',
    );
    expect(made).toMatchObject({
      name: 'alice',
      org: 'local',
      scopes: ['read'],
      projects: null,
      capabilities: ['*'],
    });
    expect(made.token).toMatch(/^inf_/);
    const days = (Date.parse(made.expires_at!) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    const listed = await run(['--data', data, '--json', 'token', 'list']);
    expect(listed.stdout).not.toContain(made.token);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      tokens: [{ id: made.id, name: 'alice', revoked_at: null }],
    });
    expect((await run(['--data', data, 'token', 'list'])).stdout).toMatch(/alice.*active/);
    await runJson(data, 'token', 'revoke', made.id);
    expect((await run(['--data', data, 'token', 'list'])).stdout).toMatch(/alice.*revoked/);
    expect((await run(['--data', data, 'token', 'revoke', made.id])).stdout).toContain('was already revoked');
    expect((await run(['--data', data, 'token', 'revoke', 'tok_none'])).code).toBe(1);
  });

  test('once one was made, HTTP needs one: at once, and still after the last was revoked', async () => {
    verifies('KERN-10');
    const server = await startServer();
    const url = `${server.url}/mcp`;
    expect((await post(url, statusCall)).status).toBe(200);
    const alice = await runJson<MadeToken>(server.data, 'token', 'create', '--name', 'alice');
    for (const [path, method] of [
      ['/mcp', 'POST'],
      ['/mcp', 'GET'],
      ['/mcp/tools/list', 'GET'],
      ['/metrics', 'GET'],
    ]) {
      const response = await fetch(`${server.url}${path}`, { method: method! });
      expect(`${method} ${path} ${response.status}`).toBe(`${method} ${path} 401`);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
    }
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await post(url, '{ broken')).status).toBe(401);
    expect((await post(url, statusCall, bearer({ token: 'inf_guess' }))).status).toBe(401);
    const answer = (await (await post(url, statusCall, bearer(alice))).json()) as {
      result: { structuredContent: unknown };
    };
    expect(answer.result.structuredContent).toMatchObject({ principal: 'alice', organisation: 'local' });
    await runJson(server.data, 'token', 'revoke', alice.id);
    expect((await post(url, statusCall, bearer(alice))).status).toBe(401);
    expect((await post(url, statusCall)).status).toBe(401);
  });

  test('an expired one is refused', async () => {
    verifies('KERN-10');
    const server = await startServer();
    const short = await runJson<MadeToken>(
      server.data,
      'token',
      'create',
      '--name',
      'alice',
      '--expires',
      '6s',
    );
    const status = async () => (await post(`${server.url}/mcp`, statusCall, bearer(short))).status;
    expect(await status()).toBe(200);
    await expect.poll(status, { interval: 200 }).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(short.expires_at!));
  });

  test('an open 2025-era connection ends with its token', async () => {
    const server = await startServer();
    const alice = await runJson<MadeToken>(server.data, 'token', 'create', '--name', 'alice');
    const client = await connectHttp(`${server.url}/mcp`, '2025', alice.token);
    expect((await callTool(client, 'infold_status')).structuredContent.principal).toBe('alice');
    await runJson(server.data, 'token', 'revoke', alice.id);
    await expect(callTool(client, 'infold_status')).rejects.toThrow();
  });
});

describe('projects', () => {
  test.each(ERAS)('a token of one project opens no other (%s)', async (era) => {
    verifies('KERN-10');
    const server = await startServer();
    await runJson(server.data, 'project', 'add', '--name', 'shop', '--path', '/home/someone/shop');
    const bank = await runJson<{ id: string }>(
      server.data,
      'project',
      'add',
      '--name',
      'bank',
      '--path',
      '/home/someone/bank',
    );
    const { token } = await runJson<MadeToken>(
      server.data,
      'token',
      'create',
      '--name',
      'alice',
      '--project',
      'shop',
    );
    const client = await connectHttp(`${server.url}/mcp`, era, token);
    expect((await callTool(client, 'infold_status', { project: 'shop' })).isError).toBe(false);
    for (const project of ['bank', bank.id, '/home/someone/bank']) {
      expect(await callTool(client, 'infold_status', { project })).toMatchObject({
        isError: true,
        content: [{ text: `Project access denied: ${bank.id}` }],
        structuredContent: { code: 'project_denied' },
      });
    }
    const elsewhere = await connectHttp(`${server.url}/mcp?project=bank`, era, token);
    expect((await callTool(elsewhere, 'infold_status')).content[0]?.text).toBe(
      `Project access denied: ${bank.id}`,
    );
  });

  test('a token that may only read writes nothing', async () => {
    const server = await startServer();
    const { token } = await runJson<MadeToken>(
      server.data,
      'token',
      'create',
      '--name',
      'reader',
      '--scope',
      'read',
    );
    const client = await connectHttp(`${server.url}/mcp`, '2026', token);
    const input = { description: 'One', prompt: 'Work', project_path: '/home/someone/shop' };
    expect(await callTool(client, 'context_branch', input)).toMatchObject({
      isError: true,
      structuredContent: { code: 'forbidden', error: expect.stringContaining('"write"') },
    });
    expect((await runJson<{ projects: unknown[] }>(server.data, 'project', 'list')).projects).toEqual([]);
  });
});

describe('an address that others can reach', () => {
  test('is not served without a token', async () => {
    verifies('KERN-11');
    const { code, stdout, stderr } = await run([
      'serve',
      '--port',
      '0',
      '--host',
      '0.0.0.0',
      '--data',
      temporaryFolder(),
    ]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^infold: Serving on 0\.0\.0\.0 needs a token first: "infold token create[^\n]*\n$/,
    );
  });

  test('is served once a token was made, and a hostile name still gets 403', async () => {
    verifies('KERN-11');
    const data = temporaryFolder();
    const alice = await runJson<MadeToken>(data, 'token', 'create', '--name', 'alice');
    const server = await startServer({ data, args: ['--host', '0.0.0.0'] });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    expect((await post(url, statusCall)).status).toBe(401);
    expect((await post(url, statusCall, bearer(alice))).status).toBe(200);
    expect((await post(url, statusCall, { ...bearer(alice), origin: 'https://evil.example' })).status).toBe(
      403,
    );
  });
});
