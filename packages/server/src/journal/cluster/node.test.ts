import { LIMITS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer } from '../../../../../test/support/nats.ts';
import { FORGOTTEN, type Forgotten, type Journal } from '../journal.ts';
import {
  counterValue,
  counting,
  dumpTables,
  newId,
  noted,
  PROJECTIONS,
  raised,
  seen,
  someone,
  stateOf,
  until,
  writing,
} from '../journal-fixture.suite.ts';
import type { NatsJournal } from '../nats.ts';
import { SqliteJournal } from '../sqlite.ts';
import { leaveCluster, moveToCluster } from './migrate.ts';
import { Nodes } from './nodes-fixture.suite.ts';

describe.skipIf(natsServer === undefined)(`nodes of a cluster ${NEEDS_NATS}`, () => {
  const nodes = new Nodes();
  const node: Nodes['open'] = (place, more) => nodes.open(place, more);

  const write = (journal: Journal, count: number) =>
    Promise.all(Array.from({ length: count }, () => journal.commit(counting('x', { group: true }))));

  async function forget(journal: Journal, seqs: number[]): Promise<void> {
    const left: Forgotten['entries'] = seqs.map((seq) => ({ seq, events: [raised('forgotten') as never] }));
    await journal.commit({
      stream: 'main',
      actor: someone,
      decide: () => ({
        events: [{ type: FORGOTTEN, data: { target: { kind: 'item', id: 'x' }, entries: left } }],
        answer: null,
        erase: seqs,
        thorough: true,
      }),
    });
  }

  test('read what they themselves wrote, and what another one wrote from the position that it told', async () => {
    verifies('CLU-03');
    const [one, other] = [await node('one'), await node('other')];
    for (let round = 1; round <= 30; round++) {
      const { entry } = await one.commit(counting('x'));
      expect(counterValue(one.database, 'x')).toBe(round);
      await other.reached(entry!.seq);
      expect(counterValue(other.database, 'x')).toBe(round);
    }
    await expect(other.reached(31)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  }, 60_000);

  test('begin with a snapshot, verified, and catch up from there', async () => {
    verifies('CLU-04');
    const one = await node('one');
    await write(one, 300);
    await one.commit(writing([seen({ body: 'b'.repeat(LIMITS.inlineEntryBytes + 1) })]));
    expect(await one.snapshot()).toBe(true);
    await write(one, 20);
    const positions: number[] = [];
    const other = await node('other', {
      onPoint: (point) => {
        if (point === 'appended') positions.push(1);
      },
    });
    // What the snapshot holds is not applied again.
    expect(positions).toHaveLength(20);
    expect(stateOf(other)).toEqual(stateOf(one));
    expect((await other.verify()).ok).toBe(true);
    await other.commit(counting('x'));
    await one.reached(other.head().seq);
    expect(counterValue(one.database, 'x')).toBe(321);
  }, 60_000);

  test('replay the stream where the snapshot is not what the journal says of it', async () => {
    verifies('CLU-04');
    const one = await node('one');
    await write(one, 100);
    await one.snapshot();
    const stores = await nodes.stores();
    const objects = await stores.objects();
    const [snapshot] = (await objects.list()).filter((object) => object.name.startsWith('snapshot.'));
    await objects.putBlob({ name: snapshot!.name }, Buffer.from('something else'));
    const other = await node('other');
    expect(stateOf(other)).toEqual(stateOf(one));
  }, 60_000);

  test('forget everywhere: in the stream, in snapshots, in objects and on every node', async () => {
    verifies('CLU-02');
    const [one, other] = [await node('one', { upkeep: { look: 200 } }), await node('other')];
    const word = 'quetzal';
    await one.commit(writing([noted('first', `a ${word}`)]));
    await one.commit(writing([seen({ body: word.repeat(40_000) })]));
    await one.commit(writing([noted('kept')]));
    await one.snapshot();
    const objects = await (await nodes.stores()).objects();
    const before = await objects.list();
    expect(await nodes.everythingStored()).toContain(word);
    await forget(one, [1, 2]);
    await other.reached(4);
    await until(async () => !(await nodes.everythingStored()).includes(word));
    expect(await nodes.everythingStored()).not.toContain(word);
    await until(async () =>
      (await objects.list()).every(({ name }) => !before.some((old) => old.name === name)),
    );
    expect((await objects.list()).map(({ name }) => name)).toEqual([expect.stringMatching(/^snapshot\.4\./)]);
    const records = await one.cluster.bucket('nodes', { ttl: 24 * 60 * 60_000 });
    const confirmed = async (journal: NatsJournal) =>
      (await records.get(journal.cluster.node))?.json<{ forgotten: number }>().forgotten === 4;
    await until(async () => (await confirmed(one)) && (await confirmed(other)));
    expect([await confirmed(one), await confirmed(other)]).toEqual([true, true]);
    for (const journal of [one, other]) {
      expect(await journal.verify()).toMatchObject({ ok: true, erased: 2 });
      expect(journal.entryAt(1)).toMatchObject({ erased: true, events: [raised('forgotten')] });
    }
    // One that sees only what is left reaches the same head.
    await one.close();
    await other.close();
    await objects_delete();
    const late = await node('late');
    expect(late.head()).toEqual((await node('one')).head());
    expect(await late.verify()).toMatchObject({ ok: true, erased: 2 });
    expect(await late.verifyTables()).toMatchObject({ ok: true });

    async function objects_delete() {
      const left = await (await nodes.stores()).objects();
      for (const object of await left.list()) await left.delete(object.name);
    }
  }, 90_000);

  test('notice that a table differs from the same table elsewhere, and make it anew', async () => {
    verifies('CLU-02');
    const errors: unknown[] = [];
    const [one, other] = [await node('one'), await node('other', { onError: (error) => errors.push(error) })];
    await write(one, 200);
    await other.reached(200);
    other.database.exec('UPDATE counter SET value = value + 1');
    await one.audit();
    await until(() => counterValue(other.database, 'x') === 200);
    expect(dumpTables(other.database)).toEqual(dumpTables(one.database));
    expect(errors.map(String).join()).toMatch(/Tables of this node were damaged \(counter\)/);
  }, 60_000);

  test('decide again where another node was first, and none is refused', async () => {
    verifies('CLU-02');
    const nodes = [await node('one'), await node('other'), await node('third')];
    const answers = await Promise.all(
      nodes.flatMap((journal) => Array.from({ length: 40 }, () => journal.commit(counting('x')))),
    );
    expect(answers.map(({ answer }) => answer).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 120 }, (_, index) => index + 1),
    );
    for (const journal of nodes) await journal.reached(120);
    expect(stateOf(nodes[1]!)).toEqual(stateOf(nodes[0]!));
    expect(stateOf(nodes[2]!)).toEqual(stateOf(nodes[0]!));
  }, 60_000);

  test('refuse together what one of them may not do because of another stream', async () => {
    verifies('CLU-02');
    const nodes = [await node('one'), await node('other')];
    // A title is unique over all streams.
    const outcomes = await Promise.allSettled(
      nodes.flatMap((journal, index) =>
        Array.from({ length: 10 }, (_, round) =>
          journal.commit(writing([noted(`title ${round}`)], { stream: `stream.${index}` })),
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const journal of nodes) await journal.reached(10);
    expect(stateOf(nodes[1]!)).toEqual(stateOf(nodes[0]!));
    expect(await nodes[1]!.verify()).toMatchObject({ ok: true, entries: 10 });
  }, 60_000);

  test('give one entry to an id that two of them were given, in two streams', async () => {
    verifies('KERN-05', 'CLU-02');
    const nodes = [await node('one'), await node('other')];
    const id = newId();
    const committed = await Promise.all(
      nodes.map((journal, index) => journal.commit(counting('x', { id, stream: `stream.${index}` }))),
    );
    expect(committed.map(({ answer }) => answer)).toEqual([1, 1]);
    expect(committed.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const journal of nodes) await journal.reached(1);
    expect(stateOf(nodes[1]!)).toEqual(stateOf(nodes[0]!));
  }, 60_000);

  test('share a folder between processes, and apply nothing twice', async () => {
    const [one, same] = [await node('one'), await node('one')];
    await Promise.all([write(one, 100), write(same, 100)]);
    await one.reached(200);
    await same.reached(200);
    expect(counterValue(same.database, 'x')).toBe(200);
    expect(await one.verify()).toMatchObject({ ok: true, entries: 200 });
  }, 60_000);

  test('stop before an event that they do not know, and apply nothing of its entry', async () => {
    const newer = await node('newer');
    const older = await node('older', { knownTypes: new Set(['counter.raised']) });
    await newer.commit(counting('x'));
    await older.reached(1);
    await newer.commit(writing([raised('x'), noted('unknown there')]));
    await until(() => older.cluster.state().reason?.includes('newer') ?? false);
    // It has seen what it did not apply.
    await expect(older.cluster.caughtUp()).rejects.toMatchObject({ code: 'storage_newer' });
    await newer.commit(counting('x'));
    expect(older.cluster.state().reason).toMatch(/newer Infold \(it holds note.added\)/);
    expect(older.head().seq).toBe(1);
    expect(counterValue(older.database, 'x')).toBe(1);
    await expect(older.commit(counting('x'))).rejects.toMatchObject({ code: 'storage_newer' });
    await older.close();
    const upgraded = await node('older');
    expect(stateOf(upgraded)).toEqual(stateOf(newer));
  }, 60_000);

  test('take over a data folder with what was erased, what is large and ids that were chosen, and give it back', async () => {
    verifies('CLU-07');
    const place = { projections: PROJECTIONS, limits: LIMITS, folder: nodes.folderOf('moved') };
    const alone = await SqliteJournal.open(place);
    const id = newId();
    await alone.commit(writing([noted('first', 'to be erased')]));
    await alone.commit(writing([seen({ body: 'b'.repeat(LIMITS.inlineEntryBytes + 1) })]));
    await alone.commit(counting('x', { id }));
    await forget(alone, [1]);
    await write(alone, 500);
    // What is left of an erased entry shows in these tables when they are made anew.
    await alone.rebuild();
    const [before, tables] = [alone.head(), dumpTables(alone.database)];
    expect(await moveToCluster(alone, await nodes.stores())).toEqual(before);
    await alone.close();

    const [moved, late] = [await node('moved'), await node('late')];
    expect(late.head()).toEqual(before);
    expect(dumpTables(late.database)).toEqual(tables);
    expect(await late.verify()).toMatchObject({ ok: true, erased: 1 });
    expect(await late.commit(counting('x', { id }))).toMatchObject({ replayed: true, answer: 1 });
    expect((await moved.commit(counting('x'))).answer).toBe(502);
    await late.reached(moved.head().seq);
    expect(stateOf(late)).toEqual(stateOf(moved));
    const after = moved.head();
    await moved.close();

    const again = await SqliteJournal.open(place);
    expect(leaveCluster(again.database, place.folder)).toEqual(after);
    await again.close();
    const free = await SqliteJournal.open(place);
    nodes.keep(free);
    expect((await free.commit(counting('x'))).answer).toBe(503);
    expect((await free.verify()).ok).toBe(true);
  }, 60_000);

  test('keep their folder from being written behind the back of the cluster', async () => {
    await write(await node('one'), 3);
    const alone = await SqliteJournal.open({
      ...{ folder: nodes.folderOf('one'), projections: PROJECTIONS, limits: LIMITS },
    });
    nodes.keep(alone);
    await until(() => alone.head().seq === 3);
    expect(alone.head().seq).toBe(3);
    await expect(alone.commit(counting('x'))).rejects.toMatchObject({ code: 'storage_read_only' });
  }, 60_000);

  test('refuse a folder that has a journal of its own, or belongs to another cluster', async () => {
    const place = { projections: PROJECTIONS, limits: LIMITS };
    const alone = await SqliteJournal.open({ ...place, folder: nodes.folderOf('own') });
    await write(alone, 1);
    await alone.close();
    await expect(node('own')).rejects.toMatchObject({ code: 'conflict' });
    await (await node('one')).close();
    nodes.name = `${nodes.name}other`;
    await expect(node('one')).rejects.toMatchObject({ code: 'conflict' });
  }, 60_000);
});
