import { PodError } from '@infold/client/gateway';
import type { Envelope } from '@infold/protocol';
import { expect, test } from 'vitest';
import { Outbox } from './outbox.ts';

const outgoing = { id: 'm', at: 0, draft: { kind: 'chat', payload: { text: 'Hello' } } };

test('what was sent is on its way, then heard, then durable', async () => {
  const outbox = new Outbox();
  let stored = (_: Envelope) => {};
  const sending = outbox.send(
    () =>
      new Promise((resolve) => {
        stored = resolve;
      }),
    outgoing,
    true,
  );
  expect(outbox.read().outgoing).toEqual([outgoing]);
  outbox.heard(['m', 'of-somebody-else']);
  expect(outbox.read()).toMatchObject({ outgoing: [], delivered: new Map([['m', 'sent']]) });
  stored({} as Envelope);
  await sending;
  expect(outbox.read().delivered.get('m')).toBe('durable');
});

test('what was refused stays with the reason until it is taken back, also after it was heard', async () => {
  const outbox = new Outbox();
  const error = new PodError({ error: 'not_stored', message: 'The disk is full' });
  const sending = outbox.send(() => Promise.reject(error), outgoing, true);
  outbox.heard(['m']);
  await sending;
  const refusal = { code: 'not_stored', message: 'The disk is full' };
  expect(outbox.read()).toEqual({ outgoing: [{ ...outgoing, refusal }], delivered: new Map() });
  outbox.forget('m');
  expect(outbox.read().outgoing).toEqual([]);
});
