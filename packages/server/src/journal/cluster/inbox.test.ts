import { describe, expect, test } from 'vitest';
import { Inbox } from './inbox.ts';
import type { EntryHead } from './wire.ts';

const head = (name: string) => ({ name, stream: 's' }) as EntryHead;
const text = (name: string, data = '{}') => ({ name, data, salt: new Uint8Array(), blob: null });

function inboxOf() {
  const unclaimed: number[] = [];
  return { inbox: new Inbox((position) => unclaimed.push(position)), unclaimed };
}

describe('what came from the stream', () => {
  test('has no room for more above 20,000 messages, and again when half of them were taken', async () => {
    const { inbox } = inboxOf();
    let position = 0;
    while (!inbox.room()) {
      const name = String(position);
      inbox.add({ position: ++position, text: text(name) });
      inbox.add({ position: ++position, heads: [head(name)] });
    }
    expect(position).toBe(20_002);
    let hasRoom = false;
    void inbox.room()!.then(() => {
      hasRoom = true;
    });
    inbox.take(4000);
    await Promise.resolve();
    expect(hasRoom).toBe(false);
    inbox.take(1001);
    await Promise.resolve();
    expect(hasRoom).toBe(true);
  });

  test('has no room for more above 64 MB, also where it was put back', () => {
    const { inbox } = inboxOf();
    const large = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 64; index++)
      inbox.add({ position: index + 1, text: text(`${index}`, large) });
    inbox.add({ position: 65, heads: [head('0')] });
    expect(inbox.room()).toBeUndefined();
    inbox.add({ position: 66, text: text('one more') });
    expect(inbox.room()).toBeDefined();
    const { arrived, bodies } = inbox.take(1);
    inbox.add({ position: 67, heads: [head('1')] });
    expect(inbox.room()).toBeUndefined();
    inbox.putBack(arrived, bodies);
    expect(inbox.room()).toBeDefined();
  });

  test('is read on where nothing can be applied, however much there is', () => {
    const { inbox } = inboxOf();
    for (let position = 1; position <= 30_000; position++) inbox.add({ position, text: text(`${position}`) });
    expect(inbox.room()).toBeUndefined();
  });

  test('drops bodies that no header can claim any more', () => {
    const { inbox, unclaimed } = inboxOf();
    inbox.add({ position: 1, text: text('lost') });
    inbox.add({ position: 2, text: text('claimed') });
    inbox.add({ position: 4097, heads: [head('claimed')] });
    inbox.add({ position: 9000, text: text('new') });
    inbox.dropUnclaimed();
    // The header at 4097 may still claim either.
    expect(unclaimed).toEqual([]);
    expect(inbox.take(1).bodies.map(({ name }) => name)).toEqual(['claimed']);
    expect(unclaimed).toEqual([1]);
    expect(inbox.oldest(4097)).toBe(9000);
  });

  test('keeps the first copy of a body that came twice: a header that waits may have it', () => {
    const { inbox, unclaimed } = inboxOf();
    inbox.add({ position: 1, text: text('a') });
    inbox.add({ position: 2, heads: [head('a')] });
    inbox.add({ position: 3, text: text('a') });
    expect(inbox.isInTime(inbox.body('a')!, 2)).toBe(true);
    expect(unclaimed).toEqual([3]);
  });

  test('is not held up by what somebody else published as a body', () => {
    const { inbox } = inboxOf();
    inbox.add({ position: 1, data: { kind: 'body', text: 'no body' } });
    expect(inbox.seen).toBe(1);
  });
});
