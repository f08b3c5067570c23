import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { compileCapabilities, filterPayload, isTimestamp, PARTICIPANT_ID, wildcard } from './gateway.ts';

const allows = (capability: string, kind: string) => compileCapabilities([capability])(kind);

describe('capabilities', () => {
  test('allow what the draft says they allow', () => {
    verifies('SUB-07');
    for (const capability of [
      'mcp/*',
      'mcp/request:*',
      'mcp/request:tools/*',
      'mcp/request:tools/call',
      '*',
    ]) {
      expect(allows(capability, 'mcp/request:tools/call')).toBe(true);
    }
    for (const capability of ['mcp/*', 'mcp/response:*', 'mcp/response:tools/*']) {
      expect(allows(capability, 'mcp/response:tools/call')).toBe(true);
    }
    expect(allows('mcp/request:*/list', 'mcp/request:tools/list')).toBe(true);
    expect(allows('mcp/request:*/list', 'mcp/request:tools/call')).toBe(false);
    expect(allows('chat', 'chat')).toBe(true);
    expect(allows('chat', 'chat/typing')).toBe(false);
    expect(allows('mcp/request:*', 'mcp/response:x')).toBe(false);
    expect(compileCapabilities([])('chat')).toBe(false);
  });

  test('forbid with an exclamation mark, whatever allows', () => {
    const only = compileCapabilities(['!delete_*']);
    expect([only('read_file'), only('delete_file')]).toEqual([true, false]);
    const both = compileCapabilities(['mcp/*', '!mcp/*:tools/call*']);
    expect([both('mcp/request:tools/list'), both('mcp/request:tools/call:x'), both('chat')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([allows('/public/**', '/public/docs/readme.md'), allows('/public/**', '/private/x')]).toEqual([
      true,
      false,
    ]);
  });

  test('four of them against one kind', () => {
    const four = ['mcp/request:*', 'mcp/*', '*', 'chat'];
    expect(four.filter((capability) => allows(capability, 'mcp/request:tools/call')).length).toBe(3);
  });

  test('match as the expression with .* would, and in linear time', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/', '.'), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, kind) => {
        const parts = pattern.split('*').map((part) => part.replace(/[.\\/]/g, '\\$&'));
        expect(wildcard(pattern)(kind)).toBe(new RegExp(`^${parts.join('.*')}$`, 's').test(kind));
      }),
      { numRuns: 2000 },
    );
    const started = performance.now();
    expect(wildcard(`${'*a'.repeat(2000)}*b`)('a'.repeat(20_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

test('times are RFC 3339, and days that exist', () => {
  for (const time of [
    '2025-08-31T12:00:00Z',
    '2024-02-29T23:59:59.123456789+14:00',
    '2025-01-01t00:00:00z',
  ]) {
    expect(isTimestamp(time)).toBe(true);
  }
  for (const time of [
    '2025-02-29T12:00:00Z',
    '2025-08-31',
    'now',
    '2025-13-01T00:00:00Z',
    '2025-08-31T12:00:00',
    '',
  ]) {
    expect(isTimestamp(time)).toBe(false);
  }
});

test('participants are printable and never the gateway', () => {
  for (const id of ['alice', 'agent-1', 'Zoë @ home', 'a']) expect(PARTICIPANT_ID.test(id)).toBe(true);
  for (const id of ['', ' a', 'a\nb', 'system:gateway', 'x'.repeat(129), '\u202ebob']) {
    expect(PARTICIPANT_ID.test(id)).toBe(false);
  }
});

test('a filter names what it likes, within a length that thousands of connections may have', () => {
  const names = (count: number, characters: number) =>
    Array.from({ length: count }, (_, index) => `${index}`.padEnd(characters, 'x'));
  expect(filterPayload.safeParse({ contexts: { ids: names(64, 64) }, kinds: names(64, 50) }).success).toBe(
    true,
  );
  const long = { contexts: { ids: names(64, 200) } };
  expect(filterPayload.safeParse(long).error?.issues[0]?.message).toBe('is longer than 8192 characters');
});
