import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { summarise } from './summary.ts';

const said = (...texts: string[]) =>
  texts.map((text, index) => ({ seq: index + 1, kind: 'reflection', payload: { thought: text } }));

describe('a summary', () => {
  test("is the conclusion's own text, the last one where there are several", () => {
    verifies('SUB-11');
    const messages = [
      ...said('Is it safe?', 'It reads the table twice'),
      { seq: 3, kind: 'conclusion', payload: { decision: 'Deny the operation' } },
      { seq: 4, kind: 'reasoning/conclusion', payload: { conclusion: 'Deny it,\n  and tell the owner' } },
      { seq: 5, kind: 'chat', payload: { text: 'Thank you' } },
    ];
    expect(summarise(messages)).toEqual({ text: 'Deny it, and tell the owner', sources: [4] });
  });

  test('is else the first message and those that have most in common with the others', () => {
    verifies('SUB-11');
    const messages = said(
      'Why do invoices of the billing job arrive twice?',
      'Lunch is at noon',
      'The billing job retries invoices when the queue times out',
      'Somebody should water the plants',
      'The queue times out because invoices lock the billing table',
      'The weather is nice today',
      'So the billing job sends invoices twice after each queue timeout',
    );
    const { text, sources } = summarise(messages)!;
    expect(sources[0]).toBe(1);
    expect(sources.slice(1).every((seq) => [3, 5, 7].includes(seq))).toBe(true);
    expect(text.startsWith('Why do invoices of the billing job arrive twice? … ')).toBe(true);
  });

  test('needs words', () => {
    expect(summarise([])).toBeNull();
    expect(summarise([{ seq: 1, kind: 'ping', payload: { count: 3 } }])).toBeNull();
    expect(summarise(said('Only this', 'Only this'))).toEqual({ text: 'Only this', sources: [1] });
  });

  test('is one line of bounded length, from messages that are there, in their order', () => {
    const message = fc.record({
      kind: fc.constantFrom('chat', 'reflection', 'conclusion'),
      payload: fc.oneof(
        fc.string({ maxLength: 1500, unit: 'grapheme' }),
        fc.record({ text: fc.lorem({ maxCount: 200 }) }),
        fc.constant(null),
        fc.record({ count: fc.nat() }),
      ),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), (all) => {
        const messages = all.map((one, index) => ({ ...one, seq: index * 2 + 1 }));
        const summary = summarise(messages);
        if (summary === null) return;
        expect(summary.text.length).toBeLessThanOrEqual(500);
        expect(summary.text).not.toMatch(/[\n\r]/);
        expect(summary.text.trim()).not.toBe('');
        expect(summary.sources).toEqual([...new Set(summary.sources)].sort((one, other) => one - other));
        for (const seq of summary.sources) expect(messages.some((one) => one.seq === seq)).toBe(true);
        const conclusions = messages.filter(
          ({ kind, seq }) => kind === 'conclusion' && summary.sources[0] === seq,
        );
        const spoken = messages.some(
          ({ kind, payload }) =>
            kind === 'conclusion' && typeof payload === 'string' && payload.trim() !== '',
        );
        if (spoken) expect(conclusions).toHaveLength(1);
      }),
    );
  });
});
