import { chmodSync, copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { createCollapser } from '../../../packages/client/src/index.ts';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  type Envelope,
  run,
  runJson,
  start,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';

const examples = (path: string) => fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url));
const EXAMPLE = examples('records/infold.config.json');
const PROJECT = '/home/someone/shop';

/** A configuration with these sources, in a folder of its own. */
function configuration(sources: Record<string, unknown>, folder = temporaryFolder()): string {
  const path = join(folder, 'infold.config.json');
  writeFileSync(path, JSON.stringify({ sources }));
  return path;
}

async function withWorkflow(): Promise<string> {
  const data = temporaryFolder();
  const { code, stderr } = await run([
    '--data',
    data,
    'library',
    'import',
    examples('library-workflow'),
    '--publish',
    '--project',
    PROJECT,
  ]);
  expect(stderr + code).toBe('0');
  return data;
}

type Message = { role: 'user' | 'assistant'; content: unknown };

describe('the reclassify workflow with a client that collapses', () => {
  test.each([false, true])(
    'after nine pages only summaries and findings are left (handles given: %s)',
    async (handles) => {
      verifies('TCP-01', 'TCP-02', 'TCP-04', 'TCP-05', 'TCP-17');
      const data = await withWorkflow();
      const server = await startServer({ data, args: ['--config', EXAMPLE] });
      const client = await connectHttp(`${server.url}/mcp?project=${PROJECT}`, '2025');
      const collapser = createCollapser();
      const history: Message[] = [{ role: 'user', content: 'Reclassify the activities.' }];
      let calls = 0;
      const step = async (tool: string, input: Record<string, unknown>): Promise<Envelope> => {
        const result = await callTool(client, tool, input);
        expect(result.isError, result.content[0]?.text).toBe(false);
        const callId = `toolu_${++calls}`;
        collapser.observe({ server: 'infold', tool, callId, result, input });
        history.push({ role: 'assistant', content: [{ type: 'tool_use', id: callId, name: tool, input }] });
        history.push({
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: callId, content: result.content }],
        });
        return result;
      };
      const loop = await step('get_workflow_step', { workflow: 'reclassify', step: 2 });
      expect(loop._meta?.contextHints).toEqual([
        { step: 2, tool: 'search_records', lifecycle: 'transient', consumedBy: 'store_analysis_memory' },
      ]);
      let pages = 1;
      for (let page = 1; page <= pages; page++) {
        const { structuredContent } = await step('search_records', { model: 'activity', per_page: 15, page });
        pages = (structuredContent.pagination as { total_pages: number }).total_pages;
        const ids = (structuredContent.records as { id: number }[]).map(({ id }) => id);
        const finding = {
          finding: `Page ${page}: ${ids.length} looked at`,
          category: 'checked',
          metadata: { first: ids[0] },
        };
        const sources = handles ? { sources: [structuredContent.handle] } : {};
        await step('store_analysis_memory', { analysis_id: 'reclassify', findings: [finding], ...sources });
      }
      expect(pages).toBe(9);
      const sent = JSON.stringify(collapser.project(history as never[]));
      const summaries = [...sent.matchAll(/\d+ activity records \(page \d\/9, IDs: [\d, ]+…\)/g)].map(
        ([text]) => text,
      );
      expect(summaries).toHaveLength(9);
      expect(summaries[0]).toBe('15 activity records (page 1/9, IDs: 72, 73, 74…)');
      expect(summaries[8]).toBe('12 activity records (page 9/9, IDs: 192, 193, 194…)');
      expect(sent).not.toContain('rollout checklist');
      expect(JSON.stringify(history)).toContain('rollout checklist');
      const recalled = await callTool(client, 'recall_analysis_memories', { analysis_id: 'reclassify' });
      expect(recalled.structuredContent.total).toBe(9);
      expect(recalled.content[0]!.text).toContain('## checked (9)');
      await server.stop();
    },
  );
});

