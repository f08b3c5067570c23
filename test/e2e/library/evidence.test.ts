import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { callTool, connectStdio, run, runJson, startServer, temporaryFolder } from '../support/program.ts';

/** A name that a spreadsheet would calculate. */
const HOSTILE = '=HYPERLINK("http://x"),"a"';

interface Report {
  since: string | null;
  anonymous: boolean;
  rows: Record<string, unknown>[];
}

/** A hub, and the work of an agent at an edge of alice's that it was told of. */
async function worked(config: object = {}) {
  const data = temporaryFolder();
  const rules = temporaryFolder();
  mkdirSync(join(rules, 'coding'));
  writeFileSync(join(rules, 'coding', 'STYLE.md'), '# Style\n\n## Naming\n\n- Whole words\n');
  const file = join(temporaryFolder(), 'infold.config.json');
  writeFileSync(file, JSON.stringify(config));
  await runJson(data, 'project', 'add', '--name', 'shop');
  await runJson(data, 'project', 'add', '--name', 'other');
  await runJson(data, 'library', 'import', rules, '--publish', '--project', 'shop');
  const token = async (...args: string[]) =>
    (await runJson<{ token: string }>(data, 'token', 'create', ...args)).token;
  const alice = await token('--name', 'alice');
  const rita = await token('--name', 'rita', '--scope', 'read,write,review');
  const stranger = await token('--name', 'stan', '--project', 'other');
  const hub = await startServer({ data, args: ['--config', file] });
  const shop = join(temporaryFolder(), 'shop');
  mkdirSync(shop);
  const env = { INFOLD_HUB_TOKEN: alice, INFOLD_HUB_EVERY: '1' };
  const args = ['--project', shop, '--hub', hub.url];
  const { client } = await connectStdio('2025', temporaryFolder(), args, undefined, env);
  const call = async <Answer>(name: string, input: object) =>
    (await callTool(client, name, { session_id: 'thread', ...input })).structuredContent as Answer;
  await call('memory_setup', {});
  const items = async () => (await call<{ items: { id: string }[] }>('memory_discover', {})).items;
  await expect.poll(items).toHaveLength(1);
  await call('memory_setup', { model: HOSTILE });
  const [{ id }] = (await items()) as [{ id: string }];
  await call('memory_load', { ids: [id], knownHashes: { [id]: '' } });
  await call('memory_refer', { refs: [{ ruleId: id, constraintId: 'Naming/1' }] });
  await call('memory_reject', {});
  const ask = (query: string, bearer = rita) =>
    fetch(`${hub.url}/api/attestation/report?${query}`, { headers: { Authorization: `Bearer ${bearer}` } });
  const report = async (query: string, bearer = rita) => (await (await ask(query, bearer)).json()) as Report;
  await expect.poll(async () => (await report('by=rule')).rows).toMatchObject([{ rejected_turns: 1 }]);
  return { data, file, ask, report, stranger, alice };
}

describe('evidence at a hub', () => {
  test('counts what edges sent, over HTTP and on the command line, as JSON, CSV and lines', async () => {
    verifies('LIB-17', 'LIB-18');
    const { data, ask, report, stranger, alice } = await worked();
    const figures = { loaded: 1, referred: 1, claimed_without_loading: 0, stale: 0, rejected_turns: 1 };
    expect((await report('by=rule&project=shop')).rows).toMatchObject([
      { path: 'coding/STYLE.md', project: 'shop', ...figures, verdict: 'in_use' },
    ]);
    expect((await report('by=agent')).rows).toMatchObject([{ agent: 'alice', ...figures }]);
    // The turn began before the agent said which model it is.
    const began = { model: null, turns: 1, loaded: 0 };
    expect((await report('by=model')).rows).toMatchObject([{ model: HOSTILE, ...figures }, began]);
    expect((await report('by=rule', stranger)).rows).toEqual([]);
    expect((await ask('by=rule&project=shop', stranger)).status).toBe(403);
    expect((await ask('by=rule&agent=rita', alice)).status).toBe(403);
    const csv = await ask('by=model&format=csv');
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    expect((await csv.text()).split('\r\n')[1]).toMatch(/^"'=HYPERLINK\(""http:\/\/x""\),""a""",1,/);
    const lines = await ask('by=constraint&format=ndjson');
    expect(lines.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    expect(
      (await lines.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toContainEqual(expect.objectContaining({ constraint_id: 'Naming/1', referred: 1, rejected_turns: 1 }));
    expect((await ask('by=colour')).status).toBe(400);
    const local = await runJson<Report>(data, 'attest', 'report', '--by', 'agent', '--since', '2020-01-01');
    expect(local).toMatchObject({ since: '2020-01-01', rows: [{ agent: 'alice', ...figures }] });
    const trend = await run(['--data', data, 'attest', 'trend', 'coding/STYLE.md', '--project', 'shop']);
    expect([trend.code, trend.stdout]).toEqual([0, expect.stringContaining('not enough yet')]);
  });

  test('names no principal where it is anonymous, in any form of it', async () => {
    verifies('LIB-17');
    const { data, file, ask } = await worked({ evidence: { anonymous: true } });
    for (const by of ['rule', 'constraint', 'project', 'agent', 'model', 'day']) {
      for (const format of ['json', 'csv', 'ndjson']) {
        const text = await (await ask(`by=${by}&format=${format}`)).text();
        expect([by, format, text.includes('alice')]).toEqual([by, format, false]);
      }
    }
    const printed = await run([
      '--data',
      data,
      '--config',
      file,
      'attest',
      'report',
      '--by',
      'agent',
      '--csv',
    ]);
    expect(printed.stdout).toMatch(/\nperson-[a-z2-9]{10},1,1,/);
    expect(printed.stdout).not.toContain('alice');
  });
});
