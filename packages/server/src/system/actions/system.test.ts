import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callsOf } from '../../cli/services/calls.ts';
import {
  callerNamed,
  errorOf,
  HOUR,
  makeToken,
  movableClock,
  testServices,
} from '../../testing/fixtures.suite.ts';
import { authenticate, type Caller, localOwner } from '../../trust/identity/caller.ts';
import { addProject, setProject } from './change-projects.ts';
import { listDenials } from './list-denials.ts';
import { listLimits } from './list-limits.ts';
import { listProjects } from './list-projects.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';

async function setUp() {
  const clock = movableClock();
  const services = await testServices({ clock });
  onTestFinished(() => services.settle());
  const { database } = services.journal;
  return {
    ...services,
    clock,
    as: (caller: Caller) => callsOf(services, caller),
    owner: callsOf(services, localOwner),
    holderOf: (token: string) => authenticate(database, token, clock.read()),
  };
}

const admin = (more: Partial<Caller> = {}) => callerNamed('ada', { org: 'acme', tokenId: 'tok_a', ...more });

describe('making a token', () => {
  test('gives the owner’s flags a meaning, and shows the secret once', async () => {
    verifies('KERN-10');
    const { owner, holderOf, clock } = await setUp();
    const made = await owner(createToken, {
      name: 'alice',
      org: 'acme',
      scopes: 'read, write,read',
      expires: '12h',
    });
    expect(made).toMatchObject({ name: 'alice', org: 'acme', projects: null, capabilities: ['*'] });
    expect(made.scopes).toEqual(['read', 'write']);
    expect(Date.parse(made.expires_at!)).toBe(clock.read() + 12 * HOUR);
    expect(holderOf(made.token)).toMatchObject({
      principal: 'alice',
      org: 'acme',
      scopes: ['read', 'write'],
    });
    const { tokens } = await owner(listTokens, {});
    expect(tokens).toMatchObject([{ id: made.id, last_used_at: null, revoked_at: null }]);
    expect(JSON.stringify(tokens)).not.toContain(made.token);
  });

  test.each([
    ['90s', 90_000],
    ['45m', 2_700_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['999999w', 999_999 * 604_800_000],
  ])('that expires after %s', async (expires, milliseconds) => {
    const { owner, clock } = await setUp();
    const { expires_at } = await owner(createToken, { name: 'alice', expires });
    expect(Date.parse(expires_at!)).toBe(clock.read() + milliseconds);
  });

  test.each(['30', 'd', '0d', '-1d', '1.5h', '1 d', '1D', '1y', '30days', '1e3s', '1000000d', '٣d'])(
    'is refused where %j is no duration, and told how to write one',
    async (expires) => {
      const { owner } = await setUp();
      const { code, message } = await errorOf(() => owner(createToken, { name: 'a', expires }));
      expect([code, message]).toEqual([
        'invalid_arguments',
        'Invalid arguments for createToken: expires: must be a duration: 30d, 12h, 45m, 90s or 2w',
      ]);
    },
  );

  test('is refused where a scope is none', async () => {
    const { owner } = await setUp();
    const { message } = await errorOf(() => owner(createToken, { name: 'a', scopes: 'read,everything' }));
    expect(message).toBe(
      'Invalid arguments for createToken: scopes.1: must be one of read, write, review, admin; it was "everything"',
    );
  });

  test('needs the scope admin, and gives no more scopes, projects or kinds than its maker has', async () => {
    verifies('KERN-10');
    const { as, owner, denials, journal } = await setUp();
    const { id: shop } = await owner(addProject, { name: 'shop', org: 'acme' });
    await owner(addProject, { name: 'garden', org: 'acme' });
    const limited = as(
      admin({ scopes: ['read', 'admin'], projects: [shop], capabilities: ['chat', 'mcp/*', '!mcp/call'] }),
    );
    const refusal = async (call: ReturnType<typeof as>, input: object) =>
      (await errorOf(() => call(createToken, { name: 'eve', scopes: ['read'], ...input }))).code;
    expect(await refusal(as(admin({ scopes: ['read', 'write'] })), {})).toBe('forbidden');
    expect(await refusal(limited, { scopes: ['write'] })).toBe('forbidden');
    expect(await refusal(limited, { projects: ['garden'] })).toBe('project_denied');
    expect(await refusal(limited, { projects: ['/elsewhere'] })).toBe('project_denied');
    expect(await refusal(limited, { org: 'rivals' })).toBe('forbidden');
    for (const capabilities of [['*'], ['mcp/*'], ['chat'], ['!mcp/call'], ['reflection', '!mcp/call']]) {
      expect(await refusal(limited, { capabilities }), capabilities.join()).toBe('forbidden');
    }
    expect(
      await limited(createToken, { name: 'bob', scopes: ['read'], capabilities: ['chat', '!mcp/call'] }),
    ).toMatchObject({
      org: 'acme',
      projects: [shop],
      capabilities: ['chat', '!mcp/call'],
    });
    expect(await limited(createToken, { name: 'rob', scopes: ['read'] })).toMatchObject({
      capabilities: ['chat', 'mcp/*', '!mcp/call'],
    });
    const free = as(admin());
    // A token's name is its principal: nobody becomes somebody else by making a token, and everybody may make their own.
    expect(await refusal(free, { name: 'bob' })).toBe('forbidden');
    expect(await refusal(limited, { projects: [] })).toBe('invalid_arguments');
    expect(await free(createToken, { name: 'ada' })).toMatchObject({ name: 'ada' });
    expect(await free(createToken, { name: 'carol', capabilities: ['!mcp/*'] })).toMatchObject({
      projects: null,
    });
    await denials.close();
    expect(journal.database.get(`SELECT 1 FROM identity_token WHERE name = 'eve'`)).toBeUndefined();
    const { denials: refused } = await free(listDenials, {});
    expect(refused).toContainEqual(expect.objectContaining({ principal: 'ada', code: 'forbidden' }));
  });
});

describe('tokens', () => {
  test('of other organisations and of other projects are neither listed nor ended', async () => {
    verifies('KERN-10');
    const { as, owner, journal } = await setUp();
    const theirs = await makeToken(journal, { org: 'rivals' });
    const wide = await makeToken(journal, { org: 'acme', name: 'wide' });
    const narrow = await makeToken(journal, { org: 'acme', name: 'narrow', projects: ['proj_a'] });
    const ids = async (call: typeof owner, input = {}) =>
      (await call(listTokens, input)).tokens.map(({ id }) => id).sort();
    expect(await ids(owner)).toEqual([theirs.id, wide.id, narrow.id].sort());
    expect(await ids(owner, { org: 'rivals' })).toEqual([theirs.id]);
    expect(await ids(as(admin()))).toEqual([wide.id, narrow.id].sort());
    const limited = as(admin({ projects: ['proj_a', 'proj_b'] }));
    expect(await ids(limited)).toEqual([narrow.id]);
    for (const id of [theirs.id, wide.id, 'tok_none']) {
      expect(await errorOf(() => limited(revokeToken, { id }))).toMatchObject({ code: 'not_found' });
    }
    expect(await limited(revokeToken, { id: narrow.id })).toEqual({
      id: narrow.id,
      revoked: true,
      already: false,
    });
    expect(await limited(revokeToken, { id: narrow.id })).toMatchObject({ already: true });
    expect(await owner(revokeToken, { id: theirs.id })).toMatchObject({ revoked: true });
  });
});

describe('projects', () => {
  test('are added once, and only where they are open to who adds them', async () => {
    const { as, owner } = await setUp();
    const added = await owner(addProject, { name: 'shop', path: '/home/ada/../ada/shop' });
    expect(added).toMatchObject({ name: 'shop', path: '/home/ada/shop' });
    expect(await owner(addProject, { name: 'shop', path: '/home/ada/shop' })).toEqual(added);
    expect(await errorOf(() => owner(addProject, { name: 'shop' }))).toMatchObject({ code: 'conflict' });
    expect((await errorOf(() => owner(addProject, { name: 'x', path: 'shop' }))).message).toBe(
      'Invalid arguments for addProject: path: must be an absolute path; it was "shop"',
    );
    const limited = as(callerNamed('bob', { projects: [added.id] }));
    expect(await errorOf(() => limited(addProject, { name: 'mine' }))).toMatchObject({
      code: 'project_denied',
    });
    expect((await limited(listProjects, {})).projects).toEqual([added]);
    expect(await errorOf(() => as(admin())(listProjects, { org: 'local' }))).toMatchObject({
      code: 'forbidden',
    });
  });

  test('keep their settings until others are given', async () => {
    const { owner, as } = await setUp();
    const set = (input: object) => owner(setProject, { project: '/home/ada/shop', ...input });
    expect(await set({})).toMatchObject({ name: 'shop', mirrorBranches: null, rememberContexts: null });
    expect(await set({ mirror: 'on', remember: 'off' })).toMatchObject({
      mirrorBranches: 'full',
      rememberContexts: false,
    });
    expect(await set({ mirror: 'default' })).toMatchObject({ mirrorBranches: null, rememberContexts: false });
    const writer = as(callerNamed('bob', { scopes: ['read', 'write'] }));
    expect(await errorOf(() => writer(setProject, { project: 'shop' }))).toMatchObject({ code: 'forbidden' });
  });
});

test('limits are told with what set them', async () => {
  const { as } = await setUp();
  const { limits } = await as(callerNamed('bob', { scopes: ['read'] }))(listLimits, {});
  expect(limits.find(({ name }) => name === 'branchDepth')).toEqual({
    name: 'branchDepth',
    value: 8,
    origin: 'default',
    environment: 'INFOLD_LIMITS_BRANCH_DEPTH',
  });
});
