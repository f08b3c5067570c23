import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import { Peer } from '../support/gateway.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  ERAS,
  post,
  runJson,
  startServer,
  temporaryFolder,
} from '../support/program.ts';
import { EVERY_DOOR } from '../support/sample-calls.ts';

/** Sources that somebody broke, in a folder that only the operator knows. */
function brokenSources() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'directory'));
  writeFileSync(join(folder, 'text.db'), 'not a database at all, however long one looks at it');
  const config = join(folder, 'infold.config.json');
  const sources = {
    missing: { type: 'jsonl', path: join(folder, 'missing.jsonl') },
    directory: { type: 'jsonl', path: join(folder, 'directory') },
    gone: { type: 'sqlite', path: join(folder, 'gone.db'), table: 'orders' },
    text: { type: 'sqlite', path: join(folder, 'text.db'), table: 'orders' },
  };
  writeFileSync(config, JSON.stringify({ sources }));
  return { folder, models: Object.keys(sources), args: ['--config', config, ...EVERY_DOOR] };
}

/** HOME is the temporary folder here, as in every test that starts the program. */
const ROOTS = [tmpdir(), homedir()];

function expectNoPath(answer: unknown, more: readonly string[] = []): void {
  const text = JSON.stringify(answer);
  for (const root of [...ROOTS, ...more]) expect(text).not.toContain(root);
}

test('an error that a token gets holds no path of the machine, whichever door it came through', async () => {
  const { folder, models, args } = brokenSources();
  const server = await startServer({ args, env: { INFOLD_LIMITS_LOCK_WAIT: '400' } });
  const owner = await connectStdio('2026', server.data, args);
  const { token } = await runJson<{ token: string }>(server.data, 'token', 'create', '--name', 'alice');
  const headers = { authorization: `Bearer ${token}` };
  for (const era of ERAS) {
    const client = await connectHttp(`${server.url}/mcp`, era, token);
    for (const model of models) {
      const refused = await callTool(client, 'search_records', { model });
      expect(`${model} ${refused.isError}`).toBe(`${model} true`);
      expect(refused.structuredContent.error).toContain(`"${model}"`);
      expectNoPath(refused);
      // Who can repair it is told where it is.
      const told = await callTool(owner.client, 'search_records', { model });
      expect(JSON.stringify(told)).toContain(folder);
    }
  }
  const client = await connectHttp(`${server.url}/mcp`, '2026', token);
  const peer = await Peer.join(server.url, { pod: 'room' }, { headers });
  const everyDoor = async (code: RegExp) => {
    const remembered = await callTool(client, 'remember', { content: `it is ${performance.now()}` });
    expect(String(remembered.structuredContent.code)).toMatch(code);
    const item = { content: `now ${performance.now()}` };
    const posted = await post(`${server.url}/api/memory/items`, item, headers);
    const body = (await posted.json()) as { code: string };
    expect(body.code).toMatch(code);
    const branched = await callTool(client, 'context_branch', { description: 'd', prompt: 'p' });
    const reported = await post(
      `${server.url}/api/sessions/s/operations`,
      { operations: [{ tool: 'x' }] },
      headers,
    );
    const id = `m-${performance.now()}`;
    peer.send({ id, kind: 'chat', payload: { text: 'hello' } });
    const refused = (
      await peer.next(({ kind, correlation_id }) => kind === 'system/error' && correlation_id === id, 20_000)
    ).payload;
    for (const answer of [remembered, body, branched, await reported.json(), refused])
      expectNoPath(answer, [server.data]);
  };
  const database = await openDatabase(join(server.data, 'infold.db'));
  database.exec('BEGIN IMMEDIATE');
  await everyDoor(/journal_busy|not_stored/);
  database.exec('ROLLBACK');
  database.run('UPDATE journal_head SET schema = 999 WHERE one = 1');
  await everyDoor(/storage_newer|not_stored/);
  database.close();
});
