import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callerNamed, errorOf, openTestJournal } from '../../testing/fixtures.suite.ts';
import { accessStream } from '../streams.ts';
import { localOwner } from './caller.ts';
import { addNamedProject } from './commands.ts';
import { ensureProject, isAbsolutePath, resolveProject } from './projects.ts';
import { listProjects } from './queries.ts';

async function setUp() {
  const journal = await openTestJournal();
  const resolved = (spec: string | undefined, caller = localOwner) =>
    resolveProject(journal.database, caller, spec);
  const add = async (name: string, path: string | null = null) =>
    (
      await journal.commit({
        stream: accessStream('local'),
        actor: localOwner.actor,
        decide: (database) => addNamedProject(database, 'local', name, path),
      })
    ).answer;
  return { journal, resolved, add };
}

describe('naming a project', () => {
  test('its id, its name and its absolute path mean the same one', async () => {
    const { resolved, add } = await setUp();
    const { id } = await add('shop', '/home/someone/shop');
    for (const spec of [id, 'shop', '/home/someone/shop', '/home/someone/shop/', '/home/someone/x/../shop']) {
      expect(resolved(spec)).toMatchObject({ id, name: 'shop', registered: true });
    }
  });

  test('the hash is the first 16 hex digits of the sha256 of its path', async () => {
    const { resolved } = await setUp();
    const expected = createHash('sha256').update('/home/someone/shop').digest('hex').slice(0, 16);
    const { hash, id, workspace_id } = resolved('/home/someone/shop');
    expect(hash).toBe(expected);
    expect(id).toMatch(/^proj_/);
    expect(workspace_id).toMatch(/^ws-/);
  });

  test('without a name, the default project of the organisation', async () => {
    const { resolved, journal } = await setUp();
    const first = resolved(undefined);
    expect(first).toMatchObject({ name: 'default', path: null, registered: false });
    expect(resolved('').id).toBe(first.id);
    await ensureProject(journal, localOwner, first);
    expect(resolved(undefined)).toMatchObject({ id: first.id, registered: true });
    expect(resolved(undefined, callerNamed('bob', { org: 'acme' })).id).not.toBe(first.id);
  });

  test('an unknown name is refused with those that exist', async () => {
    const { resolved, add } = await setUp();
    expect((await errorOf(() => resolved('shop'))).message).toContain('there are none yet');
    await add('garden');
    await add('kitchen');
    const error = await errorOf(() => resolved('shop'));
    expect(error.code).toBe('project_not_found');
    expect(error.message).toContain('Project not found: shop');
    expect(error.message).toContain('garden, kitchen');
  });

  test('a very long name does not come back whole', async () => {
    const { resolved } = await setUp();
    expect((await errorOf(() => resolved('x'.repeat(1_000_000)))).message.length).toBeLessThan(1000);
  });

  test('a path of another system is a path', () => {
    expect(['/a', 'C:\\code\\shop', 'c:/code'].map(isAbsolutePath)).toEqual([true, true, true]);
    expect(['a/b', './a', 'shop', ''].map(isAbsolutePath)).toEqual([false, false, false, false]);
  });

  test('a project of another organisation is not found by its id', async () => {
    const { resolved, add } = await setUp();
    const { id } = await add('shop');
    const stranger = callerNamed('eve', { org: 'other' });
    expect((await errorOf(() => resolved(id, stranger))).code).toBe('project_not_found');
  });
});

describe('what a caller may open', () => {
  test('a token of some projects opens no other', async () => {
    verifies('KERN-10');
    const { resolved, add } = await setUp();
    const shop = await add('shop', '/shop');
    const bank = await add('bank', '/bank');
    const caller = callerNamed('alice', { projects: [shop.id] });
    expect(resolved('shop', caller).id).toBe(shop.id);
    for (const spec of ['bank', bank.id, '/bank']) {
      const error = await errorOf(() => resolved(spec, caller));
      expect(error.code).toBe('project_denied');
      expect(error.message).toBe(`Project access denied: ${bank.id}`);
    }
  });

  test('it opens neither a folder that is not registered yet nor, where it names several, the default', async () => {
    const { resolved, add } = await setUp();
    const projects = [(await add('shop', '/shop')).id, (await add('store', '/store')).id];
    const caller = callerNamed('alice', { projects });
    expect((await errorOf(() => resolved('/elsewhere', caller))).code).toBe('project_denied');
    expect((await errorOf(() => resolved(undefined, caller))).code).toBe('project_denied');
  });

  test('where it opens one project, that one is meant by calls that name none', async () => {
    const { resolved, add } = await setUp();
    const shop = await add('shop', '/shop');
    expect(resolved(undefined, callerNamed('alice', { projects: [shop.id] })).id).toBe(shop.id);
  });
});

describe('a folder met for the first time', () => {
  test('is not registered by asking', async () => {
    const { resolved, journal } = await setUp();
    const { id, registered } = resolved('/home/someone/shop');
    expect(registered).toBe(false);
    expect(resolved('/home/someone/shop').id).toBe(id);
    expect(journal.head().seq).toBe(0);
  });

  test('is registered once, under the id that was told before', async () => {
    const { resolved, journal } = await setUp();
    const asked = resolved('/home/someone/shop');
    const made = await Promise.all([1, 2, 3].map(() => ensureProject(journal, localOwner, asked)));
    expect(new Set(made.map(({ id }) => id))).toEqual(new Set([asked.id]));
    expect(listProjects(journal.database, 'local')).toHaveLength(1);
  });

  test('gets a number when another folder has its name', async () => {
    const { resolved, journal } = await setUp();
    for (const path of ['/a/shop', '/b/shop', '/c/shop']) {
      await ensureProject(journal, localOwner, resolved(path));
    }
    const names = listProjects(journal.database, 'local').map(({ name }) => name);
    expect(names).toEqual(['shop', 'shop-2', 'shop-3']);
    expect(resolved('shop-2').path).toBe('/b/shop');
  });

  test('is not registered for a caller who may only read', async () => {
    const { resolved, journal } = await setUp();
    const reader = callerNamed('alice', { scopes: ['read'] });
    const error = await errorOf(() => ensureProject(journal, reader, resolved('/shop', reader)));
    expect(error.code).toBe('project_not_found');
    expect(error.message).toContain('scope "write"');
    expect(journal.head().seq).toBe(0);
  });
});
