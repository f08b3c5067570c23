import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, createApi } from '@infold/client/api';
import { expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
} from '../support/program.ts';

const EVERY_DOOR = ['--toolsets', 'fold,library,memory,transient,gateway'];

async function tokenFor(data: string, name: string, org: string, scope: string): Promise<string> {
  const flags = ['--name', name, '--org', org, '--scope', scope];
  return (await runJson<{ token: string }>(data, 'token', 'create', ...flags)).token;
}

const headOf = async ({ url }: Server, token: string) => {
  const response = await fetch(`${url}/readyz`, { headers: { authorization: `Bearer ${token}` } });
  return ((await response.json()) as { seq: number }).seq;
};

/** Pods are told of what agents do a moment later. */
async function settledHead(server: Server, token: string): Promise<number> {
  let [before, now] = [-1, -1];
  const hasSettled = async () => {
    [before, now] = [now, await headOf(server, token)];
    return before === now;
  };
  await expect.poll(hasSettled, { interval: 1000 }).toBe(true);
  return now;
}

async function statusesOf(api: Api, id: string): Promise<string[]> {
  const { branches } = await api.listSessionBranches({ id });
  return branches.map(({ status }) => status).sort();
}

test('sample data are made once, by what agents use, and are there after a restart', async () => {
  const data = temporaryFolder();
  const ann = await tokenFor(data, 'ann', 'team', 'read,write');
  const ben = await tokenFor(data, 'ben', 'team', 'read,write');
  const stranger = await tokenFor(data, 'stranger', 'other', 'read,write');
  const first = await startServer({ data, args: EVERY_DOOR });
  const api = createApi({ url: first.url, token: ann });
  const [made, same] = await Promise.all([api.loadSamples(), api.loadSamples()]);
  expect(made).toEqual(same);
  expect(made).toMatchObject({
    project: { name: 'Sample' },
    records: 'sample_activities',
    workflow: 'reclassify',
    created: true,
  });
  const seq = await settledHead(first, ann);
  expect(await api.loadSamples()).toEqual({ ...made, created: false });
  expect(await settledHead(first, ann)).toBe(seq);

  // A session with everything that a tree can show.
  expect(await statusesOf(api, made.session_id!)).toEqual(['active', 'discarded', 'folded', 'folded']);
  const { sessions } = await api.listSessions();
  expect(sessions.map(({ id }) => id)).toEqual([made.session_id]);

  // A conversation that shrinks, of which no money is claimed.
  const window = await api.readWindow({ id: made.conversation! });
  expect(window).toMatchObject({ host: 'sample', model: 'sample-model', totals: { money: null } });
  expect(window.totals.tokens.sent).toBeLessThan(window.totals.tokens.asked * 0.7);
  const { turns } = await api.listWindowTurns({ id: made.conversation!, limit: 50 });
  const rules = new Set(turns.flatMap(({ gone }) => gone.map(({ rule }) => rule)));
  expect([...rules].sort()).toEqual(['consumed', 'discarded', 'folded', 'repeated', 'shortened']);
  expect(turns.every(({ answer }) => answer?.usage && answer.money === null)).toBe(true);

  // Another member has the same project, and a session of their own.
  const other = await createApi({ url: first.url, token: ben }).loadSamples();
  expect(other).toMatchObject({ project: made.project, created: true });
  expect(other.session_id).not.toBe(made.session_id);
  await first.stop();

  const second = await startServer({ data, args: EVERY_DOOR });
  const client = await connectHttp(`${second.url}/mcp?project=Sample`, '2025', ann);
  const { structuredContent: page } = await callTool(client, 'search_records', {
    ...{ model: 'sample_activities', page: 9, per_page: 15 },
  });
  expect(page).toMatchObject({ pagination: { total: 132, total_pages: 9 } });
  const { structuredContent: step } = await callTool(client, 'get_workflow_step', {
    ...{ workflow: 'reclassify', step: 2 },
  });
  expect(JSON.stringify(step)).toContain('sample_activities');
  const again = await createApi({ url: second.url, token: ann }).loadSamples();
  expect(again).toEqual({ ...made, created: false });
  const elsewhere = await connectHttp(`${second.url}/mcp`, '2025', stranger);
  expect(JSON.stringify((await callTool(elsewhere, 'search_records', {})).structuredContent)).not.toContain(
    'sample_activities',
  );
  for (const path of ['samples', 'samples/activities.jsonl', 'samples/library'])
    expect(statSync(join(data, path)).mode & 0o077, path).toBe(0);
  await second.stop();
});

test('sample data are made by who may write, with the doors that are open', async () => {
  verifies('CON-06');
  const data = temporaryFolder();
  const reader = await tokenFor(data, 'reader', 'team', 'read');
  const writer = await tokenFor(data, 'writer', 'team', 'read,write');
  const server = await startServer({ data, args: ['--toolsets', 'memory'] });
  const reading = createApi({ url: server.url, token: reader });
  await expect(reading.loadSamples()).rejects.toMatchObject({ status: 403 });
  expect((await reading.listProjects()).projects).toEqual([]);
  const api = createApi({ url: server.url, token: writer });
  const made = await api.loadSamples();
  expect(made).toMatchObject({ created: true, items: 3 });
  expect((await api.readWindow({ id: made.conversation! })).totals.requests).toBeGreaterThan(5);
  await server.stop();
});

test('a project of the same name that has workflows of its own is left alone', async () => {
  const data = temporaryFolder();
  await runJson(data, 'project', 'add', '--name', 'Sample');
  await runJson(data, 'init', '--project', 'Sample');
  const again = await startServer({ data });
  const refused = createApi({ url: again.url }).loadSamples();
  await expect(refused).rejects.toMatchObject({ status: 409, message: expect.stringContaining('"Sample"') });
  await again.stop();
});

test('sample data are whole also where nobody waits for them', async () => {
  const data = temporaryFolder();
  const server = await startServer({ data });
  const leaving = new AbortController();
  const asked = createApi({ url: server.url }).loadSamples({}, { signal: leaving.signal });
  setTimeout(() => leaving.abort(), 300);
  await asked.catch(() => {});
  const api = createApi({ url: server.url });
  const made = await api.loadSamples();
  const { totals } = await api.readWindow({ id: made.conversation! });
  expect(totals.requests).toBe(26);
  expect(await statusesOf(api, made.session_id!)).toEqual(['active', 'discarded', 'folded', 'folded']);
  await server.stop();
});