describe('several processes on one data folder', () => {
  test('share indexes, scratches and handles', async () => {
    verifies('TCP-09');
    const data = temporaryFolder();
    const args = ['--config', EXAMPLE, '--project', PROJECT];
    const [one, two] = await Promise.all([
      connectStdio('2025', data, args),
      connectStdio('2026', data, args),
    ]);
    const search = ({ client }: { client: Client }, more = {}) =>
      callTool(client, 'search_records', { model: 'activity', ...more });
    // Both ask at once for a file that nobody has indexed yet.
    const results = await Promise.all([search(one), search(two), search(one), search(two)]);
    for (const { structuredContent } of results)
      expect(structuredContent.pagination).toMatchObject({ total: 132 });
    const databases = readdirSync(join(data, 'records')).filter((name) => /^activity-.*\.db$/.test(name));
    expect(databases).toHaveLength(1);
    const lean = await search(one, { lean: true });
    const read = await callTool(two.client, 'scratch_read', { ref: lean.structuredContent.scratch_ref });
    expect(read.structuredContent.records).toHaveLength(50);
    const handle = results[0]!.structuredContent.handle;
    const expanded = await callTool(two.client, 'context_expand', { handle, per_page: 100 });
    expect(expanded.structuredContent.items).toEqual(results[0]!.structuredContent.records);
  });

  test('one that dies while it indexes leaves no harm', async () => {
    const folder = temporaryFolder();
    const lines = Array.from({ length: 200_000 }, (_, id) =>
      JSON.stringify({ id, text: `record ${id} ${'x'.repeat(100)}` }),
    );
    writeFileSync(join(folder, 'big.jsonl'), `${lines.join('\n')}\n`);
    const config = configuration({ big: { type: 'jsonl', path: 'big.jsonl' } }, folder);
    const data = temporaryFolder();
    const dying = start(['--data', data, '--config', config, 'records', '--index']);
    await until(() => {
      try {
        return readdirSync(join(data, 'records')).some((name) => name.endsWith('.db'));
      } catch {
        return false;
      }
    });
    dying.process.kill('SIGKILL');
    await dying.ended;
    // Its lock is left behind; the next one sees that nobody holds it.
    const { models } = JSON.parse(
      (await run(['--data', data, '--config', config, '--json', 'records', '--index'])).stdout,
    ) as {
      models: { records: number; state: string }[];
    };
    expect(models).toMatchObject([{ records: 200_000, state: 'ready' }]);
  });
});

