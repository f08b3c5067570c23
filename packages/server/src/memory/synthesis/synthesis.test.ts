import { SYNTHESIS_TYPES } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { startMemory } from '../fixture.suite.ts';

describe('synthesis_plan', () => {
  test('names the sources of each section and what is missing, the same every time', async () => {
    verifies('PACK-08');
    const { agent } = await startMemory();
    const plan = await agent.remember('Next milestone of the importer is resumable uploads.', {
      kind: 'plan',
    });
    const done = await agent.remember('The importer parser is done and released.', {
      kind: 'task',
      metadata: { status: 'done' },
    });
    const first = await agent.plan('importer roadmap', { output_type: 'roadmap' });
    expect(first.outline.map(({ title }) => title)).toEqual([
      'Current State',
      'Completed Work',
      'Next Milestones',
      'Risks And Open Questions',
    ]);
    const sources = (title: string) =>
      first.outline.find((section) => section.title === title)!.sources.map(({ id }) => id);
    expect(sources('Next Milestones')).toContain(plan.id);
    expect(sources('Completed Work')).toContain(done.id);
    expect(first.outline.at(-1)!.gaps).toContain('no source supports this section');
    expect(first.run_id).toMatch(/^synthesis:[0-9a-f]{16}$/);
    expect(await agent.plan('importer roadmap', { output_type: 'roadmap' })).toEqual(first);
    expect((await agent.plan('importer roadmap', { output_type: 'report' })).run_id).not.toBe(first.run_id);
  });

  test('has an outline for every type, also when memory is empty', async () => {
    verifies('PACK-08');
    const { agent } = await startMemory();
    for (const output_type of SYNTHESIS_TYPES) {
      const { outline, gaps, markdown } = await agent.plan('anything', { output_type });
      expect(outline.length).toBeGreaterThanOrEqual(3);
      expect(gaps).toEqual(['nothing in memory speaks of this goal']);
      expect(markdown).toContain('## Gaps');
    }
  });

  test('uses the items that it was told to, and says which it did not find', async () => {
    verifies('PACK-08');
    const { agent } = await startMemory();
    const { id } = await agent.remember('Never restart the broker by hand.', { kind: 'rule' });
    const plan = await agent.plan('onboarding', { output_type: 'handbook', sources: [id, 'mem_gone'] });
    expect(plan.outline.find(({ title }) => title === 'How We Work')!.sources[0]).toMatchObject({ id });
    expect(plan.gaps).toEqual(['required source not found: mem_gone']);
    expect(await agent.refusal('synthesis_plan', { goal: 'x', output_type: 'poem' })).toMatchObject({
      code: 'invalid_arguments',
    });
  });
});
