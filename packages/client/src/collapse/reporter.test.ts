import type { OperationReport } from '@infold/protocol';
import { LIMITS, operationsInput } from '@infold/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { type Collapser, createCollapser, createReporter, type ReporterOptions } from '../index.ts';
import { FETCH, page, STORE, step, stored, summaryOf } from './fixtures.suite.ts';
import { observed } from './mcp.ts';

type Answer = (operations: OperationReport[], attempt: number) => Response | Error;

const fine: Answer = (operations) => Response.json({ accepted: operations.length, duplicates: 0 });

/** A server that answers as told, and keeps what it accepted. */
function serving(answer: Answer = fine, options: Partial<ReporterOptions> = {}) {
  const requests: { address: string; operations: OperationReport[]; headers: Record<string, string> }[] = [];
  const accepted: OperationReport[] = [];
  const errors: { message: string; operations: readonly OperationReport[] }[] = [];
  const reporter = createReporter({
    url: 'http://localhost:9090',
    session: 'my thread',
    backoff: 1,
    interval: 60_000,
    fetch: async (address, init) => {
      const { operations } = operationsInput(LIMITS).parse(JSON.parse(String(init?.body)));
      requests.push({
        address: String(address),
        operations,
        headers: init?.headers as Record<string, string>,
      });
      const response = answer(operations, requests.length);
      if (response instanceof Error) throw response;
      if (response.ok) accepted.push(...operations);
      return response;
    },
    onError: ({ message }, operations) => errors.push({ message, operations }),
    ...options,
  });
  const ids = () => accepted.map(({ call_id }) => call_id);
  return { reporter, requests, accepted, errors, ids };
}

const refusal = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ error: 'no', code: 'x', retryable: status >= 500 }, { status, headers });

