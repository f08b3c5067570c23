import { wildcard } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import { testGateway } from '../fixture.suite.ts';
import { parseGatewaySettings } from '../settings.ts';
import { Policy } from './policy.ts';

const said = (id: string, kind: string, context?: object) => ({
  id,
  kind,
  ...(context ? { context } : {}),
  payload: { text: `says ${id}` },
});

/** The error that a configuration is refused with. */
function problem(gateway: Record<string, unknown>): string {
  try {
    parseGatewaySettings(gateway);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('The settings were taken');
}

describe('rules by context', () => {
  const templates = { reasoning: {}, workflow: {} };

  test('forbid in contexts of a type, by id, and within others, whoever sends', async () => {
    verifies('SUB-11');
    const gateway = await testGateway({
      history: 'none',
      templates,
      rules: [
        { effect: 'deny', kind: 'mcp/*', context: { type: 'reasoning' } },
        { effect: 'deny', kind: 'chat', context: { id: 'quiet' } },
        { effect: 'deny', kind: 'vote', context: { within: 'top' } },
        { effect: 'deny', kind: 'shout', context: { within: 'type:workflow' } },
        { effect: 'deny', kind: 'gossip', context: 'main' },
      ],
    });
    const alice = gateway.join('alice');
    const refused = (envelope: { id: string }) => {
      const before = alice.wire.errors.length;
      alice.say(envelope);
      return alice.wire.errors.slice(before);
    };
    expect(refused(said('1', 'mcp/request:tools/call', { id: 'r', type: 'reasoning' }))).toEqual([
      'capability_violation',
    ]);
    expect(refused(said('2', 'reflection', { id: 'r', type: 'reasoning' }))).toEqual([]);
    // The context has its type already; leaving it out changes nothing.
    expect(refused(said('3', 'mcp/request:tools/call', { id: 'r' }))).toEqual(['capability_violation']);
    expect(refused(said('4', 'mcp/request:tools/call'))).toEqual([]);
    expect(refused(said('5', 'chat', { id: 'quiet' }))).toEqual(['capability_violation']);
    expect(refused(said('6', 'chat', { id: 'loud' }))).toEqual([]);
    expect(refused(said('7', 'vote', { id: 'top' }))).toEqual(['capability_violation']);
    expect(refused(said('8', 'note', { id: 'middle', parent: 'top' }))).toEqual([]);
    expect(refused(said('9', 'vote', { id: 'bottom', parent: 'middle' }))).toEqual(['capability_violation']);
    expect(refused(said('10', 'vote', { id: 'aside' }))).toEqual([]);
    expect(refused(said('11', 'note', { id: 'flow', type: 'workflow' }))).toEqual([]);
    expect(refused(said('12', 'shout', { id: 'step', parent: 'flow' }))).toEqual(['capability_violation']);
    expect(refused(said('13', 'gossip'))).toEqual(['capability_violation']);
    expect(refused(said('14', 'gossip', { id: 'loud' }))).toEqual([]);
    // Nobody heard what was refused.
    expect(alice.wire.said.map(({ id }) => id)).toEqual(['2', '4', '6', '8', '10', '11', '14']);
    expect(alice.wire.envelopes.find(({ kind }) => kind === 'system/error')).toMatchObject({
      correlation_id: '1',
      payload: { attempted_kind: 'mcp/request:tools/call', rule: 'gateway.rules.0' },
    });
  });

  test('are not evaded by calling a context something else', async () => {
    const gateway = await testGateway({
      history: 'none',
      templates,
      rules: [
        { effect: 'deny', kind: 'secret', context: { type: 'reasoning' } },
        { effect: 'allow', kind: 'vote', context: { type: 'workflow' } },
      ],
    });
    const alice = gateway.join('alice', {
      caller: callerNamed('alice', { capabilities: ['note', 'secret'] }),
    });
    alice.say(said('1', 'note', { id: 'c', type: 'other' }));
    // Receivers that filter by type would see it as reasoning.
    alice.say(said('2', 'secret', { id: 'c', type: 'reasoning' }));
    // What is allowed in workflows is not allowed in what only says to be one.
    alice.say(said('3', 'vote', { id: 'c', type: 'workflow' }));
    expect(alice.wire.said.map(({ id }) => id)).toEqual(['1']);
    alice.say(said('4', 'vote', { id: 'w', type: 'workflow' }));
    expect(alice.wire.said.map(({ id }) => id)).toEqual(['1', '4']);
  });

  test('allow more than a token does, but not what it forbids, and nothing to who may only read', async () => {
    verifies('SUB-11', 'SUB-07');
    const rules = [{ effect: 'allow', kind: ['vote', 'veto'], context: { type: 'workflow' } }];
    const gateway = await testGateway({ history: 'none', templates, rules });
    const context = { id: 'w', type: 'workflow' };
    const speaker = (
      name: string,
      capabilities: string[],
      scopes: ('read' | 'write')[] = ['read', 'write'],
    ) => gateway.join(name, { caller: callerNamed(name, { capabilities, scopes }) });
    const alice = speaker('alice', ['chat', '!veto']);
    alice.say(said('a-1', 'vote', context));
    alice.say(said('a-2', 'vote'));
    alice.say(said('a-3', 'veto', context));
    const reader = speaker('reader', ['*'], ['read']);
    reader.say(said('r-1', 'vote', context));
    expect(alice.wire.said.map(({ id }) => id)).toEqual(['a-1']);
    expect(reader.wire.errors).toEqual(['capability_violation']);
  });

  test('hold for the pods and senders that they name', async () => {
    const rules = [{ effect: 'deny', kind: '*', pod: 'closed-*', from: ['guest-*', 'bot'] }];
    const gateway = await testGateway({ history: 'none', rules });
    const heard = (participant: string, pod: string) => {
      const member = gateway.join(participant, { pod });
      member.say(said(`${participant} ${pod}`, 'chat'));
      return member.wire.said.length === 1;
    };
    expect(heard('guest-1', 'closed-a')).toBe(false);
    expect(heard('bot', 'closed-a')).toBe(false);
    expect(heard('alice', 'closed-a')).toBe(true);
    expect(heard('guest-1', 'open')).toBe(true);
  });

  test('agree with a plain reading of them, whatever they are', () => {
    const kind = fc.constantFrom('a', 'b', 'a/*', '*');
    const context = fc.option(
      fc.oneof(
        fc.constant('main' as const),
        fc.record({ type: fc.constantFrom('t', 'u') }),
        fc.record({ id: fc.constantFrom('x', 'y') }),
        fc.record({ within: fc.constantFrom('x', 'y', 'type:t') }),
      ),
      { nil: undefined },
    );
    const rule = fc.record({ effect: fc.constantFrom('allow' as const, 'deny' as const), kind, context });
    const link = fc.record({
      id: fc.constantFrom('x', 'y', 'z'),
      type: fc.option(fc.constantFrom('t', 'u'), { nil: null }),
    });
    const place = fc.option(
      fc.record({
        id: fc.constantFrom('x', 'y', 'z'),
        type: fc.option(fc.constantFrom('t', 'u'), { nil: null }),
        ancestors: fc.array(link, { maxLength: 3 }),
      }),
      { nil: null },
    );
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 6 }),
        fc.constantFrom('a', 'b', 'a/c'),
        place,
        (rules, sent, at) => {
          const where = at && { ...at, stated: at.type };
          const holds = rules.filter((one) => {
            if (!wildcard(one.kind)(sent)) return false;
            if (one.context === undefined) return true;
            if (one.context === 'main') return where === null;
            if (where === null) return false;
            const path = [where, ...where.ancestors];
            if ('type' in one.context) return where.type === one.context.type;
            if ('id' in one.context) return where.id === one.context.id;
            const { within } = one.context;
            return path.some(({ id, type }) => (within === 'type:t' ? type === 't' : id === within));
          });
          const expected = holds.some(({ effect }) => effect === 'deny') ? 'deny' : holds[0]?.effect;
          const policy = new Policy({}, rules as never).forPod('p');
          expect(policy.verdict(sent, 'alice', () => where)?.effect).toBe(expected);
        },
      ),
    );
  });

  test('that contradict each other are told of, and deny wins', async () => {
    verifies('SUB-11');
    const rules = [
      { effect: 'allow', kind: 'vote', context: { type: 'workflow' } },
      { effect: 'deny', kind: 'v*', context: { type: 'workflow' } },
      { effect: 'allow', kind: 'vote' },
    ];
    const settings = parseGatewaySettings({ templates, rules });
    expect(settings.policy.notices).toEqual([
      'gateway.rules.0 allows what gateway.rules.1 denies; deny wins',
    ]);
    const gateway = await testGateway({ history: 'none', templates, rules });
    const alice = gateway.join('alice');
    alice.say(said('1', 'vote', { id: 'w', type: 'workflow' }));
    alice.say(said('2', 'vote'));
    expect(alice.wire.said.map(({ id }) => id)).toEqual(['2']);
  });
});

