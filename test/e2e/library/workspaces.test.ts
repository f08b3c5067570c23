import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { callTool, connectStdio, run, runJson, startServer, temporaryFolder } from '../support/program.ts';

const rule = (said: string, front = '') => `${front}# Rule\n\n## Do\n\n- ${said}\n`;

function folderOf(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const ran = (data: string, ...args: string[]) => run(['--data', data, ...args]);

interface Items {
  items: { path: string; organisation?: number; revision: number }[];
}

describe('an organisation’s library', () => {
  test('is selected from on the command line and over HTTP, protected, and reaches an edge as it is resolved', {
    timeout: 120_000,
  }, async () => {
    verifies('LIB-18');
    const data = temporaryFolder();
    const publish = (project: string, files: Record<string, string>) =>
      runJson(data, 'library', 'import', folderOf(files), '--publish', '--project', project);
    await publish('organisation', {
      'coding/STYLE.md': rule('theirs'),
      'coding/WEB.md': rule('web', '---\ntags: [web]\n---\n'),
      'ops/RELEASE.md': rule('release'),
    });
    await runJson(data, 'project', 'add', '--name', 'shop');
    const selected = await runJson(
      data,
      ...['library', 'select', '--project', 'shop', '--path', 'coding/**', 'ops/**'],
    );
    expect(selected).toMatchObject({ project: 'shop', changed: 3, files: 3, behind: false });
    const said = await ran(data, 'library', 'selection', '--project', 'shop');
    expect(said.stdout).toContain('shop selects paths coding/**, ops/**');
    const bad = await ran(data, 'library', 'select', '--project', 'shop', '--path', '**', '--revision', 'x');
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('revision')]);
    await publish('shop', { 'coding/STYLE.md': rule('ours') });

    await runJson(data, 'library', 'protect', 'ops/**', '--reviewer', 'rita', '--project', 'organisation');
    const { token } = await runJson<{ token: string }>(
      data,
      ...['token', 'create', '--name', 'alice', '--project', 'shop', '--scope', 'read,write,review'],
    );
    const { token: rita } = await runJson<{ token: string }>(
      data,
      ...['token', 'create', '--name', 'rita', '--project', 'organisation', '--scope', 'read,write,review'],
    );
    const hub = await startServer({ data });
    const api = async <Answer>(bearer: string, path: string, body?: object) => {
      const answer = await fetch(`${hub.url}/api/library${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Answer };
    };
    const paths = async () =>
      (await api<Items>(token, '/items')).body.items.map(({ path, organisation }) => [path, organisation]);
    expect(await paths()).toEqual([
      ['coding/STYLE.md', undefined],
      ['coding/WEB.md', 1],
      ['ops/RELEASE.md', 1],
    ]);
    // Who may review in the shop may not publish in the organisation's library, nor read it.
    expect((await api(token, '/items?project=organisation')).status).toBe(403);
    expect((await api(token, '/selection', { paths: ['**'] })).status).toBe(403);
    expect((await api<object>(token, '/selection')).body).toMatchObject({
      selection: { paths: ['coding/**', 'ops/**'], tags: [], revision: 'latest' },
      overridden: ['coding/STYLE.md'],
    });

    const edge = temporaryFolder();
    const shop = join(temporaryFolder(), 'shop');
    mkdirSync(shop);
    const env = { INFOLD_HUB_TOKEN: token, INFOLD_HUB_EVERY: '1' };
    const { client } = await connectStdio(
      '2025',
      edge,
      ['--project', shop, '--hub', hub.url],
      undefined,
      env,
    );
    const session_id = 'thread';
    const discover = async () => {
      const { structuredContent } = await callTool(client, 'memory_discover', { session_id });
      return (structuredContent as unknown as Items).items.map(({ path }) => path);
    };
    await callTool(client, 'memory_setup', { session_id });
    await expect.poll(discover).toEqual(['coding/STYLE.md', 'coding/WEB.md', 'ops/RELEASE.md']);

    const drafted = await api<{ draft: { id: string } }>(rita, '/drafts', {
      resource: 'rule',
      op: { create: { path: 'ops/BACKUP.md', body: rule('backup') } },
    });
    const { id } = drafted.body.draft;
    await api(rita, `/drafts/${id}/submit`, {});
    const early = await ran(data, 'library', 'approve', id, '--project', 'organisation');
    expect(early.stdout + early.stderr).toContain('"ops/**" (rita)');
    await api(rita, `/drafts/${id}/approve`, {});
    expect((await api(rita, `/drafts/${id}/publish`, {})).status).toBe(200);
    await expect.poll(discover).toContain('ops/BACKUP.md');
    expect(await paths()).toContainEqual(['ops/BACKUP.md', 2]);

    await runJson(data, 'library', 'select', '--project', 'shop', '--tag', 'web', '--revision', '1');
    await expect.poll(discover).toEqual(['coding/STYLE.md', 'coding/WEB.md']);
    await runJson(data, 'library', 'select', '--project', 'shop', '--none');
    await expect.poll(discover).toEqual(['coding/STYLE.md']);
    await client.close();
    await hub.stop();
    const { ok } = await runJson<{ ok: boolean }>(data, 'verify', '--tables');
    expect(ok).toBe(true);
  });
});
