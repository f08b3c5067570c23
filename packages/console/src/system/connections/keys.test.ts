import { expect, test } from 'vitest';
import type { ConnectionView } from '../queries.ts';
import { keysOf } from './keys.ts';

const one: ConnectionView = {
  ...{ kind: 'mcp', org: 'local', principal: 'owner', name: 'codex', version: '1' },
  ...{ session_id: 's', project_id: null, pod: null, conversation: null },
  ...{ last_at: '2026-01-01T00:00:00.000Z', is_open: true },
};

test('programs that look alike have keys of their own, which stay when time passes', () => {
  const asked = () => [{ ...one }, { ...one, last_at: new Date().toISOString() }, { ...one, version: '2' }];
  const keys = [...keysOf(asked()).values()];
  expect(new Set(keys).size).toBe(3);
  expect([...keysOf(asked()).values()]).toEqual(keys);
});
