import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { contextsOf } from '../pods.suite.ts';
import { Permissions } from './may.ts';

const POLICY = {
  templates: { review: { kinds: ['vote', 'conclusion'], depth: 1 }, plan: {} },
  rules: [
    { name: 'gateway.rules.0', effect: 'deny' as const, kind: 'chat', context: 'main' as const },
    {
      name: 'gateway.rules.1',
      effect: 'allow' as const,
      kind: 'vote',
      context: { within: 'type:plan' },
      from: 'a*',
    },
  ],
};
const contexts = contextsOf(
  { id: 'p', type: 'plan' },
  { id: 'below', parent: 'p' },
  { id: 'r', type: 'review' },
);
const may = (capabilities: string[], kind: string, target?: { id: string; type?: string; parent?: string }) =>
  new Permissions({ id: 'ada', capabilities }, POLICY).refusal(kind, target, contexts);

describe('what may be sent', () => {
  test('is what the token allows, what rules add, and nothing that they or a template forbid', () => {
    verifies('SUB-07', 'SUB-11');
    expect(may(['*'], 'note')).toBe(undefined);
    expect(may(['chat'], 'note')).toMatch(/token does not allow/);
    expect(may(['*'], 'chat')).toMatch(/gateway\.rules\.0/);
    expect(may(['*'], 'chat', { id: 'p' })).toBe(undefined);
    expect(may(['chat'], 'vote', { id: 'below' })).toBe(undefined);
    expect(may(['chat'], 'vote')).toMatch(/token does not allow/);
    expect(may(['chat', '!vote'], 'vote', { id: 'below' })).toMatch(/token does not allow/);
    expect(may(['*'], 'note', { id: 'r' })).toMatch(/do not take/);
    expect(may(['*'], 'vote', { id: 'new', type: 'review', parent: 'p' })).toMatch(/1 deep/);
    for (const kind of ['system/error', 'fold/return', 'gateway/filter'])
      expect(may(['*'], kind)).toBeTruthy();
  });

  test('is offered by name, among what is usual, what was heard and what rules name', () => {
    const offered = (capabilities: string[], target?: { id: string }) =>
      new Permissions({ id: 'ada', capabilities }, POLICY).offered(
        ['heard', 'fold/branch'],
        target,
        contexts,
      );
    expect(offered(['*'])).toEqual(['reflection', 'conclusion', 'vote', 'heard']);
    expect(offered(['*'], { id: 'r' })).toEqual(['conclusion', 'vote']);
    expect(offered(['note', '!heard'])).toEqual(['note']);
    expect(new Permissions({ id: 'ada', capabilities: ['chat'] }, POLICY).isOpen).toBe(false);
    expect(new Permissions({ id: 'ada', capabilities: ['mcp/*'] }, POLICY).isOpen).toBe(true);
    expect(new Permissions({ id: 'ada', capabilities: ['!chat'] }, POLICY).isOpen).toBe(true);
  });
});
