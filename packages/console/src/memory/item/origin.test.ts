import { expect, test } from 'vitest';
import { originOf } from './origin.ts';

test('a folded branch is shown in the tree of its session, a report by its session, a conclusion by its pod', () => {
  const metadata = { session_id: 'sess_1' };
  expect(originOf({ source: 'infold://branch/br_1', metadata })).toEqual({
    ...{ kind: 'branch', session: 'sess_1', branch: 'br_1' },
  });
  expect(originOf({ source: 'infold://session/sess_2', metadata: {} })).toEqual({
    ...{ kind: 'session', session: 'sess_2' },
  });
  expect(originOf({ source: 'infold://pod/p/context/c', metadata: {} })).toEqual({ kind: 'pod', pod: 'p' });
  expect(originOf({ source: 'analysis:a', metadata })).toEqual({ kind: 'session', session: 'sess_1' });
});

test('what came from elsewhere, or is not shown to the reader, leads nowhere', () => {
  expect(originOf({ source: 'https://example.com/infold://branch/br_1', metadata: {} })).toBe(undefined);
  expect(originOf({ source: null, metadata: { session_id: 4 } })).toBe(undefined);
  expect(originOf({ source: 'infold://branch/br_1', metadata: {} })).toBe(undefined);
});
