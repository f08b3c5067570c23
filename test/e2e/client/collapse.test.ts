import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { observed } from '../../../packages/client/src/collapse/mcp.ts';
import {
  batched,
  createCollapser,
  createReporter,
  type Reporter,
} from '../../../packages/client/src/index.ts';
import { verifies } from '../../requirements.ts';
import { callTool, connectHttp, type Server, startServer, temporaryFolder } from '../support/program.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/records/infold.config.json', import.meta.url));

describe('the built package', () => {
  const folder = new URL('../../../packages/client/', import.meta.url);
  const { exports, dependencies } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
    exports: Record<string, { types: string; default: string }>;
    dependencies: Record<string, string>;
  };

  /** What a web page would load for an entry. */
  async function bundled(path: string): Promise<string> {
    const bundle = await rolldown({ input: fileURLToPath(new URL(path, folder)), platform: 'browser' });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    expect(output).toHaveLength(1);
    expect(output[0].imports).toEqual([]);
    return output[0].code;
  }

  // What plugins of hosts run is no page: it keeps files and speaks to a socket.
  test.each(Object.entries(exports).filter(([name]) => name !== './host'))(
    '%s stands by itself in a browser: no SDK, no zod, no Node',
    async (_name, paths) => {
      readFileSync(new URL(paths.types, folder));
      const code = await bundled(paths.default);
      expect(code).not.toMatch(/\bfrom\s*["']|\bimport\s*\(|\brequire\s*\(|\bprocess\.|\bBuffer\b|ZodError/);
    },
  );

  test('the core has at most 12 kB gzipped', async () => {
    expect(gzipSync(await bundled(exports['.']!.default)).length).toBeLessThan(12_000);
    expect(Object.keys(dependencies)).toEqual(['@infold/protocol']);
  });
});

interface SessionView {
  token_breakdown: { main_thread: number; total: number };
}

describe('reports to a running server', () => {
  let server: Server;
  const reporters: Reporter[] = [];
  const errors: string[] = [];
  const project = temporaryFolder();
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await Promise.all(reporters.map((reporter) => reporter.close()));
    await server.stop();
  });

  const reporterFor = (session: string) => {
    const reporter = createReporter({
      url: server.url,
      session,
      project,
      onError: ({ message }) => errors.push(message),
    });
    reporters.push(reporter);
    return reporter;
  };
  const status = async (session_id: string) => {
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    const { structuredContent } = await callTool(client, 'context_branch_status', {
      project_path: project,
      session_id,
    });
    return structuredContent as unknown as SessionView;
  };

  test('count in its figures, each call once, whoever reports it', async () => {
    const reporter = reporterFor('thread-1');
    reporter.report({ callId: 'toolu_1', tool: 'Read', tokens: 1000 });
    reporter.report({ callId: 'toolu_2', tool: 'Grep', tokens: 500 });
    await reporter.flush();
    // After a restart the host reports again what it is not sure of.
    const again = reporterFor('thread-1');
    again.report({ callId: 'toolu_2', tool: 'Grep', tokens: 500 });
    again.report({ callId: 'toolu_3', tool: 'Read', tokens: 24 });
    await again.flush();
    expect((await status('thread-1')).token_breakdown.main_thread).toBe(1524);
    expect(errors).toEqual([]);
  });

  test('of content are counted by the server', async () => {
    const reporter = reporterFor('thread-2');
    reporter.report({
      callId: 'toolu_1',
      tool: 'Read',
      input: { path: 'a' },
      output: 'one two three four five',
    });
    await reporter.flush();
    const { main_thread } = (await status('thread-2')).token_breakdown;
    expect(main_thread).toBeGreaterThan(4);
    expect(main_thread).toBeLessThan(40);
  });

  test('lose only what is refused: an operation of a branch that does not exist', async () => {
    const reporter = reporterFor('thread-3');
    reporter.report({ callId: 'toolu_1', tool: 'Read', tokens: 10 });
    reporter.report({ callId: 'toolu_2', tool: 'Read', tokens: 10, branchId: 'br_missing' });
    reporter.report({ callId: 'toolu_3', tool: 'Read', tokens: 10 });
    await reporter.flush();
    expect((await status('thread-3')).token_breakdown.main_thread).toBe(20);
    expect(errors.splice(0)).toEqual([expect.stringContaining('Infold refused an operation')]);
  });

  test('of what collapsed take it out of the figures, and its summary in', async () => {
    verifies('FOLD-09', 'TCP-13');
    const records = await startServer({ args: ['--config', EXAMPLE] });
    const connection = await connectHttp(`${records.url}/mcp?project=${project}`, '2025');
    const call = (tool: string, input: Record<string, unknown>) => callTool(connection, tool, input);
    const branch = await call('context_branch', {
      description: 'reclassify',
      prompt: 'p',
      project_path: project,
    });
    const session = String(branch.structuredContent.session_id);
    const state = async () =>
      (await call('context_branch_status', { project_path: project })).structuredContent as unknown as {
        collapsible: number;
        token_breakdown: { total: number };
      };
    const collapser = createCollapser({ policy: batched({ minTokens: 1_000_000, maxPending: 100 }) });
    const reporter = createReporter({
      url: records.url,
      session,
      collapser,
      onError: ({ message }) => errors.push(message),
    });
    const infold = observed(connection, { collapser, server: 'infold' });
    const pages = [];
    for (const page of [1, 2, 3]) {
      const found = await infold.callTool({
        callId: `page_${page}`,
        name: 'search_records',
        arguments: { model: 'activity', per_page: 15, page },
      });
      pages.push((found as { structuredContent: { handle: string } }).structuredContent.handle);
    }
    const store = (number: number, more: object) =>
      infold.callTool({
        callId: `store_${number}`,
        name: 'store_analysis_memory',
        arguments: { analysis_id: 'a', findings: [{ finding: '88 and 90 are Web Dev' }], ...more },
      });
    const before = await state();
    expect(before.collapsible).toBe(0);
    await store(1, {});
    await store(2, { sources: [pages[0]], idempotency_key: 'once' });
    await store(3, { sources: [pages[0]], idempotency_key: 'once' });
    const consumed = await state();
    const phases = () => collapser.state().results.map(({ callId, phase }) => `${callId} ${phase}`);
    expect(phases().slice(0, 3)).toEqual(['page_1 consumed', 'page_2 consumed', 'page_3 pending']);
    expect(consumed.collapsible).toBeGreaterThan(1000);
    collapser.flush();
    await reporter.close();
    const after = await state();
    expect(after.collapsible).toBe(0);
    expect(consumed.token_breakdown.total - after.token_breakdown.total).toBe(consumed.collapsible);
    expect(errors).toEqual([]);
    await records.stop();
  });

  test('and an observed client of it calls, observes and expands', async () => {
    verifies('TCP-12');
    const collapser = createCollapser();
    const infold = observed(await connectHttp(`${server.url}/mcp`, '2026'), { collapser, server: 'infold' });
    const begun = await infold.callTool({
      callId: 'toolu_1',
      name: 'context_branch',
      arguments: { description: 'Search', prompt: 'Find it.', project_path: project },
    });
    const { branch_id } = begun.structuredContent as { branch_id: string };
    const expanded = await infold.callTool({
      callId: 'toolu_2',
      name: 'context_expand',
      arguments: { handle: branch_id },
    });
    expect(expanded.structuredContent).toMatchObject({ handle: branch_id, kind: 'branch' });
    expect(collapser.state().results.map(({ callId, phase }) => [callId, phase])).toEqual([
      ['toolu_1', 'plain'],
      ['toolu_2', 'plain'],
    ]);
  });
});
