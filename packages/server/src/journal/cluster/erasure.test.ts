import { LIMITS } from '@infold/protocol';
import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer } from '../../../../../test/support/nats.ts';
import { FORGOTTEN } from '../journal.ts';
import { noted, raised, seen, stateOf, writing } from '../journal-fixture.suite.ts';
import type { NatsJournal } from '../nats.ts';
import { Erasure, voidKey } from './erasure.ts';
import { forgetting, Nodes } from './nodes-fixture.suite.ts';
import { Stores } from './stores.ts';

const LEFT = { by: 7, events: [] };

/** A bucket of which one server has an old copy, and another leads. */
function erasureOf(replicas: number, answers: (key: string, asked: number) => unknown, leader?: unknown) {
  let asked = 0;
  const get = async (key: string) => {
    const value = answers(key, ++asked);
    return value === undefined ? null : { operation: 'PUT', json: () => value };
  };
  const stores = { replicas, bucket: async () => ({ get }), askLeader: async () => leader };
  const nothing = () => {};
  return new Erasure(stores as unknown as Stores, undefined as never, () => false, nothing);
}

describe('a body that is missing', () => {
  test('was erased, where a server says so that had said otherwise before', async () => {
    const erasure = erasureOf(3, (key, asked) => (key === 'digest' && asked > 4 ? LEFT : undefined));
    await erasure.learn('digest');
    expect(erasure.left('digest')).toBeUndefined();
    expect(erasure.isMissing('digest')).toBe(false);
    await erasure.makeSure('digest');
    expect(erasure.left('digest')).toEqual(LEFT);
  });

  test('was erased, where only the leader knows it', async () => {
    const erasure = erasureOf(3, () => undefined, LEFT);
    await erasure.makeSure('digest');
    expect(erasure.left('digest')).toEqual(LEFT);
    expect(erasure.isMissing('digest')).toBe(false);
  });

  test('was not, where nobody knows of it, and at once where it is known to belong to no entry', async () => {
    const nobody = erasureOf(3, () => undefined);
    await nobody.makeSure('digest');
    expect(nobody.isMissing('digest')).toBe(true);
    const began = performance.now();
    const discarded = erasureOf(3, (key) => (key === voidKey('digest') ? '' : undefined));
    await discarded.makeSure('digest');
    expect(discarded.isMissing('digest')).toBe(true);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe.skipIf(natsServer === undefined)(`what a cluster has forgotten ${NEEDS_NATS}`, () => {
  const nodes = new Nodes();
  const soon = { timeout: 30_000, interval: 50 };

  async function everythingIn(bucket: string): Promise<string> {
    const { manager, name } = await nodes.stores();
    const stream = `KV_${name}_${bucket}`;
    const { state } = await manager.streams.info(stream);
    let text = '';
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      text += (await manager.streams.getMessage(stream, { seq }))?.string() ?? '';
    }
    return text;
  }

  async function objectNames(): Promise<string[]> {
    return (await (await (await nodes.stores()).objects()).list()).map(({ name }) => name);
  }

  const confirmed = ({ database }: NatsJournal) =>
    database.get<{ forgotten: number }>('SELECT forgotten FROM journal_cluster')!.forgotten;

  test('is gone from what an earlier forgetting had left, for nodes that come later too', async () => {
    verifies('CLU-02');
    const [one, other] = [await nodes.open('one'), await nodes.open('other')];
    await one.commit(writing([noted('first', 'a quetzal and an axolotl')]));
    await one.commit(forgetting([1], () => [noted('first', 'an axolotl') as never]));
    await expect.poll(() => everythingIn('erased'), soon).toContain('axolotl');
    const left = [{ seq: 1, events: [raised('nothing') as never] }];
    const told = { type: FORGOTTEN, data: { target: { kind: 'item', id: 'x' }, entries: left } } as const;
    await one.commit(forgetting([2], () => [told]));
    await other.reached(3);
    await expect.poll(() => [confirmed(one), confirmed(other)], soon).toEqual([3, 3]);
    expect(await everythingIn('erased')).not.toContain('axolotl');
    const late = await nodes.open('late');
    expect(late.head()).toEqual(one.head());
    expect(late.entryAt(1)).toMatchObject({ erased: true, events: [raised('nothing')] });
    for (const journal of [one, other, late]) {
      expect(await journal.verify()).toMatchObject({ ok: true, erased: 2 });
      await journal.rebuild();
      expect(stateOf(journal)).toEqual(stateOf(one));
    }
  }, 90_000);

  test('is confirmed only when its object is gone, after a failure and after the end of the process', async () => {
    verifies('CLU-02');
    const large = (letter: string) => seen({ body: letter.repeat(LIMITS.inlineEntryBytes + 1) });
    const one = await nodes.open('one');
    await one.commit(writing([large('a')]));
    await one.commit(writing([large('b')]));
    const [first] = await objectNames();
    expect(first).toBeDefined();
    const erase = vi.spyOn(Stores.prototype, 'erase').mockRejectedValueOnce(new Error('does not answer'));
    const asked = vi.spyOn(one.database, 'sql');
    await one.commit(forgetting([1]));
    await expect.poll(() => confirmed(one), soon).toBe(3);
    expect(await objectNames()).toHaveLength(1);
    // Never of the whole journal, which may hold millions of entries.
    const plans = asked.mock.calls
      .flatMap(([sql]) => (/FROM journal_entry/.test(sql) ? [sql] : []))
      .flatMap((sql) => one.database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`))
      .map(({ detail }) => detail);
    expect(plans).toContainEqual(expect.stringContaining('journal_entry_replaced'));
    expect(plans).toContainEqual(expect.stringContaining('journal_entry_blob'));
    expect(plans.filter((plan) => /^SCAN (entry|journal_entry)$/.test(plan))).toEqual([]);
    asked.mockRestore();
    erase.mockRejectedValue(new Error('does not answer'));
    const calls = erase.mock.calls.length;
    await one.commit(forgetting([2]));
    await expect.poll(() => erase.mock.calls.length, soon).toBeGreaterThan(calls);
    await one.close();
    expect(await objectNames()).toHaveLength(1);
    erase.mockRestore();
    const again = await nodes.open('one');
    await expect.poll(() => confirmed(again), soon).toBe(4);
    expect(await objectNames()).toEqual([]);
  }, 90_000);
});