describe('a reporter', () => {
  test('posts operations in batches, in the shape of the contract', async () => {
    const { reporter, requests } = serving(fine, { batchSize: 2, project: '/home/me/shop', token: 'inf_t' });
    const at = new Date('2026-05-01T10:00:00Z');
    reporter.report({ callId: 'a', tool: 'Read', input: { path: 'x' }, output: 'contents', at });
    reporter.report({ callId: 'b', tool: 'Grep', tokens: 12, branchId: 'main', at: at.getTime() });
    reporter.report({ tool: 'Bash', at });
    expect(reporter.queued).toBeGreaterThan(0);
    await reporter.flush();
    expect(requests.map(({ operations }) => operations.length)).toEqual([2, 1]);
    expect(requests[0]).toMatchObject({
      address: 'http://localhost:9090/api/sessions/my%20thread/operations?project=%2Fhome%2Fme%2Fshop',
      headers: { authorization: 'Bearer inf_t', 'content-type': 'application/json' },
      operations: [
        { call_id: 'a', tool: 'Read', input: { path: 'x' }, output: 'contents', at: at.toISOString() },
        { call_id: 'b', tool: 'Grep', tokens: 12, branch_id: 'main', at: at.toISOString() },
      ],
    });
    expect(reporter.queued).toBe(0);
  });

  test('sends a call id once', async () => {
    const { reporter, ids } = serving();
    expect(reporter.report({ callId: 'a', tool: 'Read' })).toBe(true);
    expect(reporter.report({ callId: 'a', tool: 'Read' })).toBe(false);
    await reporter.flush();
    expect(reporter.report({ callId: 'a', tool: 'Read' })).toBe(false);
    await reporter.flush();
    expect(ids()).toEqual(['a']);
  });

  test('gives operations without one an id of its own, so that trying again counts once', async () => {
    const { reporter, requests } = serving((operations, attempt) =>
      attempt === 1 ? new Error('connection reset') : fine(operations, attempt),
    );
    reporter.report({ tool: 'Read' });
    reporter.report({ tool: 'Read' });
    await reporter.flush();
    const [first, second] = requests.map(({ operations }) => operations.map(({ call_id }) => call_id));
    expect(second).toEqual(first);
    expect(new Set(first).size).toBe(2);
  });

  test('sends by itself after a while', async () => {
    const { reporter, ids } = serving(fine, { interval: 5 });
    reporter.report({ callId: 'a', tool: 'Read' });
    await vi.waitFor(() => expect(ids()).toEqual(['a']));
  });

  test('tries again what a server or a network could not take', async () => {
    const { reporter, requests, ids, errors } = serving((operations, attempt) => {
      if (attempt === 1) return new Error('connection reset');
      if (attempt === 2) return refusal(503);
      return attempt === 3 ? refusal(429) : fine(operations, attempt);
    });
    reporter.report({ callId: 'a', tool: 'Read' });
    await reporter.flush();
    expect(requests).toHaveLength(4);
    expect(ids()).toEqual(['a']);
    expect(errors).toEqual([]);
  });

  test('waits as long as the server asks', async () => {
    const { reporter } = serving((operations, attempt) =>
      attempt === 1 ? refusal(429, { 'retry-after': '0.05' }) : fine(operations, attempt),
    );
    reporter.report({ tool: 'Read' });
    const started = performance.now();
    await reporter.flush();
    expect(performance.now() - started).toBeGreaterThan(45);
  });

  test('keeps reports in order while the server is away, and tells', async () => {
    let away = true;
    const { reporter, ids, errors } = serving(
      (operations, attempt) => (away ? new Error('refused') : fine(operations, attempt)),
      { tries: 2, batchSize: 2 },
    );
    for (const callId of ['a', 'b', 'c']) reporter.report({ callId, tool: 'Read' });
    await reporter.flush();
    expect(reporter.queued).toBe(3);
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('cannot be reached'),
      operations: [],
    });
    away = false;
    reporter.report({ callId: 'd', tool: 'Read' });
    await reporter.close();
    expect(ids()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('keeps reports when its token is refused', async () => {
    const { reporter, requests } = serving(() => refusal(401));
    reporter.report({ callId: 'a', tool: 'Read' });
    await reporter.flush();
    expect(requests).toHaveLength(1);
    expect(reporter.queued).toBe(1);
  });

  test('drops the one operation that is refused, not those beside it', async () => {
    const { reporter, ids, errors } = serving((operations, attempt) =>
      operations.some(({ branch_id }) => branch_id === 'br_gone') ? refusal(409) : fine(operations, attempt),
    );
    for (const callId of ['a', 'b', 'c', 'd', 'e']) {
      reporter.report({ callId, tool: 'Read', ...(callId === 'd' && { branchId: 'br_gone' }) });
    }
    await reporter.flush();
    expect(ids().toSorted()).toEqual(['a', 'b', 'c', 'e']);
    expect(errors).toMatchObject([
      { message: 'Infold refused an operation: 409 no', operations: [{ call_id: 'd' }] },
    ]);
  });

  test('does not outgrow its queue', async () => {
    const { reporter, errors } = serving(() => new Error('refused'), {
      maxQueue: 3,
      tries: 1,
      batchSize: 100,
    });
    for (const callId of ['a', 'b', 'c', 'd']) reporter.report({ callId, tool: 'Read' });
    expect(reporter.queued).toBe(3);
    expect(errors).toMatchObject([{ operations: [{ call_id: 'a' }] }]);
  });

  test('sends counts instead of content where that is too large or not wanted', async () => {
    const { reporter, accepted } = serving();
    reporter.report({ tool: 'Read', output: 'word '.repeat(200_000) });
    const secretive = serving(fine, { content: false, countTokens: () => 7 });
    secretive.reporter.report({ tool: 'Read', input: { a: 1 }, output: 'contents' });
    await Promise.all([reporter.flush(), secretive.reporter.flush()]);
    expect(Object.keys(accepted[0]!).toSorted()).toEqual(['at', 'call_id', 'tokens', 'tool']);
    expect(accepted[0]!.tokens).toBeGreaterThan(100_000);
    expect(secretive.accepted[0]).toMatchObject({ tool: 'Read', tokens: 14 });
    expect(JSON.stringify(secretive.accepted)).not.toContain('contents');
  });

  test('splits what is too much for one request', async () => {
    const { reporter, requests } = serving();
    for (let count = 0; count < 5; count++) reporter.report({ tool: 'Read', output: 'x'.repeat(400_000) });
    await reporter.flush();
    expect(requests.map(({ operations }) => operations.length)).toEqual([2, 2, 1]);
  });

  test('tells what it cannot send instead of failing the call that it is about', async () => {
    const { reporter, errors, ids } = serving();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(reporter.report({ callId: 'a', tool: 'Read', output: cycle })).toBe(false);
    expect(reporter.report({ callId: 'a', tool: 'Read', at: Number.NaN })).toBe(false);
    expect(reporter.queued).toBe(0);
    expect(reporter.report({ callId: 'a', tool: 'Read', output: 'fine' })).toBe(true);
    await reporter.close();
    expect(reporter.report({ tool: 'Read' })).toBe(false);
    expect(ids()).toEqual(['a']);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('circular'),
      expect.stringContaining('Invalid time'),
      expect.stringContaining('The reporter is closed'),
    ]);
  });
});

