import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/support/runs.ts';
import type { Step, Workflow } from '../queries.ts';
import { drawingOf, lanesOf } from './layout.ts';
import { jumpsOf, passingsOf } from './passing.ts';

const step = (order: number, more: Partial<Step> = {}): Step => ({
  ...{ order, title: `T${order}`, description: 'D' },
  ...more,
});

function workflowOf(steps: Step[], groups: Workflow['groups'] = []): Workflow {
  return {
    ...{ id: 'f', name: 'w', title: 'W', path: 'workflow/W.md', description: '', tags: [], models: [] },
    ...{ project_id: 'p', project: 'P', total_steps: steps.length, steps, groups },
    context_hints: steps.flatMap(({ order, tool, contextHint }) =>
      tool !== undefined && contextHint
        ? [{ step: order, tool, lifecycle: 'transient' as const, consumedBy: contextHint.consumedBy }]
        : [],
    ),
  };
}

const fetches = (order: number) =>
  step(order, { tool: 'fetch', contextHint: { consumedBy: 'memory.store' } });

describe('what is used up where', () => {
  test('is the next step that calls the tool, however its name is spelt', () => {
    const steps = [step(1, { tool: 'memory_store' }), fetches(2), step(3), step(4, { tool: 'memory_store' })];
    expect(passingsOf(workflowOf(steps))).toEqual([{ from: 2, tool: 'memory.store', to: [4] }]);
  });

  test('may come round in a loop, or be nowhere', () => {
    const steps = [step(1, { tool: 'memory_store' }), fetches(2)];
    expect(passingsOf(workflowOf(steps, [{ kind: 'loop', name: 'l', steps: [1, 2] }]))[0]!.to).toEqual([1]);
    expect(passingsOf(workflowOf(steps))[0]!.to).toEqual([]);
  });

  test('decisions lead to steps other than the next', () => {
    const options = [{ label: 'on', nextStep: 2 }, { label: 'end' }, { label: 'again', nextStep: 1 }];
    expect(jumpsOf([step(1, { decision: { question: '?', options } })])).toEqual([
      { from: 1, to: 1, label: 'again' },
    ]);
  });
});

describe('a drawing', () => {
  const shape = fc
    .array(fc.constantFrom('alone', 'loop', 'parallel'), { minLength: 1, maxLength: 12 })
    .map((kinds) => {
      const steps = kinds.map((_, place) => step(place + 1, place % 3 === 0 ? { tool: 'fetch' } : {}));
      const groups: Workflow['groups'] = [];
      for (const [place, kind] of kinds.entries()) {
        const last = groups.at(-1);
        if (kind === 'alone') continue;
        if (place > 0 && kinds[place - 1] === kind) last!.steps.push(place + 1);
        else groups.push({ kind, name: `${kind} ${place}`, steps: [place + 1] });
      }
      return workflowOf(steps, groups);
    });

  test('has every step once, within its width, none over another, and groups around their own', () => {
    fc.assert(
      fc.property(shape, fc.integer({ min: 280, max: 1200 }), (workflow, width) => {
        const { nodes, frames, height } = drawingOf(workflow, width, ({ order }) => order % 2 === 0);
        expect(nodes.map(({ step: { order } }) => order)).toEqual(workflow.steps.map(({ order }) => order));
        for (const [place, node] of nodes.entries()) {
          expect(node.x).toBeGreaterThanOrEqual(0);
          expect(node.x + node.width).toBeLessThanOrEqual(width);
          expect(node.y + node.height).toBeLessThanOrEqual(height);
          for (const other of nodes.slice(place + 1)) {
            const isApart =
              other.y >= node.y + node.height ||
              other.x >= node.x + node.width ||
              other.x + other.width <= node.x;
            expect(isApart).toBe(true);
          }
        }
        for (const frame of frames) {
          const group = workflow.groups.find(({ name }) => name === frame.name)!;
          for (const { step: own, y, height: tall } of nodes) {
            const isInside = y > frame.y && y + tall < frame.y + frame.height;
            expect(isInside).toBe(group.steps.includes(own.order));
          }
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test('runs lines beside each other where they would overlap', () => {
    expect(
      lanesOf([
        { from: 3, to: 2 },
        { from: 4, to: 2 },
        { from: 6, to: 5 },
      ]),
    ).toEqual([0, 1, 0]);
    const steps = [fetches(1), step(2, { tool: 'memory_store' })];
    const { lines } = drawingOf(
      workflowOf(steps, [{ kind: 'loop', name: 'l', steps: [1, 2] }]),
      600,
      () => true,
    );
    expect(lines.map(({ kind }) => kind)).toEqual(['flow', 'loop', 'use']);
  });
});
