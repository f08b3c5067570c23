import { describe, expect, test } from 'vitest';
import { errorOf, makeToken, openTestJournal, START } from '../../testing/fixtures.suite.ts';
import { accessStream } from '../streams.ts';
import { localOwner } from './caller.ts';
import {
  addNamedProject,
  createToken,
  describeProject,
  type NewToken,
  projectNameFor,
  revokeToken,
} from './commands.ts';
import { tokenById } from './queries.ts';
import { hashToken } from './tokens.ts';

const wanted: NewToken = {
  name: 'alice',
  org: 'local',
  projects: null,
  scopes: ['read'],
  capabilities: ['*'],
  expiresAt: null,
};

describe('making a token', () => {
  test('the event keeps the hash, the answer alone has the secret', () => {
    const { events, answer } = createToken(START, wanted);
    expect(answer.token).toMatch(/^inf_[A-Za-z0-9_-]{43}$/);
    expect(events).toMatchObject([
      { type: 'token.created', data: { id: answer.id, hash: hashToken(answer.token), name: 'alice' } },
    ]);
    expect(JSON.stringify(events)).not.toContain(answer.token);
  });

  test('no two are alike', () => {
    const tokens = Array.from({ length: 50 }, () => createToken(START, wanted).answer);
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(50);
    expect(new Set(tokens.map(({ id }) => id)).size).toBe(50);
  });

  test('it must expire in the future', async () => {
    const error = await errorOf(() => createToken(START, { ...wanted, expiresAt: START }));
    expect(error.code).toBe('invalid_arguments');
    expect(createToken(START, { ...wanted, expiresAt: START + 1 }).events).toHaveLength(1);
  });

  test.each(['', ' alice', '-alice', 'a\nb', 'a/b', 'a'.repeat(65), 'a\u0000b'])(
    'a name like %j is refused',
    async (name) => {
      expect((await errorOf(() => createToken(START, { ...wanted, name }))).message).toContain('token name');
      expect((await errorOf(() => createToken(START, { ...wanted, org: name }))).message).toContain(
        'organisation name',
      );
    },
  );

  test.each(['alice', 'Ångström 2', 'build-agent_7', 'someone@example.org', '名前'])(
    'a name like %j is taken',
    (name) => {
      expect(createToken(START, { ...wanted, name }).events[0]).toMatchObject({ data: { name } });
    },
  );
});

describe('revoking a token', () => {
  test('ends it once; a second time says so and writes nothing', async () => {
    const journal = await openTestJournal();
    const { id } = await makeToken(journal);
    const revoke = () =>
      journal.commit({
        stream: accessStream('local'),
        actor: localOwner.actor,
        decide: (database) => revokeToken(database, id),
      });
    expect((await revoke()).answer).toEqual({ id, already: false });
    expect(tokenById(journal.database, id)?.revoked_at).toBe(START);
    const { seq } = journal.head();
    expect((await revoke()).answer).toEqual({ id, already: true });
    expect(journal.head().seq).toBe(seq);
  });

  test('one that does not exist is an error', async () => {
    const journal = await openTestJournal();
    const error = await errorOf(() => revokeToken(journal.database, 'tok_none'));
    expect(error).toMatchObject({ code: 'not_found' });
  });
});

describe('projects', () => {
  test('ids follow from organisation and path, and differ where those differ', () => {
    const ids = [
      describeProject('local', 'shop', '/shop'),
      describeProject('acme', 'shop', '/shop'),
      describeProject('local', 'shop', null),
      describeProject('local', '/shop', null),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(describeProject('local', 'another name', '/shop').id).toBe(ids[0]);
  });

  test('a name is taken once; the same project again is no error and no event', async () => {
    const journal = await openTestJournal();
    const add = (name: string, path: string | null) =>
      journal.commit({
        stream: accessStream('local'),
        actor: localOwner.actor,
        decide: (database) => addNamedProject(database, 'local', name, path),
      });
    const { answer } = await add('shop', '/shop');
    expect((await add('shop', '/shop')).answer).toEqual(answer);
    expect(journal.head().seq).toBe(1);
    const error = await errorOf(() => add('shop', '/elsewhere'));
    expect(error.code).toBe('conflict');
    expect(error.message).toContain(answer.id);
  });

  test('the name of a folder becomes a name that is allowed', () => {
    expect(projectNameFor('/home/someone/shop')).toBe('shop');
    expect(projectNameFor('/home/someone/my shop (old)')).toBe('my shop -old-');
    expect(projectNameFor('/home/someone/.config')).toBe('project');
    expect(projectNameFor('/')).toBe('project');
    expect(projectNameFor(`/${'x'.repeat(300)}`)).toHaveLength(60);
  });
});
