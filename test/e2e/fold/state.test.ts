import { type Api, createApi } from '@infold/client/api';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { callTool, connectHttp, runJson, startServer, temporaryFolder } from '../support/program.ts';

interface Value {
  key: string;
  value: Record<string, unknown>;
}

/** Somebody of a team, at work in a project of it. */
async function startTeam() {
  const data = temporaryFolder();
  const ids: Record<string, string> = {};
  for (const name of ['open', 'closed']) {
    const added = await runJson<{ id: string }>(data, 'project', 'add', '--name', name, '--org', 'team');
    ids[name] = added.id;
  }
  const tokenOf = async (name: string, ...flags: string[]) =>
    (await runJson<{ token: string }>(data, 'token', 'create', '--name', name, '--org', 'team', ...flags))
      .token;
  const tokens = { ann: await tokenOf('ann'), ben: await tokenOf('ben') };
  const server = await startServer({ data });
  const client = await connectHttp(`${server.url}/mcp`, '2025', tokens.ann);
  const call = async (name: string, input: Record<string, unknown>) => {
    const { structuredContent, isError } = await callTool(client, name, { project_path: 'open', ...input });
    if (isError) throw new Error(JSON.stringify(structuredContent));
    return structuredContent as Record<string, string>;
  };
  const get = async (path: string, token = tokens.ann) => {
    const response = await fetch(`${server.url}/api/state/${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const api = (token = tokens.ann): Api => createApi({ url: server.url, token });
  return { data, ids, tokens, server, call, get, api };
}

/** Others write to the journal meanwhile. */
const withoutSeq = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, part) => (key === 'seq' ? 0 : part));

describe('the state of a session over HTTP', () => {
  test('has the keys and values of the seed, with slashes or dots', async () => {
    verifies('FOLD-14');
    const { ids, call, get, api } = await startTeam();
    const { branch_id, session_id } = await call('context_branch', {
      ...{ description: 'Search API logs for auth errors', prompt: 'Use grep to find all errors' },
    });
    const session = `team:ann/${ids.open}/${session_id}`;
    const active = await get(`${session}/branches/${branch_id}`);
    expect(active).toMatchObject({
      status: 200,
      body: {
        ...{
          id: branch_id,
          description: 'Search API logs for auth errors',
          status: 'active',
          parent_id: null,
        },
        ...{
          prompt: 'Use grep to find all errors',
          created_at: expect.any(String),
          tokens: expect.any(Number),
        },
      },
    });
    expect(withoutSeq(await get(`${session}/branches.${branch_id}`))).toEqual(withoutSeq(active));
    // As the bucket of a cluster spells the owner.
    const escaped = await get(`team=3Aann/${ids.open}/${session_id}/branches/${branch_id}`);
    expect(withoutSeq(escaped)).toEqual(withoutSeq(active));
    expect((await get(`${session}/meta/session_state`)).body).toMatchObject({
      ...{ session_id, active_branch_id: branch_id, branch_depth: 1, branch_path: ['main', branch_id] },
    });

    await api().reportOperations({
      id: session_id!,
      operations: [{ tool: 'bash', input: 'grep', tokens: 50 }],
    });
    await call('context_return', { message: 'Found 3 auth error patterns in logs' });
    expect((await get(`${session}/branches/${branch_id}`)).body).toMatchObject({
      ...{ id: branch_id, status: 'folded', summary: 'Found 3 auth error patterns in logs' },
      ...{ folded_at: expect.any(String), tokens_folded: expect.any(Number) },
    });
    const log = async (type: string) => {
      const { body } = await get(`${session}/events/${type}`);
      return body.values as Value[];
    };
    const [created] = await log('branch.created');
    expect(created).toMatchObject({ value: { type: 'branch.created', data: { branch_id } } });
    expect(await get(`${session}/${created!.key.replaceAll('.', '/')}`)).toEqual({
      status: 200,
      body: created!.value,
    });
    expect(await log('operation.completed')).toMatchObject([
      { value: { data: { tool: 'bash', branch_id } } },
    ]);
    expect(await log('branch.folded')).toMatchObject([{ value: { data: { branch_id } } }]);

    const all: Value[] = [];
    const address = { owner: 'team:ann', project: ids.open!, session: session_id! };
    for await (const value of api().listState.all({ ...address, limit: 1 })) all.push(value as Value);
    expect(all.map(({ key }) => key.replaceAll(/\.\d+\.\d+$/g, ''))).toEqual([
      `branches.${branch_id}`,
      'events.branch.created',
      'events.operation.completed',
      'events.branch.folded',
      'meta.session_state',
    ]);
    expect(withoutSeq((await api().listState(address)).values)).toEqual(withoutSeq(all));
    const first = await api().readState({ ...address, key: `branches.${branch_id}` });
    expect(withoutSeq(first)).toEqual(withoutSeq(all[0]!.value));
  });

  test('is for its owner alone, at its own address', async () => {
    const { ids, tokens, call, get } = await startTeam();
    const { session_id } = await call('context_branch', { description: 'a', prompt: 'b' });
    const unknown = { status: 404, body: { code: 'session_not_found' } };
    expect(await get(`team:ann/${ids.open}/${session_id}`, tokens.ben)).toMatchObject(unknown);
    expect(await get(`team:ben/${ids.open}/${session_id}`)).toMatchObject(unknown);
    expect(await get(`team:ann/${ids.closed}/${session_id}`)).toMatchObject(unknown);
    expect(await get(`team:ann/${ids.open}/sess_none`)).toMatchObject(unknown);
    const session = `team:ann/${ids.open}/${session_id}`;
    expect(await get(`${session}/branches/br_none`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect(await get(`${session}/evens`)).toMatchObject({
      body: { error: expect.stringContaining('there are branches, events.branch.created') },
    });
    expect(await get(`${session}?cursor=nowhere`)).toMatchObject({ status: 400 });
  });

  test('a forgotten branch keeps its figures and none of its words', async () => {
    const { data, ids, call, get } = await startTeam();
    const { branch_id, session_id } = await call('context_branch', {
      description: 'plan',
      prompt: 'of roses',
    });
    await call('context_return', { message: 'about roses' });
    const session = `team:ann/${ids.open}/${session_id}`;
    expect(JSON.stringify(await get(session))).toContain('roses');
    await runJson(data, 'forget', '--branch', branch_id!, '--org', 'team');
    await expect
      .poll(async () => (await get(`${session}/branches/${branch_id}`)).body, { timeout: 30_000 })
      .toMatchObject({ description: '[forgotten]', prompt: '', summary: '[forgotten]', status: 'folded' });
    expect(JSON.stringify(await get(session))).not.toContain('roses');
  });
});
