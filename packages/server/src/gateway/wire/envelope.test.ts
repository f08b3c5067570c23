import { type EnvelopeInput, LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { Refusal } from '../errors.ts';
import { readIncoming, splice } from './envelope.ts';
import { WireFrame } from './frame.ts';

const read = (text: string) => readIncoming(text, LIMITS);

describe('reading a message', () => {
  test('any text is read or refused, never anything else', () => {
    verifies('SUB-08');
    const nearly = fc.json().map((text) => `{"id":"a","kind":"chat","payload":${text}}`);
    const cut = fc.tuple(nearly, fc.nat()).map(([text, end]) => text.slice(0, end % text.length));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), nearly, cut), (text) => {
        try {
          expect(read(text).envelope.kind).toEqual(expect.any(String));
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('what is added at the end leaves the rest as it was', () => {
    verifies('SUB-01');
    const message = fc.record({
      id: fc.string({ minLength: 1, maxLength: 20 }),
      kind: fc.constantFrom('chat', 'reflection'),
      payload: fc.jsonValue(),
      extra: fc.jsonValue(),
      context: fc.record({ id: fc.string({ minLength: 1, maxLength: 9 }), mood: fc.jsonValue() }),
    });
    fc.assert(
      fc.property(message, fc.constantFrom(0, 2), (sent, space) => {
        const raw = `${JSON.stringify(sent, null, space)} \n`;
        fc.pre(!raw.includes('__proto__'));
        const { text } = read(raw);
        const added = { ts: 'now', from: 'alice', seq: 7, epoch: 'e' };
        expect(JSON.parse(splice(text, added))).toEqual({ ...JSON.parse(raw), ...added });
      }),
    );
  });

  test('fields of the gateway are taken out, in any spelling', () => {
    const { text, envelope } = read('{"id":"a","kind":"chat","s\\u0065q":9,"replay":true,"epoch":"x"}');
    expect(JSON.parse(text)).toEqual({ id: 'a', kind: 'chat' });
    expect(envelope).toEqual({ id: 'a', kind: 'chat' } satisfies EnvelopeInput);
  });

  test('a field that stands twice is refused, in any spelling, and not when it is deeper', () => {
    expect(() => read('{"id":"a","kind":"chat","from":"a","\\u0066rom":"b"}')).toThrow('twice');
    expect(read('{"id":"a","kind":"chat","payload":{"id":"a","x":"\\"id\\":"}}').envelope.id).toBe('a');
  });
});

describe('frames', () => {
  test('have headers of every length', () => {
    for (const length of [0, 125, 126, 65_535, 65_536]) {
      const { plain } = new WireFrame('x'.repeat(length));
      const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
      expect(plain[0]).toBe(0x81);
      expect(plain.length).toBe(start + length);
      const said =
        start === 2 ? plain[1] : start === 4 ? plain.readUInt16BE(2) : Number(plain.readBigUInt64BE(2));
      expect(said).toBe(length);
    }
    expect(new WireFrame('漢字😊').plain.subarray(2).toString()).toBe('漢字😊');
  });
});
