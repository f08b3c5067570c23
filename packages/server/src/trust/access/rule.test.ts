import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callerNamed, errorOf } from '../../testing/fixtures.suite.ts';
import { SCOPES, type Scope } from '../identity/events.ts';
import { authorise, decide } from './rule.ts';

const alice = callerNamed('alice', { org: 'acme' });

describe('the access rule', () => {
  test('asks for the scope first, whatever the resource', () => {
    verifies('KERN-10');
    fc.assert(
      fc.property(fc.subarray([...SCOPES]), fc.constantFrom(...SCOPES), (scopes: Scope[], action: Scope) => {
        const verdict = decide({ ...alice, scopes }, action, { kind: 'organisation' });
        expect(verdict.allowed).toBe(scopes.includes(action));
      }),
    );
  });

  test('names a project that is not open to the token', async () => {
    verifies('KERN-10');
    const caller = { ...alice, projects: ['proj_a'] };
    authorise(caller, 'read', { kind: 'project', id: 'proj_a' });
    const error = await errorOf(() => authorise(caller, 'read', { kind: 'project', id: 'proj_b' }));
    expect(error).toMatchObject({ code: 'project_denied', message: 'Project access denied: proj_b' });
  });

  test('hides sessions and diaries of others: of the principal, the organisation and closed projects', async () => {
    const session = { kind: 'session', org: 'acme', principal: 'alice', project_id: 'proj_a' } as const;
    expect(decide(alice, 'read', session)).toEqual({ allowed: true });
    for (const [caller, resource] of [
      [alice, { ...session, principal: 'bob' }],
      [alice, { ...session, org: 'other' }],
      [{ ...alice, projects: ['proj_b'] }, session],
      [alice, { kind: 'diary', org: 'acme', owner: 'bob' }],
      [alice, { kind: 'diary', org: 'other', owner: 'alice' }],
    ] as const) {
      expect(decide(caller, 'read', resource)).toMatchObject({ allowed: false, code: 'hidden' });
      expect((await errorOf(() => authorise(caller, 'read', resource))).code).toBe('not_found');
    }
  });
});
