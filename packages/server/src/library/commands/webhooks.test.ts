import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { WebhookDelivery } from '../queries/webhooks.ts';
import {
  dueAt,
  LONGEST_WAIT,
  MOST_REFUSALS,
  PATIENCE,
  type ReceiverAnswer,
  settleDelivery,
} from './webhooks.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 5);

const delivery = (more: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...{ webhook_id: 'wh_1', seq: 7, place: 0, event: 'draft.submitted', id: 'dlv_1', org: 'local' },
  ...{ project_id: 'p', at: START, queued_at: START, given_up: 0, attempts: 0, problem: null },
  ...more,
});

/** Sends one delivery again and again, as a line does, until it is taken or given up. */
function follow(answers: (attempt: number) => ReceiverAnswer, chances: () => number) {
  const webhook = {
    id: 'wh_1',
    failing_since: null as number | null,
    failures: 0,
    next_at: null as number | null,
  };
  let waiting = delivery();
  let now = START;
  const pauses: number[] = [];
  for (let attempt = 1; attempt < 10_000; attempt++) {
    const { events } = settleDelivery(webhook, waiting, answers(attempt), { now, chance: chances() });
    expect(events).toHaveLength(1);
    const [event] = events;
    expect(event!.data).toMatchObject({ delivery_id: 'dlv_1', attempts: attempt });
    if (event!.type === 'webhook.delivered') return { ending: 'delivered', attempt, now, pauses };
    if (event!.type !== 'webhook.failed') throw new Error(event!.type);
    const { given_up, next_at, failures } = event!.data;
    if (given_up) return { ending: 'given up', attempt, now, pauses };
    webhook.failing_since ??= now;
    webhook.failures = failures;
    waiting = { ...waiting, attempts: attempt };
    const due = dueAt({ next_at }, now);
    pauses.push(due - now);
    now = due;
  }
  throw new Error('It never ended');
}

const failure = fc.record({
  status: fc.constantFrom(null, 301, 401, 404, 408, 429, 500, 503),
  problem: fc.constant('down'),
  retryAfter: fc.option(fc.integer({ min: 1, max: 10 * LONGEST_WAIT }), { nil: undefined }),
});

describe('a delivery', () => {
  test('is tried with growing pauses until it is taken, or for three days', () => {
    verifies('LIB-18');
    fc.assert(
      fc.property(
        fc.array(failure, { minLength: 1, maxLength: 400 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }),
        fc.boolean(),
        (failures, chances, comesBack) => {
          let chance = 0;
          const { ending, now, attempt, pauses } = follow(
            (attempt) =>
              comesBack && attempt > failures.length
                ? { status: 200, problem: null }
                : failures[(attempt - 1) % failures.length]!,
            () => chances[chance++ % chances.length]!,
          );
          if (ending === 'given up') expect(now - START).toBeGreaterThanOrEqual(PATIENCE);
          else expect(attempt).toBe(failures.length + 1);
          // Never long after its time, however much the receiver asks for.
          expect(now - START).toBeLessThanOrEqual(PATIENCE + LONGEST_WAIT);
          for (const [index, pause] of pauses.entries()) {
            const { retryAfter = 0 } = failures[index % failures.length]!;
            const usual = Math.min(HOUR, 5000 * 2 ** Math.min(index, 20));
            expect(pause).toBeGreaterThanOrEqual(
              Math.max(0.8 * usual - 1, Math.min(retryAfter, LONGEST_WAIT)),
            );
            expect(pause).toBeLessThanOrEqual(Math.max(1.2 * usual + 1, Math.min(retryAfter, LONGEST_WAIT)));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('that a receiver answers and does not want holds up what comes after it for minutes, not for days', () => {
    const { ending, attempt, now } = follow(
      () => ({ status: 422, problem: 'no' }),
      () => 0.5,
    );
    expect([ending, attempt]).toEqual(['given up', MOST_REFUSALS]);
    expect(now - START).toBeLessThan(HOUR);
    const last = settleDelivery(
      { id: 'wh_1', failing_since: START, failures: 7 },
      delivery({ attempts: MOST_REFUSALS - 1 }),
      { status: 422, problem: 'no' },
      { now: START + 1000, chance: 0 },
    );
    expect(last.events).toMatchObject([
      { data: { failures: 0, next_at: START + 1000, given_up_before: null } },
    ]);
  });

  test('that has just happened is not given up with those that are old', () => {
    const now = START + PATIENCE + HOUR;
    const webhook = { id: 'wh_1', failing_since: START, failures: 80 };
    const settle = (queued_at: number) =>
      settleDelivery(webhook, delivery({ queued_at }), { status: null, problem: 'down' }, { now, chance: 0 });
    expect(settle(START).events).toMatchObject([
      { data: { given_up: true, given_up_before: now - PATIENCE } },
    ]);
    expect(settle(now - HOUR).events).toMatchObject([{ data: { given_up: false, given_up_before: null } }]);
  });

  test('is not held back for ever by a clock that was wrong', () => {
    expect(dueAt({ next_at: START + 400 * 24 * HOUR }, START)).toBe(START);
    expect(dueAt({ next_at: START + HOUR }, START)).toBe(START + HOUR);
  });
});
