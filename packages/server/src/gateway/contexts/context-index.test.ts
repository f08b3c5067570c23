import { LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { Refusal } from '../errors.ts';
import { Budget } from '../pod/budget.ts';
import { ContextIndex } from './context-index.ts';
import { Policy } from './policy.ts';
import { ContextRules } from './rules.ts';

const NO_POLICY = new Policy().forPod('p');
const limits = { ...LIMITS, contextDepth: 4, contextsPerParticipant: 5 };
const rules = new ContextRules(limits, NO_POLICY);
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

describe('the contexts of a pod', () => {
  test('never form a circle, nest no deeper and count no more than allowed, whatever is sent', () => {
    verifies('SUB-02', 'SUB-04', 'SUB-08');
    const use = fc.record({
      id: fc.constantFrom(...names),
      parent: fc.option(fc.constantFrom(...names), { nil: undefined }),
      who: fc.constantFrom('alice', 'bob'),
      idle: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 60 }), (uses) => {
        const index = new ContextIndex(limits, NO_POLICY, new Budget(limits.contextBytesInAll));
        const messages = new Map<string, number>();
        uses.forEach(({ id, parent, who, idle }, now) => {
          const context = parent === undefined ? { id } : { id, parent };
          const first = index.get(id);
          const before = first && { ...first };
          try {
            rules.check(index, { id: `m-${now}`, kind: 'chat' }, context, who);
            index.apply({ kind: 'chat', payload: { text: 'x' } }, context, {
              from: who,
              seq: now + 1,
              at: now,
            });
            messages.set(id, (messages.get(id) ?? 0) + 1);
            if (before?.parent) expect(index.get(id)?.parent).toBe(before.parent);
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal);
            expect(index.get(id)).toEqual(before);
          }
          if (idle) for (const context of index.idle(now, 10)) index.conclude(context);
          const owned = new Map<string, number>();
          for (const context of index.values()) {
            const path = index.ancestors(context.id);
            expect(path).not.toContain(context.id);
            expect(new Set(path).size).toBe(path.length);
            expect(path.length).toBeLessThan(limits.contextDepth);
            if (context.state !== 'concluded')
              owned.set(context.creator, (owned.get(context.creator) ?? 0) + 1);
            if (context.state === 'live') expect(context.messages).toBeGreaterThan(0);
          }
          // A placeholder that is used at last changes hands, even to someone who has enough.
          for (const count of owned.values())
            expect(count).toBeLessThanOrEqual(limits.contextsPerParticipant + names.length);
        });
      }),
      { numRuns: runs(500) },
    );
  });

  test('stay open while anything below them is used, and end innermost first', () => {
    verifies('SUB-03');
    const index = new ContextIndex(LIMITS, NO_POLICY, new Budget(LIMITS.contextBytesInAll));
    const use = (id: string, now: number, parent?: string) =>
      index.apply({ kind: 'chat' }, parent ? { id, parent } : { id }, {
        from: 'alice',
        seq: now + 1,
        at: now,
      });
    use('outer', 0);
    use('inner', 10, 'outer');
    expect(index.idle(9, 0)).toEqual([]);
    expect(index.idle(10, 0).map(({ id }) => id)).toEqual(['inner', 'outer']);
    for (const context of index.idle(10, 0)) index.conclude(context);
    expect(index.get('inner')?.state).toBe('concluded');
    expect(use('inner', 20).created).toBe(true);
    expect(index.ancestors('inner')).toEqual(['outer']);
  });

  test('are summed up by their conclusion, else by what was said last', () => {
    const index = new ContextIndex(LIMITS, NO_POLICY, new Budget(LIMITS.contextBytesInAll));
    const say = (kind: string, payload: object) =>
      index.apply({ kind, payload }, { id: 'c' }, { from: 'alice', seq: 1, at: 1 });
    say('reflection', { thought: 'first' });
    expect(say('mcp/request:x', { n: 1 }).context.summary).toBe('first');
    say('conclusion', { decision: 'done' });
    expect(say('reflection', { thought: 'and by the way' }).context.summary).toBe('done');
  });
});
