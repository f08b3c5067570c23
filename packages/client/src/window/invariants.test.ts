import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import { type History, histories, requestsOf, type Sent } from './histories.suite.ts';
import { MemoryDoor } from './testing/door.suite.ts';
import { problemsOf, withoutMarks } from './validators.suite.ts';

const RUNS = { numRuns: runs(150) };

interface Step {
  sent: Sent;
  /** What goes to the provider. */
  text: string;
  decided: number;
}

function walk({ host, script }: History): Step[] {
  const door = new MemoryDoor();
  return requestsOf(script, host).map((sent) => {
    const { text, taken } = door.ask(sent);
    return { sent, text: text ?? sent.text, decided: taken.length };
  });
}

const LISTS = { gemini: 'contents', 'openai-responses': 'input' } as Record<string, string>;

function messagesOf({ dialect }: Sent, text: string): string[] {
  const body = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
  return body[LISTS[dialect] ?? 'messages']!.map(withoutMarks);
}

describe('whatever a host sends', () => {
  test('what is sent is valid, holds every word that people said, and is never longer', () => {
    verifies('WIN-03');
    fc.assert(
      fc.property(histories(), (history) => {
        for (const { sent, text } of walk(history)) {
          expect(text.length).toBeLessThanOrEqual(sent.text.length);
          expect(problemsOf(sent.dialect, JSON.parse(text), sent.body)).toEqual([]);
          const strings = JSON.stringify(JSON.parse(text));
          for (const word of sent.words) expect(strings).toContain(JSON.stringify(word).slice(1, -1));
        }
      }),
      RUNS,
    );
  });

  test('between two decisions every request goes on where the one before ended', () => {
    verifies('WIN-04');
    fc.assert(
      fc.property(histories(), (history) => {
        const steps = walk(history);
        for (const [place, { sent, text, decided }] of steps.entries()) {
          const before = steps[place - 1];
          if (!before || decided > 0) continue;
          const asked = messagesOf(sent, sent.text);
          const askedBefore = messagesOf(before.sent, before.sent.text);
          const extends_ = askedBefore.every((message, index) => asked[index] === message);
          if (!extends_ || before.sent.agent !== sent.agent) continue;
          const now = messagesOf(sent, text);
          expect(now.slice(0, messagesOf(before.sent, before.text).length)).toEqual(
            messagesOf(before.sent, before.text),
          );
        }
      }),
      RUNS,
    );
  });

  test('asked again, it is the same to the byte', () => {
    verifies('WIN-04');
    fc.assert(
      fc.property(histories({ episodes: 6 }), ({ host, script }) => {
        const door = new MemoryDoor();
        for (const sent of requestsOf(script, host)) {
          const first = door.ask(sent);
          const again = door.ask(sent);
          expect(again.text).toBe(first.text);
          expect(again.taken).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('what was sent once passes another door as it is', () => {
    fc.assert(
      fc.property(histories({ episodes: 6 }), (history) => {
        const other = new MemoryDoor();
        for (const { sent, text } of walk(history)) {
          const again = other.ask({ ...sent, text });
          expect(
            again.taken.filter(({ decision: { rule } }) => rule === 'folded' || rule === 'shortened'),
          ).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});
