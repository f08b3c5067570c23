import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { appendAsWritten } from '../journal/journal-fixture.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { resolveProject } from '../trust/identity/projects.ts';
import { Agent, startServer } from './fixture.suite.ts';

const [SHOP, BLOG] = ['/work-of/alice/shop', '/work-of/alice/blog'];

describe('a branch for another project than its session began with', () => {
  async function setUp() {
    const started = await startServer();
    const { agent, services } = started;
    const shop = await agent.branch('in the shop', 'work', { project_path: SHOP });
    const blog = await agent.branch('in the blog', 'work', { project_path: BLOG });
    const { database } = services.journal;
    const idOf = (path: string) => resolveProject(database, localOwner, path).id;
    return { ...started, shop, blog, database, idOf };
  }

  test('is in the same session, and carries its own project', async () => {
    const { shop, blog, database, idOf } = await setUp();
    expect(blog.session_id).toBe(shop.session_id);
    expect(blog.parent_branch_id).toBe(shop.branch_id);
    expect(database.all('SELECT id, project_id FROM fold_branch ORDER BY ordinal')).toEqual([
      { id: shop.branch_id, project_id: idOf(SHOP) },
      { id: blog.branch_id, project_id: idOf(BLOG) },
    ]);
    expect(database.all('SELECT project_id FROM session')).toEqual([{ project_id: idOf(SHOP) }]);
  });

  test('its summary is memory of its own project', async () => {
    verifies('FOLD-11');
    const { agent, services } = await setUp();
    await agent.fold('ZEBRA-1 lives in the blog');
    await agent.fold('ZEBRA-2 lives in the shop');
    const packOf = async (project: string) =>
      (await agent.call<{ markdown: string }>('context', { goal: 'ZEBRA-1 ZEBRA-2', project })).markdown;
    expect(await packOf(BLOG)).toContain('ZEBRA-1 lives');
    expect(await packOf(BLOG)).not.toContain('ZEBRA-2 lives');
    expect(await packOf(SHOP)).toContain('ZEBRA-2 lives');
    expect(await packOf(SHOP)).not.toContain('ZEBRA-1 lives');
    await services.journal.rebuild();
    expect(await packOf(BLOG)).toContain('ZEBRA-1 lives');
    await agent.rollback('main');
    expect(await packOf(BLOG)).not.toContain('ZEBRA-1 lives');
  });

  test('is closed to a token that does not open that project, even in its own session', async () => {
    verifies('KERN-10');
    const { agent, services, shop, blog, idOf } = await setUp();
    const narrow = new Agent(services, { ...localOwner, projects: [idOf(SHOP)] }, agent.connection);
    const denied = { code: 'project_denied', error: `Project access denied: ${idOf(BLOG)}` };
    const { branch_id } = blog;
    for (const [tool, input] of [
      ['context_return', { message: 'm' }],
      ['context_return', { message: 'm', branch_id }],
      ['context_return', { message: 'm', branch_id: shop.branch_id }],
      ['context_rollback', { branch_id }],
      ['context_rollback', { branch_id: 'main' }],
      ['context_branch', { description: 'd', prompt: 'p', project_path: BLOG }],
    ] as const) {
      expect(await narrow.refusal(tool, { project_path: SHOP, ...input })).toMatchObject(denied);
    }
    expect(await narrow.rpcError('context_expand', { project_path: SHOP, handle: branch_id })).toMatchObject({
      code: -32602,
    });
    const { branches } = await narrow.call<{ branches: { id: string }[] }>('context_list_branches', {
      project_path: SHOP,
    });
    expect(branches.map(({ id }) => id)).toEqual([shop.branch_id]);
  });

  test('a project, a session and a first branch are one entry; a second project comes with its branch', async () => {
    const { services } = await setUp();
    const entries = services.journal.entriesAfter(0, 10);
    expect(entries.map(({ events }) => events.map(({ type }) => type))).toEqual([
      ['project.added', 'session.started', 'branch.created'],
      ['project.added', 'branch.created'],
    ]);
  });

  test('events from before branches had projects mean their session’s', async () => {
    const { agent, services, idOf } = await setUp();
    const { session_id } = await agent.status();
    const { stream } = services.journal.entriesAfter(0, 1)[0]!;
    const old = {
      session_id,
      branch_id: 'br_of_old',
      parent_id: null,
      depth: 1,
      description: 'old',
      prompt: 'p',
      tokens: 1,
      budget: null,
      secrets: 0,
    };
    appendAsWritten(services.journal, stream, [{ type: 'branch.created', data: old }]);
    await services.journal.rebuild();
    const row = services.journal.database.get('SELECT project_id FROM fold_branch WHERE id = ?', 'br_of_old');
    expect(row).toEqual({ project_id: idOf(SHOP) });
  });
});
