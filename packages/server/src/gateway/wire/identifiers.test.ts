import type { Envelope, WelcomePayload } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { until } from '../../journal/journal-fixture.suite.ts';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { expectRebuildToAgree, type TestGateway, testGateway } from '../fixture.suite.ts';
import { gatewayForgetter } from '../history/forget.ts';
import { contextTree } from '../queries.ts';

/** Put together here, so that nothing in this file looks like one. */
const secret = ['ghp', 'x7Qm2Kd9Lw4Rt6Yp1Zs8Vb3Nc5Hf0JgTaUeQ'].join('_');
const chat = (id: string, more: object = {}) => ({ id, kind: 'chat', payload: { text: 'says so' }, ...more });

const places: [string, object][] = [
  ['id', chat(`m-${secret}`)],
  ['correlation_id', chat('m', { correlation_id: secret })],
  ['context.id', chat('m', { context: { id: `session:${secret}` } })],
  ['context.parent', chat('m', { context: { id: 'c', parent: `session:${secret}` } })],
  ['context.type', chat('m', { context: { id: 'c', type: secret } })],
  ['kind', { id: 'm', kind: `note/${secret}`, payload: {} }],
  ['to', chat('m', { to: ['bob', secret] })],
];

const shownContexts = async ({ gateway }: TestGateway) => gateway.contexts('local', 'p');

describe('an identifier with a secret in it', () => {
  test.each(places)('is refused as %s, before anything else', async (field, envelope) => {
    verifies('SUB-08', 'KERN-12');
    const gateway = await testGateway();
    const alice = gateway.join('alice');
    alice.say({ ...envelope, from: 'somebody else' });
    expect(alice.wire.errors).toEqual(['secret_identifier']);
    const { payload } = alice.wire.envelopes.at(-1) as Envelope & { payload: { message: string } };
    expect(payload.message).toContain(field);
    expect(JSON.stringify(payload)).not.toContain(secret);
    const said = gateway.gateway.say('p', callerNamed('alice'), 'alice', envelope as never);
    await expect(said).rejects.toMatchObject({ code: 'secret_identifier' });
    expect(JSON.stringify(gateway.journal.entriesAfter(0, 100))).not.toContain(secret);
  });

  test('names no participant and no pod', async () => {
    const gateway = await testGateway();
    expect(() => gateway.join(secret)).toThrow(/participant/);
    expect(() => gateway.join('alice', { pod: `p-${secret}` })).toThrow(/pod/);
    const said = gateway.gateway.say('p', callerNamed('alice'), secret, chat('m') as never);
    await expect(said).rejects.toMatchObject({ code: 'secret_identifier' });
  });

  test('never becomes another one: what is stored is named as it was sent', async () => {
    verifies('SUB-01');
    const gateway = await testGateway();
    const alice = gateway.join('alice');
    const names = ['session:4fK', 'session:9qZ', 'token:abc', 'key=value'];
    for (const [index, id] of names.entries()) {
      const parent = names[index - 1];
      alice.say(
        chat(`m-${id}`, { correlation_id: `x-${id}`, context: { id, ...(parent ? { parent } : {}) } }),
      );
    }
    expect(alice.wire.errors).toEqual([]);
    const { messages: stored } = await gateway.gateway.messages('local', 'p', { limit: 10 });
    expect(stored.map(({ envelope }) => envelope.context!.id)).toEqual(names);
    expect((await shownContexts(gateway)).map(({ id }) => id).sort()).toEqual([...names].sort());
  });

  test('leaves payload and metadata to be scrubbed', async () => {
    const gateway = await testGateway();
    const alice = gateway.join('alice');
    const metadata = { note: `used ${secret}` };
    alice.say(chat('m', { context: { id: 'c', metadata }, payload: { text: `the key is ${secret}` } }));
    expect(alice.wire.said[0]).toMatchObject({ context: { metadata } });
    const { messages } = await gateway.gateway.messages('local', 'p', { limit: 10 });
    const [stored] = messages;
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(stored!.envelope).toMatchObject({ id: 'm', context: { id: 'c' } });
  });
});

test('a context that is null is as if there were none', async () => {
  const gateway = await testGateway();
  const alice = gateway.join('alice');
  alice.say(chat('m', { context: null }));
  expect(alice.wire.errors).toEqual([]);
  expect(alice.wire.said).toMatchObject([{ id: 'm' }]);
  expect(alice.wire.said[0]).not.toHaveProperty('context');
});

test('who joins is told of the templates', async () => {
  verifies('SUB-11');
  const review = { description: 'Somebody else looks at it', metadata: { audience: 'team' }, depth: 2 };
  const gateway = await testGateway({ templates: { review, reasoning: { kinds: ['reflection'] } } });
  const { payload } = gateway.join('alice').wire.envelopes[0]!;
  expect((payload as WelcomePayload).templates).toEqual({ review, reasoning: { kinds: ['reflection'] } });
});

describe('what a conclusion says of its context', () => {
  const open = { id: 'r', type: 'reasoning', metadata: { trigger: 'audit', confidence: 0.1 } };
  const end = { id: 'r', metadata: { confidence: 0.95, ended_at: '2025-08-31T12:00:30Z' } };
  const begin = async () => {
    const gateway = await testGateway({ idleMs: 200 });
    const bob = gateway.join('bob');
    const alice = gateway.join('alice');
    alice.say({ id: 'm-1', kind: 'reflection', context: open, payload: { thought: 'says why' } });
    alice.say({ id: 'm-2', kind: 'chat', context: { id: 'r', metadata: { aside: true } }, payload: {} });
    alice.say({ id: 'm-3', kind: 'conclusion', context: end, payload: { decision: 'says no' } });
    await gateway.gateway.flushed();
    return { gateway, bob };
  };
  const metadata = { trigger: 'audit', confidence: 0.95, ended_at: '2025-08-31T12:00:30Z' };

  test('is in the context, live, announced, stored and rebuilt', async () => {
    verifies('SUB-02', 'SUB-04');
    const { gateway, bob } = await begin();
    expect(contextTree(await shownContexts(gateway))).toMatchObject([{ id: 'r', metadata }]);
    gateway.clock.advance(201);
    await until(() =>
      bob.wire.envelopes.some(({ payload }) => (payload as { event?: string }).event === 'concluded'),
    );
    expect(bob.wire.envelopes.at(-1)!.payload).toMatchObject({ event: 'concluded', id: 'r', metadata });
    await expectRebuildToAgree(gateway.journal);
  });

  test('is there in a pod without history too', async () => {
    const gateway = await testGateway({ history: 'memory' });
    const alice = gateway.join('alice');
    alice.say({ id: 'm-1', kind: 'reflection', context: open, payload: {} });
    alice.say({ id: 'm-2', kind: 'conclusion', context: end, payload: {} });
    expect(contextTree(await shownContexts(gateway))).toMatchObject([{ id: 'r', metadata }]);
  });

  test('goes with who said it', async () => {
    const { gateway } = await begin();
    await forget(gateway.journal, localOwner, { kind: 'principal', id: 'alice', org: 'local' }, [
      gatewayForgetter,
    ]);
    expect(JSON.stringify(await shownContexts(gateway))).not.toContain('ended_at');
    await expectRebuildToAgree(gateway.journal);
  });
});
