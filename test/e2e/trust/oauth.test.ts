import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer, upgradeStatus } from '../support/gateway.ts';
import {
  callTool,
  connectHttp,
  type Server as InfoldServer,
  post,
  startServer,
  statusCall,
  temporaryFolder,
} from '../support/program.ts';

/** An issuer of tokens with its keys on an address of its own. */
async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const server: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [key] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issue = (claims: JWTPayload, more: { audience?: string; expires?: string; issuer?: string } = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(more.issuer ?? url)
      .setAudience(more.audience ?? 'infold')
      .setExpirationTime(more.expires ?? '5m')
      .sign(privateKey);
  return { url, issue, close: () => server.close() };
}

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let server: InfoldServer;
beforeAll(async () => {
  issuer = await startIssuer();
  const config = join(temporaryFolder(), 'infold.config.json');
  const oauth = { issuer: issuer.url, audience: 'infold', jwks: `${issuer.url}/keys`, orgClaim: 'org' };
  writeFileSync(config, JSON.stringify({ oauth }));
  server = await startServer({ args: ['--config', config] });
});
afterAll(() => issuer.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('tokens of a configured issuer', () => {
  test('open what their claims say', async () => {
    verifies('KERN-10');
    const token = await issuer.issue({ sub: 'alice', org: 'acme', scope: 'openid infold:read write' });
    const client = await connectHttp(`${server.url}/mcp`, '2026', token);
    const status = await callTool(client, 'infold_status', {});
    expect(status.structuredContent).toMatchObject({
      organisation: 'acme',
      principal: 'alice',
      scopes: ['read', 'write'],
    });
  });

  test('without the scope a tool is refused', async () => {
    const token = await issuer.issue({ sub: 'bob', org: 'acme', scope: 'infold:read' });
    const client = await connectHttp(`${server.url}/mcp`, '2026', token);
    const input = { description: 'd', prompt: 'p', project_path: '/x' };
    expect((await callTool(client, 'context_branch', input)).structuredContent).toMatchObject({
      code: 'forbidden',
    });
  });

  test('without an organisation nothing is open', async () => {
    verifies('KERN-10');
    const token = await issuer.issue({ sub: 'alice', scope: 'read' });
    const response = await post(`${server.url}/mcp`, statusCall, bearer(token));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: 'Organization context required' });
  });

  test.each([
    ['expired', { expires: '-1m' }],
    ['for somebody else', { audience: 'another-service' }],
    ['of another issuer', { issuer: 'https://issuer.example' }],
  ])('%s are refused', async (_what, more) => {
    verifies('KERN-10');
    const token = await issuer.issue({ sub: 'alice', org: 'acme', scope: 'read' }, more);
    expect((await post(`${server.url}/mcp`, statusCall, bearer(token))).status).toBe(401);
  });

  test('with a changed signature are refused, and so is no token at all, with a pointer to the metadata', async () => {
    verifies('KERN-10');
    const token = await issuer.issue({ sub: 'alice', org: 'acme', scope: 'read' });
    expect((await post(`${server.url}/mcp`, statusCall, bearer(`${token.slice(0, -4)}AAAA`))).status).toBe(
      401,
    );
    const response = await post(`${server.url}/mcp`, statusCall);
    expect(response.status).toBe(401);
    const address = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate')!)![1]!;
    expect(await (await fetch(address)).json()).toMatchObject({
      resource: `${server.url}/mcp`,
      authorization_servers: [issuer.url],
      scopes_supported: ['infold:read', 'infold:write', 'infold:review', 'infold:admin'],
    });
  });

  test('end a connection to a pod when they end', async () => {
    verifies('KERN-10', 'SUB-07');
    const token = await issuer.issue({ sub: 'alice', org: 'acme', scope: 'read write' }, { expires: '2s' });
    const alice = await Peer.join(server.url, { pod: 'p', token });
    expect(await alice.closed).toMatchObject({ code: 4001 });
  });

  test('make nobody the owner of the machine, who may choose a name', async () => {
    verifies('SUB-07');
    const token = await issuer.issue({ sub: 'mallory', org: 'local', scope: 'read write admin' });
    expect(await upgradeStatus(server.url, `/ws?pod=p&participant=alice&token=${token}`)).toBe(403);
  });
});