describe('bad settings', () => {
  test('are refused with the key and what would be right', () => {
    expect(problem({ templates: { reasoning: { idle: 5 } } })).toBe(
      'Bad configuration: "gateway.templates.reasoning": unknown key "idle"; known are description, metadata, idleMs, ' +
        'depth, kinds, remember',
    );
    expect(problem({ rules: [{ effect: 'deny', kind: 'x', context: { typ: 'a' } }] })).toContain(
      '"gateway.rules.0.context": unknown key "typ"; known are type, id, within',
    );
    expect(problem({ rules: [{ effect: 'deny', kind: 'x', context: { type: 'reasonning' } }] })).toContain(
      '"gateway.rules.0.context.type": no template is named "reasonning"',
    );
    expect(
      problem({
        templates: { reasoning: {} },
        rules: [{ effect: 'deny', kind: 'x', context: { within: 'type:flow' } }],
      }),
    ).toContain('no template is named "flow" (there are reasoning)');
    expect(problem({ rules: [{ effect: 'maybe', kind: 'x' }] })).toContain('gateway.rules.0.effect');
    expect(problem({ rules: [{ effect: 'deny', kind: '!x' }] })).toContain('gateway.rules.0.kind');
    expect(problem({ rules: [{ effect: 'deny', kind: 'x', context: {} }] })).toContain(
      'name a type, an id or within',
    );
    expect(problem({ templates: { a: { depth: 0 } } })).toContain('gateway.templates.a.depth');
    expect(problem({ rules: [{ effect: 'deny', kind: 'x', context: 'Main' }] })).toContain(
      '"gateway.rules.0.context": is "main", or an object with type, id or within',
    );
    expect(problem({ rules: [{ effect: 'deny' }] })).toContain('"gateway.rules.0.kind": is missing');
    expect(problem({ template: {} })).toContain(
      '"gateway": unknown key "template"; known are idleMs, history, templates, rules, mirrorBranches, remember',
    );
    expect(problem({ mirrorBranches: 'yes' })).toContain('gateway.mirrorBranches');
  });

  test('that a template makes void are told of', () => {
    const { policy } = parseGatewaySettings({
      templates: { review: { kinds: ['vote'] } },
      rules: [
        { effect: 'allow', kind: 'veto', context: { type: 'review' } },
        { effect: 'allow', kind: ['vote', 'veto'], context: { type: 'review' } },
        { effect: 'allow', kind: 'v*', context: { type: 'review' } },
      ],
    });
    expect(policy.notices).toEqual([
      'gateway.rules.0 allows what gateway.templates.review does not take; the template wins',
    ]);
  });

  test('do not need a template for branches, which the program makes', () => {
    const { policy } = parseGatewaySettings({
      rules: [{ effect: 'deny', kind: 'x', context: { type: 'branch' } }],
    });
    expect(policy.notices).toEqual([]);
  });
});

