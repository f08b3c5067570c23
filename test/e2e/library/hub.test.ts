import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { callTool, connectStdio, run, runJson, startServer, temporaryFolder } from '../support/program.ts';

const STYLE = '# Style\n\n## Naming\n\n- Whole words\n';

interface Status {
  edge: {
    id: string;
    state: string;
    problem: string | null;
    projects: { project: string; hub_project: string; revision: number; files: number }[];
    upload: { waiting: number };
  } | null;
  edges: { principal: string; entries: number }[];
}

async function team() {
  const data = temporaryFolder();
  const rules = temporaryFolder();
  mkdirSync(join(rules, 'coding'));
  writeFileSync(join(rules, 'META_PROMPT.md'), '# The shop\n\nLoad the rules first.\n');
  writeFileSync(join(rules, 'coding', 'STYLE.md'), STYLE);
  await runJson(data, 'project', 'add', '--name', 'shop');
  await runJson(data, 'library', 'import', rules, '--publish', '--project', 'shop');
  const { token } = await runJson<{ token: string }>(data, 'token', 'create', '--name', 'alice');
  const shop = join(temporaryFolder(), 'shop');
  mkdirSync(shop);
  return { data, token, shop, hub: await startServer({ data }) };
}

describe('a hub', () => {
  // The longer the hub is away, the longer it takes to be asked again: on a busy machine some minutes.
  test('gives its library to "stdio --hub", which goes on without it, and hears later what was done', {
    timeout: 400_000,
  }, async () => {
    verifies('LIB-18');
    const { data, token, shop, hub } = await team();
    const edge = temporaryFolder();
    const env = { INFOLD_HUB_TOKEN: token, INFOLD_HUB_EVERY: '1' };
    const args = ['--project', shop, '--hub', hub.url];
    const { client } = await connectStdio('2025', edge, args, undefined, env);
    const call = async <Answer>(name: string, input: object = {}) => {
      const { structuredContent, _meta } = await callTool(client, name, input as Record<string, unknown>);
      return { ...(structuredContent as Answer), notices: _meta?.['infold/notices'] as string[] | undefined };
    };
    const session_id = 'host-thread';
    await call('memory_setup', { session_id });
    const paths = async () => {
      const { items } = await call<{ items: { path: string }[] }>('memory_discover', { session_id });
      return items.map(({ path }) => path);
    };
    await expect.poll(paths).toEqual(['coding/STYLE.md']);
    const { mpf } = await call<{ mpf: { content: string } }>('memory_setup', { session_id });
    expect(mpf.content).toContain('Load the rules first');
    await expect
      .poll(async () => (await runJson<Status>(data, 'hub', 'status')).edges)
      .toMatchObject([{ principal: 'alice' }]);
    expect((await run(['--data', data, 'hub', 'status'])).stdout).toMatch(
      /^One edge sends to this data folder:\nEDGE .*\nedge_\w+ +alice +\d+ +\d+ +2\d{3}-/,
    );
    await hub.stop();
    const problem = async () => (await runJson<Status>(edge, 'hub', 'status')).edge?.problem ?? '';
    await expect.poll(problem).toContain('cannot be reached');
    const offline = await call<{ items: { path: string }[] }>('memory_discover', { session_id });
    expect(offline.items).toHaveLength(1);
    expect(offline.notices?.join()).toContain('copy of the hub');
    await call('memory_submit', { summary: 'Worked on the train', session_id });
    const again = await startServer({ data, args: ['--port', String(hub.port)] });
    await expect
      .poll(async () => (await runJson<Status>(edge, 'hub', 'status')).edge?.upload.waiting, {
        timeout: 200_000,
      })
      .toBe(0);
    await client.close();
    await again.stop();
    expect(await runJson(edge, 'verify', '--tables')).toMatchObject({ ok: true });
    expect(await runJson(data, 'verify', '--tables')).toMatchObject({ ok: true });
  });

  test('is joined, looked at and left on the command line', async () => {
    verifies('LIB-18');
    const { data, token, shop, hub } = await team();
    const edge = temporaryFolder();
    const here = (...args: string[]) => run(['--data', edge, ...args], { cwd: shop });
    const refused = await here('hub', 'join', hub.url, '--token', 'wrong');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('refuses the token') });
    const joined = await here('hub', 'join', hub.url, '--token', token);
    expect(joined).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('shop: revision 1, 2 files changed'),
    });
    expect(statSync(join(edge, 'hub.json')).mode & 0o077).toBe(0);
    const status = await runJson<Status>(edge, 'hub', 'status');
    expect(status.edge).toMatchObject({
      state: 'current',
      projects: [{ project: 'shop', hub_project: 'shop', revision: 1, files: 2 }],
    });
    // What goes up, what waits, and how old the copy is, for people; at the hub, how far each edge is.
    const listed = (await here('hub', 'status')).stdout;
    expect(listed).toMatch(/^Hub http.* \(edge edge_\w+, as alice of local\): current$/m);
    expect(listed).toMatch(/^Last synchronised: 2\d{3}-/m);
    expect(listed).toContain('  shop has the library of shop: revision 1, 2 files\n');
    expect(listed).toContain(
      'Goes up: submitted drafts, attestation, reports of these projects (hub.upload)\n',
    );
    expect(listed).toMatch(/^Waiting: 0 entries( after position \d+)?, 0 drafts$/m);
    for (const command of ['config', 'doctor', 'hub status', 'verify']) {
      const { stdout, stderr } = await here('--json', ...command.split(' '));
      expect(stdout + stderr).not.toContain(token);
    }
    const { checks } = JSON.parse((await here('--json', 'doctor')).stdout) as {
      checks: { name: string; state: string }[];
    };
    expect(checks.find(({ name }) => name === 'hub')).toMatchObject({ state: 'ok' });
    writeFileSync(join(shop, 'STYLE.md'), `${STYLE}- Plain words\n`);
    await runJson(data, 'library', 'import', shop, '--publish', '--project', 'shop');
    expect((await here('library', 'sync')).stdout).toContain('shop: revision 2, 1 files changed');
    expect(await here('library', 'import', shop, '--publish')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("This library is the hub's"),
    });
    const left = await here('hub', 'leave');
    expect(left.stdout).toContain('"shop" has its own library again');
    expect((await here('library', 'sync')).code).toBe(2);
    await hub.stop();
  });

  test('that no longer opens one of the projects is told of, and takes what waited when it does', async () => {
    verifies('LIB-18');
    const { data, token, shop, hub } = await team();
    await runJson(data, 'project', 'add', '--name', 'crm');
    const crm = join(temporaryFolder(), 'crm');
    mkdirSync(crm);
    const edge = temporaryFolder();
    const joinAs = (cwd: string, given: string) =>
      run(['--data', edge, 'hub', 'join', hub.url, '--token', given], { cwd });
    for (const cwd of [shop, crm]) expect(await joinAs(cwd, token)).toMatchObject({ code: 0 });
    const narrow = await runJson<{ token: string }>(
      ...([data, 'token', 'create', '--name', 'alice', '--project', 'shop'] as const),
    );
    expect(await joinAs(shop, narrow.token)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^crm: The hub .* refuses this: Project access denied/m),
    });
    for (const project of [crm, shop]) {
      const { client } = await connectStdio('2025', edge, ['--project', project]);
      await callTool(client, 'memory_setup', { session_id: `in-${project.split('/').at(-1)}` });
      await client.close();
    }
    const sync = () => run(['--data', edge, 'library', 'sync']);
    expect(await sync()).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('The evidence of crm waits here: '),
    });
    expect((await run(['--data', edge, 'hub', 'status'])).stdout).toMatch(
      /^Waiting: 1 entries.*\n {2}1 of them, the evidence of crm, until the hub takes it: The hub .* denied/m,
    );
    expect(await joinAs(shop, token)).toMatchObject({ code: 0, stdout: expect.stringContaining('Sent: 1') });
    expect((await run(['--data', edge, 'hub', 'status'])).stdout).toMatch(/^Waiting: 0 entries/m);
    expect((await run(['--data', data, 'hub', 'status'])).stdout).toMatch(/crm of edge_\w+, sent apart$/m);
    expect(await runJson(data, 'verify', '--tables')).toMatchObject({ ok: true });
    expect(await runJson(edge, 'verify', '--tables')).toMatchObject({ ok: true });
    await hub.stop();
  });
});
