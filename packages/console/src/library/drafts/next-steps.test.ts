import type { Scope } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { stepsFor } from './next-steps.ts';

const reader = (scopes: readonly Scope[], isOwn: boolean) => ({
  may: (scope: Scope) => scopes.includes(scope),
  isOwn,
});
const draft = (status: 'draft' | 'in_review' | 'approved' | 'published', conflict: unknown = null) => ({
  ...{ status, conflict },
  op: 'update' as const,
});
const AUTHOR = reader(['read', 'write'], true);
const REVIEWER = reader(['read', 'write', 'review'], false);

describe('the next steps of a draft', () => {
  test('are the author’s until it is submitted, then the reviewer’s', () => {
    verifies('CON-04');
    expect(stepsFor(draft('draft'), AUTHOR)).toEqual({ steps: ['submit', 'discard'], mayEdit: true });
    expect(stepsFor(draft('draft'), REVIEWER).steps).toEqual([]);
    expect(stepsFor(draft('in_review'), AUTHOR).steps).toEqual(['discard']);
    expect(stepsFor(draft('in_review'), REVIEWER).steps).toEqual(['approve', 'decline']);
    expect(stepsFor(draft('approved'), REVIEWER).steps).toEqual(['publish', 'decline']);
    expect(stepsFor(draft('published'), REVIEWER)).toEqual({ steps: [], mayEdit: false });
  });

  test('are none for a token that may read alone, whoever’s the draft is', () => {
    verifies('CON-06');
    for (const status of ['draft', 'in_review', 'approved'] as const) {
      expect(stepsFor(draft(status), reader(['read'], true))).toEqual({ steps: [], mayEdit: false });
    }
  });

  test('do not go on past a conflict', () => {
    const conflict = { reason: 'changed' };
    expect(stepsFor(draft('draft', conflict), AUTHOR)).toEqual({ steps: ['discard'], mayEdit: false });
    expect(stepsFor(draft('approved', conflict), REVIEWER).steps).toEqual(['decline']);
  });

  test('are further approvals where its path is protected and has too few of them', () => {
    verifies('LIB-18');
    const guarded = (...approved_by: string[]) => ({
      ...draft('approved'),
      protected: [{ pattern: 'ops/**', reviewers: ['rita', 'sam'], approvals: 2, approved_by }],
    });
    expect(stepsFor(guarded('rita'), REVIEWER).steps).toEqual(['approve', 'decline']);
    expect(stepsFor(guarded('rita', 'sam'), REVIEWER).steps).toEqual(['publish', 'decline']);
    // What the server would refuse is not offered, and it is said why.
    expect(stepsFor(guarded('rita'), { ...REVIEWER, name: 'rita' })).toMatchObject({
      steps: ['decline'],
      why: 'You have approved it; its path needs more approvals.',
    });
    expect(stepsFor(guarded(), { ...REVIEWER, name: 'zoe' })).toMatchObject({
      steps: ['decline'],
      why: 'Its path is protected: it waits for rita, sam.',
    });
    expect(stepsFor(guarded('rita'), { ...REVIEWER, name: 'sam' }).steps).toEqual(['approve', 'decline']);
  });

  test('leave out the author’s own approval where a setting says so, and say why', () => {
    verifies('LIB-12');
    const strict = { ...draft('in_review'), self_approval: false as const, drafted_by: 'rita' };
    const author = reader(['read', 'write', 'review'], true);
    expect(stepsFor(strict, author)).toMatchObject({
      steps: ['decline', 'discard'],
      why: 'You wrote it: somebody else approves it.',
    });
    expect(stepsFor(strict, REVIEWER)).toEqual({ steps: ['approve', 'decline'], mayEdit: false });
    const { self_approval: _, ...lax } = strict;
    expect(stepsFor(lax, author).steps).toContain('approve');
    // Approved before the setting said so: it cannot be published.
    const before = { ...strict, status: 'approved' as const, decided_by: 'rita' };
    expect(stepsFor(before, REVIEWER)).toMatchObject({
      steps: ['decline'],
      why: expect.stringContaining('does not count'),
    });
    expect(stepsFor({ ...before, decided_by: 'sam' }, author).steps).toContain('publish');
  });

  test('are at the hub where the library is a copy of its', () => {
    verifies('LIB-18');
    for (const status of ['in_review', 'approved'] as const) {
      const copied = { ...draft(status), hub: 'https://hub.example' };
      expect(stepsFor(copied, REVIEWER)).toEqual({
        ...{ steps: [], mayEdit: false, why: 'It is reviewed at the hub, https://hub.example.' },
      });
      expect(stepsFor(copied, AUTHOR).steps).toEqual(['discard']);
    }
  });
});
