import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { errorOf, HOUR, makeToken, movableClock, openTestJournal } from '../../testing/fixtures.suite.ts';
import { requireScope } from '../access/rule.ts';
import { accessStream } from '../streams.ts';
import { authenticate, localOwner } from './caller.ts';
import { revokeToken } from './commands.ts';
import { callerFromClaims, oauthConfig } from './oauth.ts';

const OAUTH = oauthConfig.parse({
  issuer: 'https://issuer.example',
  audience: 'infold',
  jwks: 'https://issuer.example/keys',
});

async function setUp() {
  const clock = movableClock();
  const journal = await openTestJournal(clock);
  const authenticated = (bearer: string | undefined) => authenticate(journal.database, bearer, clock.read());
  const revoke = (id: string) =>
    journal.commit({
      stream: accessStream('local'),
      actor: localOwner.actor,
      decide: (database) => revokeToken(database, id),
    });
  return { clock, journal, authenticated, revoke };
}

describe('who an HTTP request speaks for', () => {
  test('before any token was made, the local owner', async () => {
    const { authenticated } = await setUp();
    expect(authenticated(undefined)).toBe(localOwner);
  });

  test('a token that is not known is refused even then: its holder expects an identity', async () => {
    const { authenticated } = await setUp();
    const error = await errorOf(() => authenticated('inf_nobody'));
    expect(error).toMatchObject({ code: 'unauthenticated', message: 'The bearer token is not known here' });
  });

  test('the holder of a token, with what the token opens', async () => {
    const { authenticated, journal } = await setUp();
    const { id, token } = await makeToken(journal, {
      name: 'alice',
      org: 'acme',
      projects: ['proj_1'],
      scopes: ['read', 'review'],
      capabilities: ['chat/*'],
    });
    expect(authenticated(token)).toEqual({
      org: 'acme',
      principal: 'alice',
      scopes: ['read', 'review'],
      projects: ['proj_1'],
      capabilities: ['chat/*'],
      tokenId: id,
      expiresAt: null,
      actor: { org: 'acme', principal: 'alice' },
    });
  });

  test('the owner of the data folder is nobody that a token can name, made now or by an earlier version', async () => {
    const { authenticated, journal } = await setUp();
    const error = await errorOf(() => makeToken(journal, { name: 'owner', org: 'local' }));
    expect(error).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('another name'),
    });
    await makeToken(journal, { name: 'owner', org: 'acme' });
    const { token } = await makeToken(journal, { name: 'other', org: 'local' });
    journal.database.exec("UPDATE identity_token SET name = 'owner' WHERE name = 'other'");
    expect((await errorOf(() => authenticated(token))).message).toContain('another name');
  });

  test.each([
    ['the owner of the data folder', { org: 'local', sub: 'owner' }],
    ['a line break', { org: 'acme', sub: 'alice\nbob' }],
    ['nothing', { org: 'acme', sub: '' }],
    ['an organisation of two lines', { org: 'acme\nlocal', sub: 'alice' }],
    ['no end', { org: 'acme', sub: 'a'.repeat(256) }],
  ])('an issuer names nobody with %s', async (_, claims) => {
    const error = await errorOf(() => callerFromClaims(claims, OAUTH));
    expect(error.code).toBe('unauthenticated');
  });

  test('an issuer may use the subjects that issuers use', () => {
    for (const sub of [
      'auth0|5f7c8ec7c33c6c004bbafe82',
      'https://issuer.example/users/7',
      'alice@acme.example',
    ]) {
      expect(callerFromClaims({ org: 'acme', sub }, OAUTH).principal).toBe(sub);
    }
  });

  test('once a token was made, nobody without one', async () => {
    verifies('KERN-10');
    const { authenticated, journal } = await setUp();
    await makeToken(journal);
    expect((await errorOf(() => authenticated(undefined))).code).toBe('unauthenticated');
  });

  test('revoking the last token does not open the door again', async () => {
    verifies('KERN-10');
    const { authenticated, journal, revoke } = await setUp();
    const { id, token } = await makeToken(journal);
    await revoke(id);
    expect((await errorOf(() => authenticated(token))).message).toBe('The bearer token was revoked');
    expect((await errorOf(() => authenticated(undefined))).code).toBe('unauthenticated');
  });

  test('a token ends at the moment it expires, not after it', async () => {
    const { authenticated, clock, journal } = await setUp();
    const { token } = await makeToken(journal, { expiresAt: clock.read() + HOUR });
    clock.advance(HOUR - 1);
    expect(authenticated(token).principal).toBe('alice');
    clock.advance(1);
    expect((await errorOf(() => authenticated(token))).message).toBe('The bearer token has expired');
  });

  test('the secret is nowhere in the data folder, only its hash', async () => {
    const { journal } = await setUp();
    const { token } = await makeToken(journal);
    const entries = JSON.stringify(journal.entriesAfter(0, 10));
    expect(entries).toContain('token.created');
    expect(entries).not.toContain(token);
    expect(JSON.stringify(journal.database.all('SELECT * FROM identity_token'))).not.toContain(token);
  });
});

test('a missing scope is named together with those that the token has', async () => {
  const reader = { ...localOwner, scopes: ['read', 'review'] as const };
  requireScope(reader, 'review');
  const error = await errorOf(() => requireScope(reader, 'write'));
  expect(error.code).toBe('forbidden');
  expect(error.message).toBe('This needs the scope "write"; the token has read, review');
});