describe('the configuration', () => {
  test.each([
    [
      { activity: { type: 'xml', path: 'x' } },
      /sources\.activity: "type" must be one of jsonl, json, csv, sqlite, postgres/,
    ],
    [{ 'my model': { type: 'csv', path: 'x' } }, /sources\.my model: a model is named by/],
    [{ activity: { type: 'csv' } }, /sources\.activity: "path" is missing/],
  ])('%j stops the start with its key', async (sources, message) => {
    const { code, stderr } = await run([
      'serve',
      '--port',
      '0',
      '--data',
      temporaryFolder(),
      '--config',
      configuration(sources),
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test.skipIf(process.getuid?.() !== 0)('a file that may not be read is told so', async () => {
    const folder = temporaryFolder();
    const data = temporaryFolder();
    const config = configuration({ a: { type: 'csv', path: 'a.csv' } }, folder);
    writeFileSync(join(folder, 'a.csv'), 'id\n1\n', { mode: 0o600 });
    const nobody = { uid: 65534, gid: 65534 };
    for (const path of [folder, data]) chmodSync(path, 0o777);
    chmodSync(config, 0o644);
    const { code, stdout } = await run(['--data', data, '--config', config, '--json', 'records'], nobody);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      models: [{ state: 'unavailable', problems: [expect.stringContaining('it may not be read')] }],
    });
  });

  test('a file that is missing does not', async () => {
    const folder = temporaryFolder();
    const config = configuration(
      { late: { type: 'csv', path: 'late.csv' }, now: { type: 'csv', path: 'now.csv' } },
      folder,
    );
    writeFileSync(join(folder, 'now.csv'), 'id\n1\n');
    const server = await startServer({ args: ['--config', config] });
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    const late = await callTool(client, 'search_records', { model: 'late' });
    expect(late.structuredContent).toMatchObject({ code: 'source_unavailable', retryable: true });
    expect((await callTool(client, 'search_records', { model: 'now' })).structuredContent.records).toEqual([
      { id: 1 },
    ]);
    writeFileSync(join(folder, 'late.csv'), 'id\n7\n');
    expect((await callTool(client, 'search_records', { model: 'late' })).structuredContent.records).toEqual([
      { id: 7 },
    ]);
    await server.stop();
  });
});

describe('infold records', () => {
  test('shows sources, indexes them, and tells bad lines by its exit code', async () => {
    verifies('TCP-10');
    const folder = temporaryFolder();
    copyFileSync(examples('records/activities.jsonl'), join(folder, 'a.jsonl'));
    writeFileSync(join(folder, 'b.csv'), 'id,name\n1,x\n2\n');
    const config = configuration(
      { a: { type: 'jsonl', path: 'a.jsonl' }, b: { type: 'csv', path: 'b.csv' } },
      folder,
    );
    const data = temporaryFolder();
    const records = (...args: string[]) => run(['--data', data, '--config', config, 'records', ...args]);
    expect((await records()).stdout).toMatch(/a +jsonl +- +not indexed yet/);
    const indexed = await records('--index');
    expect(indexed.code).toBe(3);
    expect(indexed.stdout).toMatch(/a +jsonl +132 +ready +id:number title:text/);
    expect(indexed.stdout).toContain('b: line 3 has 1 values where the header has 2');
    expect((await records('a', '--index')).code).toBe(0);
    expect(await records('c')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Configured: a, b'),
    });
  });
});

test('a page is said to be used only when its findings survive the death of the server', async () => {
  verifies('TCP-04');
  const data = temporaryFolder();
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round++) {
    const server = await startServer({ data, args: ['--config', EXAMPLE] });
    const client = await connectHttp(`${server.url}/mcp?project=${PROJECT}`, '2025');
    for (let count = 0; ; count++) {
      const name = `finding ${round}-${count}`;
      const storing = callTool(client, 'store_analysis_memory', {
        analysis_id: 'all',
        findings: [{ finding: name }],
        persistent: true,
      }).catch(() => undefined);
      // In the middle of a call, at another moment each time.
      if (count > round + 2) setTimeout(() => server.process.kill('SIGKILL'), round * 3);
      const stored = await storing;
      if (!stored) break;
      expect(stored._meta?.context).toEqual({ consumed: true });
      acknowledged.push(name);
    }
    await server.ended;
  }
  expect(acknowledged.length).toBeGreaterThan(3);
  const { client } = await connectStdio('2025', data, ['--project', PROJECT]);
  const found: string[] = [];
  for (const name of acknowledged) {
    const { structuredContent } = await callTool(client, 'recall_analysis_memories', {
      query: name,
      limit: 200,
    });
    found.push(
      ...(structuredContent.findings as { finding: string }[])
        .map(({ finding }) => finding)
        .filter((text) => text === name),
    );
  }
  expect(found).toEqual(acknowledged);
});

test('findings survive, verify and rebuild; caches are no part of the journal', async () => {
  verifies('TCP-08');
  const data = temporaryFolder();
  const { client } = await connectStdio('2025', data, ['--config', EXAMPLE, '--project', PROJECT]);
  const { structuredContent } = await callTool(client, 'search_records', { model: 'activity' });
  const stored = await callTool(client, 'store_analysis_memory', {
    analysis_id: 'a',
    findings: [{ finding: 'kept' }],
    sources: [structuredContent.handle],
    persistent: true,
  });
  expect(stored._meta).toMatchObject({
    context: { consumed: true },
    'infold/consumes': [structuredContent.handle],
  });
  await client.close();
  expect(await runJson(data, 'verify')).toMatchObject({ ok: true });
  await runJson(data, 'rebuild');
  const again = await connectStdio('2026', data, ['--config', EXAMPLE, '--project', PROJECT]);
  const recalled = await callTool(again.client, 'recall_analysis_memories', { analysis_id: 'a' });
  expect(recalled.structuredContent).toMatchObject({
    total: 1,
    findings: [{ finding: 'kept', persistent: true }],
  });
  expect((await callTool(again.client, 'context_expand', { handle: structuredContent.handle })).isError).toBe(
    false,
  );
});
