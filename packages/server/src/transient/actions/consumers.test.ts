import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { contextOf, noticesOf, PROJECT, startServer } from '../fixture.suite.ts';

/** Every tool that takes sources, with arguments that it accepts. */
const CONSUMERS: [string, Record<string, unknown>][] = [
  ['remember', { content: 'Web Dev takes 72 and 75', project: PROJECT }],
  ['context_return', { message: 'done', project_path: PROJECT }],
  ['draft', { resource: 'rule', op: { create: { path: 'coding/DATES.md', body: '## Dates\n\n- are UTC' } } }],
];

/** A session with a branch, in which every one of them works. */
async function started() {
  const server = await startServer();
  await server.reader.call('memory.setup', { session_id: 'thread-1' });
  const branch = { description: 'd', prompt: 'p', project_path: PROJECT, session_id: 'thread-1' };
  await server.reader.call('context_branch', branch);
  return server;
}

describe.each(CONSUMERS)('%s', (tool, input) => {
  test('says which of its sources it used up, and tells which it does not know', async () => {
    verifies('TCP-04');
    const { reader, services } = await started();
    const handle = (await reader.search({ per_page: 15 })).handle!;
    const result = await reader.result(tool, { ...input, sources: [handle, 'rs_nobody'] });
    expect(result.isError, result.content[0]!.text).toBe(false);
    expect(contextOf(result)).toEqual({ consumed: true });
    expect(result._meta?.['infold/consumes']).toEqual([handle]);
    expect(noticesOf(result).join()).toContain('rs_nobody');
    // It counts as consumed, and no finding is taken to be about it.
    const stored = await reader.result('store_analysis_memory', {
      analysis_id: 'a',
      findings: [{ finding: '72 and 75 are Web Dev' }],
    });
    expect(stored._meta?.['infold/consumes']).toEqual([]);
    expect(services.journal.database.all('SELECT handle FROM fold_consumed')).toEqual([{ handle }]);
  });

  test('without sources says nothing about results', async () => {
    const { reader } = await started();
    await reader.search({ per_page: 15 });
    const result = await reader.result(tool, input);
    expect(result.isError, result.content[0]!.text).toBe(false);
    expect(result._meta).not.toHaveProperty('context');
    expect(result._meta).not.toHaveProperty('infold/consumes');
  });
});

test('a retry of remember uses nothing up', async () => {
  verifies('KERN-05', 'TCP-04');
  const { reader } = await startServer();
  const sources = [(await reader.search({ per_page: 15 })).handle!];
  const input = { content: 'once', idempotency_key: 'k', sources };
  expect((await reader.result('remember', input))._meta?.['infold/consumes']).toEqual(sources);
  expect((await reader.result('remember', input))._meta?.['infold/consumes']).toEqual([]);
});
