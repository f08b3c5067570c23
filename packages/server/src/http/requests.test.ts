import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { pageOfSessions } from '../fold/queries.ts';
import { DOORS } from '../kernel/config.ts';
import { callerNamed, openTestJournal, START, testConfig, testServices } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { sessionCursor } from '../trust/sessions/queries.ts';
import { createHttpApp } from './app.ts';
import { Metrics } from './metrics.ts';

async function setUp() {
  const services = await testServices({ config: testConfig({ toolsets: [...DOORS] }) });
  onTestFinished(() => services.settle());
  const metrics = new Metrics(services.journal);
  const app = createHttpApp({ ...services, observer: metrics, metrics, ready: () => true });
  onTestFinished(() => app.close());
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { host: 'localhost', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'));
  const named = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, 'x')}`);
  return { send, routes: [...new Set(named)].map((route) => route.split(' ') as [string, string]) };
}

describe('parameters', () => {
  test('that a route does not know are refused by every route, which says what it takes', async () => {
    const { send, routes } = await setUp();
    expect(routes.length).toBeGreaterThan(30);
    for (const [method, path] of [...routes, ['GET', '/mcp/tools/list'] as const]) {
      const { status, body } = await send(method, `${path}?lmit=5`, method === 'POST' ? {} : undefined);
      expect(status, `${method} ${path}`).toBe(400);
      expect(body, `${method} ${path}`).toMatchObject({
        code: 'invalid_arguments',
        retryable: false,
        parameter: 'lmit',
        allowed: expect.any(Array),
      });
      expect(body.error).toMatch(/^Unknown parameter "lmit"; (allowed are \w|none is allowed here)/);
      expect(body.allowed).not.toContain('lmit');
    }
  });

  test.each(['abc', '', '0', '-1', '1.5', '1e3', '100000', ' 5', '٣'])(
    'limit=%s is refused wherever a limit is taken, with what is allowed',
    async (limit) => {
      const { send, routes } = await setUp();
      const limited: string[] = [];
      for (const [method, path] of routes.filter(([verb]) => verb === 'GET')) {
        const { body } = await send(method, `${path}?unknown=1`);
        if (!(body.allowed as string[]).includes('limit')) continue;
        // Things that are not there are told before their page is looked at.
        if (/\/x(\/|$)/.test(path)) continue;
        limited.push(path);
        const answer = await send(method, `${path}?limit=${encodeURIComponent(limit)}&${needed(path)}`);
        expect(answer, path).toMatchObject({ status: 400, body: { parameter: 'limit' } });
        expect(answer.body.error).toMatch(/limit:? must be a whole number from 1 to \d+; it was /);
      }
      expect(limited).toEqual(
        expect.arrayContaining(['/api/sessions', '/api/library/items', '/api/memory/search']),
      );
    },
  );

  test('that are given twice, cursors that no page said, and bad choices are refused', async () => {
    const { send } = await setUp();
    for (const [path, parameter] of [
      ['/api/sessions?limit=1&limit=2', 'limit'],
      ['/api/sessions?cursor=second', 'cursor'],
      ['/api/library/drafts?cursor=x', 'cursor'],
      ['/api/attestation/turns?cursor=-1', 'cursor'],
      ['/api/attestation/rules?cursor=1.5', 'cursor'],
      ['/api/library/items?kind=rules', 'kind'],
      ['/api/library/items?kind=rule&cursor=a', 'cursor'],
      ['/mcp/tools/list?names=portble', 'names'],
    ] as const) {
      expect(await send('GET', path), path).toMatchObject({ status: 400, body: { parameter } });
    }
    expect(await send('POST', '/api/memory/import?dry_run=yes', { items: [{ content: 'a' }] })).toMatchObject(
      {
        status: 400,
        body: { parameter: 'dry_run' },
      },
    );
  });
});

describe('fields of a body', () => {
  test.each([
    ['/api/sessions/thread/operations', { operations: [{ tool: 'bash' }], session: 'x' }, 'session'],
    ['/api/memory/items', { content: 'A fact', knd: 'note' }, 'knd'],
    ['/api/memory/items/x/relations', { type: 'supports', id: 'y', weight: 1 }, 'weight'],
    ['/api/memory/import', { items: [{ content: 'a' }], dryrun: true }, 'dryrun'],
    ['/api/packs', { goal: 'Ship it', budget: 100 }, 'budget'],
    ['/api/synthesis', { goal: 'Ship it', kind: 'report' }, 'kind'],
  ])('%s refuses one that it does not know', async (path, body, field) => {
    const { send } = await setUp();
    const answer = await send('POST', path, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_arguments', field } });
    expect(answer.body.error).toMatch(new RegExp(`^Unknown field "${field}"; allowed are \\w`));
  });

  test('of a reported operation, too', async () => {
    const { send } = await setUp();
    const operations = [{ tool: 'bash', token: 5 }];
    const answer = await send('POST', '/api/sessions/thread/operations', { operations });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('"token"') } });
  });
});

/** What a route asks for besides. */
function needed(path: string): string {
  return ['/api/memory/search', '/api/memory/passages'].includes(path) ? 'q=cart' : '';
}

describe('pages of sessions', () => {
  test('hold each session that the caller may see once, whatever else is between them', async () => {
    verifies('KERN-10');
    const projects = ['proj_a', 'proj_b', 'proj_c'];
    const journal = await openTestJournal();
    const row = fc.record({ project: fc.constantFrom(...projects), at: fc.integer({ min: 0, max: 5 }) });
    const seen = fc.subarray(projects);
    await fc.assert(
      fc.property(
        fc.array(row, { maxLength: 30 }),
        seen,
        fc.integer({ min: 1, max: 7 }),
        (rows, open, limit) => {
          journal.database.run('DELETE FROM session');
          const all = rows.map(({ project, at }, index) => {
            const id = `sess_${String(index).padStart(3, '0')}`;
            journal.database.run(
              `INSERT INTO session (id, org, principal, project_id, stream, started_at, last_at)
             VALUES (?, 'local', 'owner', ?, ?, ?, ?)`,
              ...[id, project, `session.${id}`, START, START + at],
            );
            return { id, project, at };
          });
          const caller = callerNamed(localOwner.principal, { projects: open });
          const paged: string[] = [];
          let cursor: string | null = null;
          do {
            const after = cursor === null ? undefined : sessionCursor(cursor);
            const page = pageOfSessions(journal.database, caller, { projectId: undefined, limit, after });
            expect(page.sessions.length).toBeLessThanOrEqual(limit);
            if (page.next !== null) expect(page.sessions).toHaveLength(limit);
            paged.push(...page.sessions.map(({ id }) => id));
            cursor = page.next;
          } while (cursor !== null);
          const wanted = all
            .filter(({ project }) => open.includes(project))
            .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
            .map(({ id }) => id);
          expect(paged).toEqual(wanted);
        },
      ),
    );
  });
});
