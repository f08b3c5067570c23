import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry } from '../journal/journal.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { briefEvent } from './brief-events.ts';
import { tellEntry } from './visible-entries.ts';

test('what calls were given and answered is left out, and everything else stays', () => {
  const kept = {
    session_id: 's',
    branch_id: null,
    tool: 'Read',
    call_id: 'c',
    tokens: 5,
    handle: 'h',
    consumes: ['x'],
  };
  const data = { ...kept, input: { path: 'a' }, output: 'text' };
  expect(briefEvent({ type: 'operation.completed', data })).toEqual({
    type: 'operation.completed',
    data: { ...kept, about: 'a' },
  });
  const created = { branch_id: 'b', parent_id: null, description: 'find it', prompt: 'look', tokens: 1 };
  const { prompt: _, ...rest } = created;
  expect(briefEvent({ type: 'branch.created', data: created }).data).toEqual(rest);
});

test.each([
  [{ content: 'x', file_path: '/src/a.ts' }, '/src/a.ts'],
  [{ command: 'npm test\n  -- --watch' }, 'npm test -- --watch'],
  [{ n: 1, any: 'thing' }, 'thing'],
  ['text', 'text'],
  [{ command: 'é'.repeat(200) }, `${'é'.repeat(100)}…`],
  [{ command: ' ' }, undefined],
  [[1, 2], undefined],
  [null, undefined],
])('of what a call was given, %j, stays what it is about', (input, about) => {
  const { data } = briefEvent({ type: 'operation.completed', data: { tool: 'Read', input } });
  expect(data).toEqual({ tool: 'Read', ...(about !== undefined && { about }) });
});

test('a provider’s figures are no input of a call', () => {
  const event = {
    type: 'window.answered',
    data: { conversation: 'c', turn: 1, usage: { input: 5, cache_read: 1, output: 7 }, status: 200 },
  };
  expect(briefEvent(event)).toBe(event);
});

test('no text is longer than 1,000 characters and its mark, and short ones are as they were', () => {
  const text = fc.oneof(fc.string(), fc.string({ minLength: 900, maxLength: 1200 }));
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 4 }),
  }));
  const check = (brief: unknown, whole: unknown): void => {
    if (typeof whole === 'string' && whole.length > 1000) {
      expect(brief).toMatch(/… \(\d+ characters\)$/);
      expect((brief as string).length).toBeLessThan(1030);
    } else if (typeof whole === 'object' && whole !== null) {
      expect(Object.keys(brief as object)).toEqual(Object.keys(whole));
      for (const [name, member] of Object.entries(whole)) check((brief as never)[name], member);
    } else expect(brief).toEqual(whole);
  };
  fc.assert(
    fc.property(value.map as fc.Arbitrary<Record<string, unknown>>, (data) => {
      check(briefEvent({ type: 'branch.folded', data }).data, data);
    }),
  );
});

test('a brief event says where it stands in the whole entry, also where others are hidden', () => {
  const events = ['one', 'two', 'three'].map((tool) => ({ type: 'operation.completed', data: { tool } }));
  const entry = {
    ...{ seq: 7, id: 'e', stream: 'session.x', rev: 1, at: 0, cause: null, erased: false },
    actor: { org: 'o', principal: 'p' },
    events,
  } as unknown as Entry;
  const sources = {
    parts: { visible: { session: () => ({ events: [events[0]!, events[2]!] }) } as never },
    database: undefined as never,
  };
  const told = tellEntry(sources, entry, { caller: { org: 'o', principal: 'p' } as Caller, isBrief: true });
  expect(told!.events.map(({ place }) => place)).toEqual([0, 2]);
});
