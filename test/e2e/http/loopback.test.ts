import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer, upgradeStatus } from '../support/gateway.ts';
import { post, run, runJson, startServer, statusCall, temporaryFolder, until } from '../support/program.ts';

const tokenIn = (text: string) => /inf_[\w-]+/.exec(text)?.[0];

describe('a server of this machine without tokens', () => {
  test('lets pages of other ports neither change anything nor join a pod, unless they are allowed', async () => {
    verifies('KERN-11');
    const page = 'http://localhost:3000';
    const server = await startServer();
    expect((await post(`${server.url}/mcp`, statusCall, { origin: page })).status).toBe(403);
    expect((await post(`${server.url}/mcp`, statusCall, { origin: server.url })).status).toBe(200);
    expect(await upgradeStatus(server.url, '/ws?pod=p', { origin: page })).toBe(403);
    await Peer.join(server.url, { pod: 'p' }, { origin: server.url });

    const open = await startServer({ env: { INFOLD_ALLOWED_ORIGINS: page } });
    expect((await post(`${open.url}/mcp`, statusCall, { origin: page })).status).toBe(200);
    await Peer.join(open.url, { pod: 'p' }, { origin: page });
  });

  test('takes no body that a page could send unasked', async () => {
    verifies('KERN-11');
    const { url } = await startServer();
    const body = JSON.stringify({ content: 'remembered by a stranger' });
    const sent = (headers: Record<string, string>) =>
      fetch(`${url}/api/memory/items`, { method: 'POST', body, headers });
    expect((await sent({})).status).toBe(415);
    expect((await sent({ 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await sent({ 'content-type': 'application/json' })).status).toBeLessThan(300);
  });
});

describe('serve --secure', () => {
  test('that finds its port taken leaves no token behind that nobody was shown', async () => {
    const holder = await startServer();
    const data = temporaryFolder();
    const { code } = await run(['serve', '--secure', '--port', String(holder.port), '--data', data]);
    expect(code).toBe(1);
    const server = await startServer({ data, args: ['--secure'] });
    await until(() => server.stdout().includes('shown once'));
  });

  test('makes a token, shows it below the first line and nowhere else, and needs it at once', async () => {
    verifies('KERN-10', 'KERN-13');
    const server = await startServer({ args: ['--secure'] });
    await until(() => server.stdout().includes('token revoke'));
    const [first] = server.stdout().split('\n');
    expect(first).toBe(`infold listening on ${server.url}`);
    const token = tokenIn(server.stdout())!;
    expect(server.stdout()).toContain(`${server.url}/mcp`);
    expect((await post(`${server.url}/mcp`, statusCall)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await post(`${server.url}/mcp`, statusCall, headers)).status).toBe(200);
    expect((await fetch(`${server.url}/metrics`, { headers })).status).toBe(200);
    const { stderr } = await server.stop();
    expect(stderr).toContain('serving');
    expect(stderr).not.toContain(token);

    const again = await startServer({ data: server.data, args: ['--secure'] });
    expect((await post(`${again.url}/mcp`, statusCall, headers)).status).toBe(200);
    expect(tokenIn((await again.stop()).stdout)).toBeUndefined();
  });

  test('makes another one when none opens anything any more', async () => {
    const data = temporaryFolder();
    const { id } = await runJson<{ id: string }>(data, 'token', 'create', '--name', 'gone');
    await run(['--data', data, 'token', 'revoke', id]);
    const server = await startServer({ data, args: ['--secure'] });
    await until(() => server.stdout().includes('token revoke'));
    const headers = { authorization: `Bearer ${tokenIn(server.stdout())}` };
    expect((await post(`${server.url}/mcp`, statusCall, headers)).status).toBe(200);
  });
});
