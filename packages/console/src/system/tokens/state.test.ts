import { expect, test } from 'vitest';
import type { Token } from '../queries.ts';
import { isLastAdmin, ordered, stateOf } from './state.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const token = (name: string, more: Partial<Token> = {}): Token => ({
  id: `tok_${name}`,
  name,
  org: 'local',
  projects: null,
  scopes: ['read'],
  capabilities: [],
  expires_at: null,
  created_at: '2026-05-01T00:00:00Z',
  last_used_at: null,
  revoked_at: null,
  ...more,
});

test('a token is in force until it ends or is ended', () => {
  expect(stateOf(token('a'), NOW)).toBe('in force');
  expect(stateOf(token('a', { expires_at: '2026-06-02T00:00:00Z' }), NOW)).toBe('in force');
  expect(stateOf(token('a', { expires_at: '2026-06-01T00:00:00Z' }), NOW)).toBe('expired');
  expect(stateOf(token('a', { revoked_at: '2026-05-02T00:00:00Z' }), NOW)).toBe('revoked');
});

test('what opens nothing any more comes last, else the newest first', () => {
  const tokens = [
    token('old', { created_at: '2026-01-01T00:00:00Z' }),
    token('ended', { revoked_at: '2026-05-02T00:00:00Z' }),
    token('new'),
  ];
  expect(ordered(tokens, NOW).map(({ name }) => name)).toEqual(['new', 'old', 'ended']);
});

test('the last that administers is known before it is revoked', () => {
  const admin = token('admin', { scopes: ['read', 'admin'] });
  const expired = token('expired', { scopes: ['admin'], expires_at: '2026-05-31T00:00:00Z' });
  expect(isLastAdmin(admin, [admin, expired, token('reader')], NOW)).toBe(true);
  expect(isLastAdmin(admin, [admin, token('other', { scopes: ['admin'] })], NOW)).toBe(false);
  expect(isLastAdmin(token('reader'), [token('reader')], NOW)).toBe(false);
});
