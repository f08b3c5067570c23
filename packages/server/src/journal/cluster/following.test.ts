import { renameSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { describe, expect, test } from 'vitest';
import { Relay } from '../../../../../test/faults/cluster/relay.ts';
import { verifies } from '../../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer } from '../../../../../test/support/nats.ts';
import { randomBytesOf, uuidV7 } from '../../kernel/ids.ts';
import { openDatabase } from '../../kernel/sqlite.ts';
import { type Forgetter, forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { actorText, bodyDigest, hexOf } from '../integrity/chain.ts';
import { FORGOTTEN, type Forgotten, type Journal, type JournalEvent } from '../journal.ts';
import {
  counterValue,
  counting,
  newId,
  noted,
  raised,
  someone,
  stateOf,
  until,
  writing,
} from '../journal-fixture.suite.ts';
import { writtenEvents } from '../upcast.ts';
import type { NatsJournalOptions } from './following.ts';
import { Nodes } from './nodes-fixture.suite.ts';
import { type EntryHead, type EntryText, writeHeads, writeText } from './wire.ts';

/** SQLite's own error of a disk that is full. */
const diskFull = () => Object.assign(new Error('database or disk is full'), { errcode: 13 });

/** An entry as a node writes it, whatever the state. */
function written(stream: string, rev: number, events: JournalEvent[], more: Partial<EntryHead> = {}) {
  const body = { salt: randomBytesOf(16), data: JSON.stringify({ events: writtenEvents(events) }) };
  const digest = bodyDigest(body);
  const name = hexOf(digest);
  const head: EntryHead = {
    ...{ name, digest, rev, stream, id: uuidV7(), chosen: false, at: Date.now() },
    ...{ actor: actorText(someone), cause: null },
    ...more,
  };
  return { head, text: { name, ...body, blob: null } satisfies EntryText };
}

describe.skipIf(natsServer === undefined)(`a node that follows the journal ${NEEDS_NATS}`, () => {
  const nodes = new Nodes();
  const node: Nodes['open'] = (place, more) => nodes.open(place, more);
  const stores = () => nodes.stores();

  async function publish({ head, text }: ReturnType<typeof written>): Promise<void> {
    const { subjects, publisher } = await stores();
    await publisher.publish(subjects.body(head.stream), writeText(text), {});
    await publisher.publish(subjects.head(head.stream), writeHeads([head]), {});
  }

  /** Without waiting for each: some seconds for tens of thousands. */
  async function publishMany(entries: number, first = 1): Promise<void> {
    const { subjects, connection: outside } = await stores();
    for (let rev = first; rev < first + entries; rev++) {
      const { head, text } = written('counter.x', rev, [raised('x')]);
      outside.publish(subjects.body(head.stream), writeText(text));
      outside.publish(subjects.head(head.stream), writeHeads([head]));
      if (rev % 1000 === 0) await outside.flush();
    }
    await outside.flush();
  }

  async function forgetEntry(journal: Journal, seq: number): Promise<void> {
    const entries: Forgotten['entries'] = [{ seq, events: [raised('forgotten') as never] }];
    const data = { target: { kind: 'item', id: 'x' }, entries } as const;
    await journal.commit({
      ...{ stream: 'main', actor: someone },
      decide: () => ({ events: [{ type: FORGOTTEN, data }], answer: null, erase: [seq], thorough: true }),
    });
  }

  /** Fails the first publish of a node, before anything was sent. */
  function failingOnce(): Partial<NatsJournalOptions> {
    let failed = false;
    return {
      onPoint: (point) => {
        if (point !== 'publishing' || failed) return;
        failed = true;
        throw new Error('the connection is gone');
      },
    };
  }

  describe('answers nobody from what was not published', () => {
    test('when an id comes twice', async () => {
      verifies('KERN-05', 'CLU-01');
      const one = await node('one', failingOnce());
      const id = newId();
      const [first, second] = await Promise.allSettled([
        one.commit(counting('x', { id, group: true })),
        one.commit(counting('x', { id, group: true })),
      ]);
      expect(first.status).toBe('rejected');
      expect(second).toMatchObject({
        status: 'fulfilled',
        value: { replayed: false, entry: { seq: 1, id } },
      });
      expect(one.head().seq).toBe(1);
    });

    test('when the second one writes nothing', async () => {
      const one = await node('one', failingOnce());
      const look = { decide: () => ({ events: [], answer: counterValue(one.database, 'x') }), group: true };
      const [first, second] = await Promise.allSettled([
        one.commit(counting('x', { group: true })),
        one.commit(counting('x', look)),
      ]);
      expect(first.status).toBe('rejected');
      expect(second).toMatchObject({ status: 'fulfilled', value: { answer: 0 } });
    });

    test('when the second one would be refused because of the first', async () => {
      const one = await node('one', failingOnce());
      const [first, second] = await Promise.allSettled([
        one.commit(writing([noted('only one')], { group: true })),
        one.commit(writing([noted('only one')], { group: true })),
      ]);
      expect(first.status).toBe('rejected');
      expect(second).toMatchObject({ status: 'fulfilled', value: { entry: { seq: 1 } } });
    });
  });

  test('commits that came too late for a publish that failed are tried by themselves', async () => {
    const one = await node('one', failingOnce());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, () => one.commit(counting('x', { group: true }))),
    );
    const written = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(written).toBeGreaterThanOrEqual(36);
    expect(one.head().seq).toBe(written);
  });

  test('writes to a stream whose first header does not count, also after a restart', async () => {
    await (await node('one')).commit(counting('other'));
    const { subjects, publisher } = await stores();
    const { head } = written('counter.x', 1, [raised('x')]);
    await publisher.publish(subjects.head('counter.x'), writeHeads([head]), {});
    const again = await node('two');
    expect((await again.commit(counting('other'))).answer).toBe(2);
    await again.close();
    const restarted = await node('two');
    expect((await restarted.commit(counting('x'))).answer).toBe(1);
  });

  test('reads no more than it can apply soon, and says that it is behind', async () => {
    const connection = await connect({ servers: nodes.nats.url });
    const one = await node('one', { connection });
    const holder = await openDatabase(one.database.path);
    holder.exec('BEGIN IMMEDIATE');
    const before = connection.stats().inMsgs;
    await publishMany(30_000);
    await until(() => !one.cluster.state().ready);
    await wait(1000);
    expect(one.cluster.state()).toMatchObject({ ready: false, reason: undefined });
    expect(connection.stats().inMsgs - before).toBeLessThan(40_000);
    holder.exec('ROLLBACK');
    holder.close();
    await until(() => one.head().seq === 30_000);
    expect(counterValue(one.database, 'x')).toBe(30_000);
    // A node may just have asked for an audit, which is a message too.
    await until(() => one.cluster.state().lag === 0);
    expect(one.cluster.state()).toMatchObject({ ready: true, lag: 0 });
  }, 120_000);

  test('is ready although the last messages of the stream were deleted', async () => {
    const one = await node('one');
    await one.commit(counting('x'));
    const { subjects, publisher, manager, stream } = await stores();
    const seqs: number[] = [];
    await one.close();
    for (let index = 0; index < 150; index++) {
      const { text } = written('counter.x', 2, [raised('x')]);
      seqs.push((await publisher.publish(subjects.body('counter.x'), writeText(text), {})).seq);
    }
    for (const seq of seqs) await manager.streams.deleteMessage(stream, seq, true);
    const again = await node('one');
    await until(() => again.cluster.state().ready, 10_000);
    expect(again.cluster.state()).toMatchObject({ ready: true, lag: 0 });
    await again.cluster.caughtUp();
  });

  test('ends although it can apply nothing and more keeps coming', async () => {
    let isFull = false;
    const one = await node('one', {
      onPoint: (point) => {
        if (point === 'appended' && isFull) throw diskFull();
      },
    });
    const other = await node('other');
    isFull = true;
    // It is published, and waits to be applied.
    const waiting = one.commit(counting('y')).catch(({ code }) => code);
    await until(() => one.cluster.state().reason !== undefined);
    let isClosed = false;
    const closing = one.close().then(() => {
      isClosed = true;
    });
    while (!isClosed) await other.commit(counting('x'));
    await closing;
    expect(await waiting).toBe('unavailable');
    isFull = false;
    expect(stateOf(await node('one'))).toEqual(stateOf(other));
  });

  test('does not start where it meets an event that it does not know, and says which', async () => {
    const newer = await node('newer');
    await newer.commit(counting('x'));
    await newer.commit(writing([noted('unknown there')]));
    await publishMany(6000, 2);
    const knownTypes = new Set(['counter.raised']);
    const connection = await connect({ servers: nodes.nats.url });
    await expect(node('older', { knownTypes, connection })).rejects.toMatchObject({
      code: 'storage_newer',
      message: expect.stringMatching(/note\.added/),
    });
    expect(connection.isClosed()).toBe(true);
  });

  test('does not start where it meets a message of a version that it does not know', async () => {
    await node('one');
    const { subjects, publisher } = await stores();
    await publisher.publish(subjects.head('counter.x'), JSON.stringify({ version: 99, entries: [] }), {});
    await publishMany(6000);
    await expect(node('two')).rejects.toMatchObject({ code: 'storage_newer' });
  });

  test('does not start where its disk is full', async () => {
    await (await node('one')).commit(counting('x'));
    const onPoint = (point: string) => {
      if (point === 'appended') throw diskFull();
    };
    await expect(node('two', { onPoint })).rejects.toMatchObject({ code: 'disk_full' });
  });

  test('leaves nothing in the stream of an entry that was refused', async () => {
    verifies('CLU-02');
    const journals = [await node('one'), await node('other')];
    const outcomes = await Promise.allSettled(
      journals.flatMap((journal, index) =>
        Array.from({ length: 10 }, (_, round) =>
          journal.commit(writing([noted(`title ${round}`, `quetzal ${index}`)], { stream: `at.${index}` })),
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    await Promise.all(journals.map((journal) => journal.reached(10)));
    await Promise.all(journals.map((journal) => journal.close()));
    expect((await nodes.everythingStored()).match(/quetzal/g)).toHaveLength(10);
    expect(stateOf(await node('late'))).toEqual(stateOf(await node('one')));
  });

  test('leaves nothing in the stream of an entry whose header never came', async () => {
    verifies('CLU-02');
    const one = await node('one');
    const { subjects, publisher, connection: outside } = await stores();
    const { text } = written('main', 1, [noted('lost', 'quetzal')]);
    await publisher.publish(subjects.body('main'), writeText(text), {});
    for (let index = 0; index < 4200; index++)
      outside.publish(subjects.body('main'), `["${index}","",null]\n`);
    await outside.flush();
    await one.commit(counting('x'));
    await one.close();
    const stored = await nodes.everythingStored();
    expect(stored).not.toContain('quetzal');
    expect(stored).toContain('["4199"');
  });

  test('forgets also what another node has just acknowledged', async () => {
    verifies('CLU-02');
    const relay = await Relay.start([nodes.nats.url], 300);
    const [one, slow] = [
      await node('one'),
      await node('slow', { connection: await connect({ servers: relay.urls }) }),
    ];
    const forgetter: Forgetter = {
      entriesOf: (database, { id }) => {
        const found = database.all<{ seq: number }>('SELECT seq FROM note WHERE title = ?', id);
        return found.length === 0 ? undefined : found.map(({ seq }) => seq);
      },
      redact: (event) =>
        event.type === 'note.added' ? { type: 'note.added', data: { title: '-', body: '' } } : undefined,
    };
    // So that nothing has to be asked before it is decided.
    await slow.commit(counting('x', { stream: 'access.local' }));
    await one.commit(writing([noted('secret', 'quetzal')]));
    const target = { kind: 'item', id: 'secret', org: 'local' } as const;
    expect(await forget(slow, localOwner, target, [forgetter])).toEqual({ entries: 1 });
    await slow.close();
    await relay.stop();
  });

  test('replays an id that was given twice, although the first entry with it was erased', async () => {
    verifies('KERN-05', 'CLU-02');
    const one = await node('one');
    const id = newId();
    await one.commit(counting('x', { id }));
    await publish(written('counter.y', 1, [raised('y')], { id, chosen: true }));
    await one.commit(counting('z'));
    await forgetEntry(one, 1);
    const { manager, stream } = await stores();
    await until(async () => (await manager.streams.getMessage(stream, { seq: 1 })) === null);
    const late = await node('late');
    expect(late.head()).toEqual(one.head());
    expect(counterValue(late.database, 'y')).toBe(0);
  });

  test('goes on after an audit for which the tables could not be read', async () => {
    const errors: unknown[] = [];
    const one = await node('one', { onError: (error) => errors.push(error) });
    await one.commit(counting('x'));
    one.database.settle();
    const { path } = one.database;
    renameSync(path, `${path}-away`);
    await one.audit();
    await until(() => errors.length > 0, 10_000);
    renameSync(`${path}-away`, path);
    expect(one.cluster.state()).toMatchObject({ ready: true });
    expect((await one.commit(counting('x'))).answer).toBe(2);
  });

  test('applies again what was lost when a transaction was ended early', async () => {
    let fails = false;
    const one = await node('one', {
      onPoint: (point) => {
        if (point !== 'committing' || !fails) return;
        fails = false;
        throw diskFull();
      },
    });
    await one.commit(counting('x'));
    fails = true;
    expect(() => one.database.settle()).toThrow();
    await until(() => one.head().seq === 1, 10_000);
    expect(one.head().seq).toBe(1);
    expect(one.cluster.state()).toMatchObject({ ready: true });
  });

  test('stops where NATS no longer has what it has read', async () => {
    const one = await node('one');
    for (let index = 0; index < 5; index++) await one.commit(counting('x'));
    const { manager, stream } = await stores();
    await manager.streams.delete(stream);
    await (await node('new')).commit(counting('x'));
    await until(() => one.cluster.state().reason?.includes('lost') ?? false, 40_000);
    expect(one.cluster.state()).toMatchObject({
      ready: false,
      reason: expect.stringContaining('lost entries'),
    });
    await expect(one.commit(counting('x'))).rejects.toMatchObject({ code: 'conflict' });
    expect(counterValue(one.database, 'x')).toBe(5);
  }, 90_000);

  test('does not decide while most others have another head, and goes on when they agree', async () => {
    verifies('CLU-02');
    const upkeep = { look: 300 };
    const [one, other, third] = [
      await node('one', { upkeep }),
      await node('other', { upkeep }),
      await node('third', { upkeep }),
    ];
    await one.commit(counting('x'));
    for (const journal of [other, third]) await journal.reached(1);
    other.database.settle();
    const hash = other.head().hash;
    const setHash = (hex: string) => {
      other.database.run('UPDATE journal_entry SET hash = ? WHERE seq = 1', Buffer.from(hex, 'hex'));
      other.database.run('UPDATE journal_head SET hash = ?', Buffer.from(hex, 'hex'));
    };
    setHash('00'.repeat(32));
    await expect.poll(() => other.cluster.state().reason).toMatch(/differ/);
    expect(other.cluster.state().ready).toBe(false);
    await expect(other.commit(counting('x'))).rejects.toMatchObject({ code: 'storage_invalid' });
    // Each may have heard of it before it heard of the other one.
    await expect
      .poll(() => [one, third].map((journal) => journal.cluster.state().ready))
      .toEqual([true, true]);
    setHash(hash);
    await until(() => other.cluster.state().ready, 30_000);
    expect(other.cluster.state().ready).toBe(true);
  }, 90_000);
});
