import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import type { Entry, JournalEvent } from '../journal/journal.ts';
import { callerNamed } from '../testing/fixtures.suite.ts';
import { visibleOfAccess } from './visible.ts';

const token = (projects: string[] | null): JournalEvent => ({
  type: 'token.created',
  data: {
    ...{ id: 'tok_1', org: 'team', name: 'ann', hash: 'a digest', projects },
    ...{ scopes: ['read'], capabilities: ['*'], expires_at: null },
  },
});
const project = (id: string): JournalEvent => ({
  type: 'project.added',
  data: { id, org: 'team', name: id, path: null, hash: '', workspace_id: '' },
});

const entry = {
  actor: { org: 'team', principal: 'head' },
  events: [token(null), token(['shop']), token(['shop', 'bank']), project('shop'), project('bank')],
} as unknown as Entry;

const seenBy = (more: Parameters<typeof callerNamed>[1]) =>
  visibleOfAccess(entry, callerNamed('admin', { org: 'team', ...more }), undefined as never).events;

describe('what the journal shows of access', () => {
  test('is everything for who administers the organisation, but no hash of a token', () => {
    verifies('KERN-19');
    const seen = seenBy({ scopes: ['read', 'admin'] });
    expect(seen).toHaveLength(5);
    expect(JSON.stringify(seen)).not.toContain('a digest');
  });

  test('is about their projects for who administers some of them', () => {
    const seen = seenBy({ scopes: ['read', 'admin'], projects: ['shop'] });
    expect(seen.map(({ type }) => type)).toEqual(['token.created', 'project.added']);
    expect(JSON.stringify(seen)).not.toContain('bank');
  });

  test('is nothing for who does not administer it, and for others', () => {
    expect(seenBy({ scopes: ['read', 'write', 'review'] })).toEqual([]);
    expect(seenBy({ scopes: ['admin'], org: 'other' })).toEqual([]);
  });
});