describe('templates', () => {
  test('say what may be said in contexts of their type, and how deep those may stand', async () => {
    verifies('SUB-11');
    const gateway = await testGateway({
      history: 'none',
      templates: { review: { kinds: ['reflection', 'vote/*', '!vote/again'], depth: 2 } },
    });
    const alice = gateway.join('alice');
    const review = { id: 'r', type: 'review' };
    alice.say(said('1', 'reflection', review));
    alice.say(said('2', 'vote/yes', { id: 'r' }));
    alice.say(said('3', 'vote/again', review));
    alice.say(said('4', 'chat', review));
    alice.say(said('5', 'chat', { id: 'other' }));
    alice.say(said('6', 'reflection', { id: 'r2', type: 'review', parent: 'other' }));
    alice.say(said('7', 'reflection', { id: 'r3', type: 'review', parent: 'r2' }));
    expect(alice.wire.said.map(({ id }) => id)).toEqual(['1', '2', '5', '6']);
    expect(alice.wire.errors).toEqual(['capability_violation', 'capability_violation', 'depth_limit']);
  });

  test('give contexts their metadata, which the first message can change, and envelopes stay as sent', async () => {
    verifies('SUB-11', 'SUB-01');
    const templates = { review: { metadata: { audience: 'team', urgency: 'low' } } };
    for (const history of ['durable', 'memory'] as const) {
      const gateway = await testGateway({ history, templates });
      const alice = gateway.join('alice');
      const context = { id: 'r', type: 'review', metadata: { urgency: 'high', ticket: 7 } };
      alice.say(said('1', 'reflection', context));
      alice.say(said('2', 'reflection', { id: 'r', metadata: { ticket: 8 } }));
      expect(alice.wire.said[0]!.context).toEqual(context);
      const created = alice.wire.envelopes.find(({ kind }) => kind === 'system/context');
      const metadata = { audience: 'team', urgency: 'high', ticket: 7 };
      expect(created).toMatchObject({ payload: { event: 'created', metadata } });
      const [row] = await gateway.gateway.contexts('local', 'p');
      expect(JSON.parse(row!.metadata!)).toEqual(metadata);
    }
  });

  test('let contexts of their type conclude at a time of their own', async () => {
    verifies('SUB-11', 'SUB-03');
    const gateway = await testGateway({
      idleMs: 60_000,
      history: 'none',
      templates: { brief: { idleMs: 1000 }, long: { idleMs: 600_000 } },
    });
    const alice = gateway.join('alice');
    for (const type of ['brief', 'usual', 'long']) alice.say(said(type, 'chat', { id: type, type }));
    const concluded = () =>
      alice.wire.envelopes
        .filter(({ payload }) => (payload as { event?: string }).event === 'concluded')
        .map(({ context }) => context!.id);
    gateway.clock.advance(1001);
    await expect.poll(concluded).toEqual(['brief']);
    gateway.clock.advance(60_000);
    await expect.poll(concluded).toEqual(['brief', 'usual']);
    gateway.clock.advance(600_000);
    await expect.poll(concluded).toEqual(['brief', 'usual', 'long']);
  });
});
