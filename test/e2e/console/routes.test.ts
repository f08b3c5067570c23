import { randomUUID } from 'node:crypto';
import { type Api, createApi } from '@infold/client/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
} from '../support/program.ts';

/** What a console does with a session, over the routes that are made for it. */
let server: Server;
const tokens: Record<string, string> = {};
const apiOf = (name: string): Api => createApi({ url: server.url, token: tokens[name]! });

beforeAll(async () => {
  const data = temporaryFolder();
  for (const [name, scope] of [
    ['ann', 'read,write'],
    ['ben', 'read,write'],
    ['reader', 'read'],
    ['head', 'read,write,review,admin'],
  ] as const) {
    const flags = ['--name', name, '--org', 'team', '--scope', scope];
    tokens[name] = (await runJson<{ token: string }>(data, 'token', 'create', ...flags)).token;
  }
  server = await startServer({ data, args: ['--toolsets', 'fold,library,memory,transient,gateway'] });
});

const project_path = '/home/ann/shop';

/** A session of ann's with two open branches, the second within the first. */
async function openBranches(): Promise<{ session: string; outer: string; inner: string }> {
  const client = await connectHttp(`${server.url}/mcp`, '2025', tokens.ann);
  const branch = async (description: string) => {
    const { structuredContent } = await callTool(client, 'context_branch', {
      ...{ description, prompt: 'Look for the cause', project_path },
    });
    return structuredContent as { branch_id: string; session_id: string };
  };
  const outer = await branch('outer');
  const inner = await branch('inner');
  await client.close();
  return { session: outer.session_id, outer: outer.branch_id, inner: inner.branch_id };
}

describe('branches over HTTP', () => {
  test('are folded, expanded and rolled back by their owner', async () => {
    const api = apiOf('ann');
    const { session, outer, inner } = await openBranches();
    const folded = await api.contextReturn({ branch_id: inner, message: 'It was the cache' });
    expect(folded).toMatchObject({ branch_id: inner, parent_branch_id: outer });
    const found = await api.contextExpand({ handle: inner, per_page: 1 });
    expect(found).toMatchObject({ handle: inner, kind: 'branch', page: 1 });
    expect(JSON.stringify(await api.contextExpand({ handle: inner }))).toContain('Look for the cause');
    const given = await api.contextRollback({ branch_id: outer, abandon: true });
    expect(given).toMatchObject({ rolled_back_to: 'main', branches_discarded: [outer] });
    const back = await api.contextRollback({ branch_id: 'main', session_id: session });
    expect(back).toMatchObject({ rolled_back_to: 'main', context_state: { active_branch_id: null } });
  });

  test('are not there for others, and not changed by who may only read', async () => {
    verifies('CON-06');
    const { session, inner } = await openBranches();
    const ben = apiOf('ben');
    const missing = { status: 404 };
    await expect(ben.contextExpand({ handle: inner })).rejects.toMatchObject(missing);
    await expect(ben.contextReturn({ branch_id: inner, message: 'mine now' })).rejects.toMatchObject(missing);
    await expect(ben.contextRollback({ branch_id: inner })).rejects.toMatchObject(missing);
    await expect(ben.contextRollback({ branch_id: 'main', session_id: session })).rejects.toMatchObject(
      missing,
    );
    const reader = apiOf('reader');
    const refused = { status: 403, code: 'forbidden' };
    await expect(reader.contextReturn({ branch_id: inner, message: 'x' })).rejects.toMatchObject(refused);
    await expect(reader.contextRollback({ branch_id: inner })).rejects.toMatchObject(refused);
    const { branches } = await apiOf('ann').listSessionBranches({ id: session });
    expect(branches.map(({ status }) => status)).toEqual(['active', 'active']);
  });

  test('say what is missing', async () => {
    const response = await fetch(`${server.url}/api/branches/br_1/fold`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
      body: '{"message": "x", "project_path": "/home/ann/shop"}',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: 'Unknown field "project_path"; allowed are message, sources',
    });
  });
});

describe('what the server tells of itself', () => {
  test('who is asking, and what they may do', async () => {
    expect(await apiOf('reader').infoldStatus()).toMatchObject({
      organisation: 'team',
      principal: 'reader',
      scopes: ['read'],
    });
    await expect(apiOf('reader').infoldStatus({ project: 'nowhere' })).rejects.toMatchObject({ status: 404 });
  });

  test('its tools, with what was called', async () => {
    await openBranches();
    const { tools, tokens: all } = await apiOf('reader').listTools();
    expect(all).toBeGreaterThan(1000);
    expect(tools.find(({ name }) => name === 'context_branch')?.calls).toBeGreaterThan(1);
  });

  test('its connections, as far as one may see them', async () => {
    verifies('CON-06');
    await openBranches();
    const seen = async (name: string) => (await apiOf(name).listConnections()).connections;
    expect((await seen('ann')).every(({ principal }) => principal === 'ann')).toBe(true);
    expect((await seen('ann')).length).toBeGreaterThan(0);
    expect(await seen('ben')).toEqual([]);
    expect((await seen('head')).map(({ principal }) => principal)).toContain('ann');
  });

  test('which clients are connected, and participants of pods', async () => {
    // Somebody whom no earlier try has connected.
    const room = `room-${randomUUID()}`;
    const principal = `ben-${randomUUID()}`;
    const create = ['token', 'create', '--name', principal, '--org', 'team', '--scope', 'read,write'];
    const { token } = await runJson<{ token: string }>(server.data, ...create);
    const client = await connectHttp(`${server.url}/mcp`, '2025', token, fetch, 'editor');
    await callTool(client, 'infold_status');
    const own = async () => (await createApi({ url: server.url, token }).listConnections()).connections;
    expect(await own()).toMatchObject([{ kind: 'mcp', name: 'editor', principal, is_open: true }]);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?pod=${room}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await new Promise((resolve) => socket.once('message', resolve));
    expect(await own()).toContainEqual(
      expect.objectContaining({ kind: 'gateway', pod: room, principal, is_open: true }),
    );
    socket.terminate();
    await expect.poll(async () => (await own()).map(({ kind }) => kind)).toEqual(['mcp']);
  });

  test('its configuration, to who may administer it', async () => {
    verifies('CON-06');
    const { values } = await apiOf('head').readConfig();
    expect(values.toolsets?.origin).toBe('flag');
    await expect(apiOf('ann').readConfig()).rejects.toMatchObject({ status: 403 });
  });
});
