import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  ERAS,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
} from '../support/program.ts';

/** Two windows of one person in one folder, with the real clients: whose session is it? */

const PROJECT = '/home/someone/shop';

interface Begun {
  branch_id: string;
  session_id: string;
  [key: string]: unknown;
}

async function branch(client: Client, description: string, more: object = {}): Promise<Begun> {
  const input = { description, prompt: `Look into ${description}`, project_path: PROJECT, ...more };
  return (await callTool(client, 'context_branch', input)).structuredContent as Begun;
}

const answer = async (client: Client, name: string, input: object = {}) =>
  (await callTool(client, name, { project_path: PROJECT, ...input })).structuredContent;

const rpcError = (client: Client, name: string, input: object = {}) =>
  callTool(client, name, { project_path: PROJECT, ...input }).then(
    () => undefined,
    (error: unknown) => error as { code: number; message: string; data: unknown },
  );

async function listed(client: Client): Promise<string[]> {
  const { branches } = await answer(client, 'context_list_branches');
  return (branches as { description: string }[]).map(({ description }) => description);
}

/** What must hold for two connections that name no session, whichever kind they are. */
async function neverMeet(left: Client, right: Client): Promise<void> {
  const ours = await branch(left, 'left');
  const theirs = await branch(right, 'right');
  expect(theirs.session_id).not.toBe(ours.session_id);
  expect(theirs.parent_branch_id).toBeNull();
  expect(await listed(left)).toEqual(['left']);
  expect(await listed(right)).toEqual(['right']);
  // Not even by naming the other's branch: that takes its session's id.
  expect(await rpcError(left, 'context_return', { message: 'x', branch_id: theirs.branch_id })).toMatchObject(
    {
      code: -32602,
    },
  );
  const folded = await answer(left, 'context_return', { message: 'left is done' });
  expect(folded.branch_id).toBe(ours.branch_id);
  expect(await rpcError(left, 'context_return', { message: 'again' })).toMatchObject({ code: -32003 });
  expect(await answer(right, 'context_branch_status')).toMatchObject({
    session_id: theirs.session_id,
    active_branch_id: theirs.branch_id,
  });
  expect(
    await answer(left, 'context_return', {
      message: 'theirs, on purpose',
      branch_id: theirs.branch_id,
      session_id: theirs.session_id,
    }),
  ).toMatchObject({ branch_id: theirs.branch_id });
}

describe.each(ERAS)('two stdio processes in one folder, in the %s era', (era) => {
  test('have a session each', async () => {
    verifies('KERN-17');
    const data = temporaryFolder();
    const { client: left } = await connectStdio(era, data, ['--project', PROJECT]);
    const { client: right } = await connectStdio(era, data, ['--project', PROJECT]);
    await neverMeet(left, right);
    const { sessions } = await runJson<{ sessions: unknown[] }>(data, 'sessions');
    expect(sessions).toHaveLength(2);
  });

  test('a process that comes after another begins anew', async () => {
    const data = temporaryFolder();
    const { client: first } = await connectStdio(era, data, ['--project', PROJECT]);
    const begun = await branch(first, 'left open');
    await first.close();
    const { client: second } = await connectStdio(era, data, ['--project', PROJECT]);
    expect(await listed(second)).toEqual([]);
    expect(await rpcError(second, 'context_return', { message: 'done' })).toMatchObject({ code: -32003 });
    // Naming the session resumes it.
    const { session_id } = begun;
    expect(await answer(second, 'context_return', { message: 'done', session_id })).toMatchObject({
      branch_id: begun.branch_id,
    });
    expect(await answer(second, 'context_branch_status')).toMatchObject({ session_id });
  });
});

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('two 2025-era clients over HTTP', () => {
  test('have a session each', async () => {
    verifies('KERN-17');
    const url = `${server.url}/mcp`;
    await neverMeet(await connectHttp(url, '2025'), await connectHttp(url, '2025'));
  });

  test('one that connects again begins anew, and resumes by the id of its session', async () => {
    const url = `${server.url}/mcp`;
    const before = await connectHttp(url, '2025');
    const begun = await branch(before, 'before');
    await before.close();
    const after = await connectHttp(url, '2025');
    expect(await listed(after)).toEqual([]);
    const { session_id } = begun;
    const folded = await answer(after, 'context_return', { message: 'resumed', session_id });
    expect(folded).toMatchObject({ branch_id: begun.branch_id });
    expect(await listed(after)).toEqual(['before']);
  });
});

describe('clients of the 2026 era over HTTP, which has no connection', () => {
  let own: Server;
  let left: Client;
  let right: Client;
  beforeAll(async () => {
    own = await startServer();
    left = await connectHttp(`${own.url}/mcp`, '2026');
    right = await connectHttp(`${own.url}/mcp`, '2026');
  });
  afterAll(() => own.stop());

  test('every branch without an id begins a session, and a branch id names it', async () => {
    verifies('KERN-17');
    const ours = await branch(left, 'left');
    // Now there is one live session: a read may use it, a write may not.
    const before = await answer(left, 'context_branch_status');
    expect(before).toMatchObject({ session_id: ours.session_id });
    // What another window reads is not counted there: it is a guess whose it is.
    await answer(right, 'context', { goal: 'anything that costs tokens' });
    expect(await answer(left, 'context_branch_status')).toEqual(before);
    const theirs = await branch(right, 'right');
    expect(theirs.session_id).not.toBe(ours.session_id);
    expect(theirs.branch_depth).toBe(1);
    const refused = await callTool(left, 'context_return', { message: 'mine', project_path: PROJECT });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: 'session_required', retryable: false },
    });
    const { candidates } = refused.structuredContent as { candidates: { session_id: string }[] };
    expect(candidates.map((one) => one.session_id).sort()).toEqual(
      [ours.session_id, theirs.session_id].sort(),
    );
    expect(candidates[0]).toMatchObject({ project: 'shop', last_at: expect.any(String) });
    // A read of the session is empty for the same reason, and says so.
    for (const name of ['context_branch_status', 'context_list_branches']) {
      const { notices } = (await answer(left, name)) as { notices: string[] };
      const [notice] = notices;
      for (const { session_id } of candidates) expect(notice).toContain(session_id);
    }
    const { branch_id } = ours;
    expect(await answer(left, 'context_return', { message: 'left is done', branch_id })).toMatchObject({
      branch_id,
    });
    expect(await answer(right, 'context_branch_status', { session_id: theirs.session_id })).toMatchObject({
      active_branch_id: theirs.branch_id,
    });
  });
});