describe('what a collapser collapses', () => {
  const loop = (collapser: Collapser) => {
    const observe = (tool: string, callId: string, result: unknown) =>
      collapser.observe({ server: 'infold', tool, callId, result });
    observe('get_workflow_step', 'toolu_0', step());
    observe(FETCH, 'toolu_1', page(1, { 'infold/handle': 'rs_1' }));
    observe(FETCH, 'toolu_2', page(2));
    observe(STORE, 'toolu_3', stored());
    observe(STORE, 'toolu_4', stored());
  };

  function listening(options: Partial<ReporterOptions> = {}) {
    const bodies: z.infer<ReturnType<typeof operationsInput>>[] = [];
    const reporter = createReporter({
      url: 'http://localhost:9090',
      session: 's',
      interval: 60_000,
      fetch: async (_address, init) => {
        bodies.push(operationsInput(LIMITS).parse(JSON.parse(String(init?.body))));
        return Response.json({});
      },
      ...options,
    });
    return { reporter, bodies };
  }

  test('is reported by itself: by its handle where it has one, and by its call id', async () => {
    const collapser = createCollapser();
    const { reporter, bodies } = listening({ collapser });
    reporter.follow(collapser);
    reporter.report({ callId: 'toolu_2', tool: FETCH, tokens: 300 });
    loop(collapser);
    await reporter.close();
    expect(bodies).toMatchObject([
      {
        operations: [{ call_id: 'toolu_2' }],
        collapsed: [
          {
            call_id: 'toolu_1',
            handle: 'rs_1',
            summary: `${summaryOf(1)}\n[collapsed: context_expand rs_1]`,
          },
          { call_id: 'toolu_2', summary: summaryOf(2) },
        ],
      },
    ]);
    expect(bodies[0]!.collapsed).toHaveLength(2);
    expect(bodies[0]!.collapsed[1]!.tokens).toBeGreaterThan(100);
  });

  test('is reported in figures alone where content is not sent', async () => {
    const { reporter, bodies } = listening({ content: false });
    const collapser = createCollapser();
    observed({ callTool: async () => ({}) }, { collapser, server: 'files', reporter });
    loop(collapser);
    await reporter.close();
    expect(bodies[0]!.collapsed).toHaveLength(2);
    for (const report of bodies[0]!.collapsed) {
      expect(report).not.toHaveProperty('summary');
      expect(report.summary_tokens).toBeGreaterThan(5);
    }
    expect(JSON.stringify(bodies)).not.toContain('activity');
  });
});
