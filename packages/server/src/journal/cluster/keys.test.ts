import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer } from '../../../../../test/support/nats.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { listKeys, rotateKey } from '../../trust/signing-keys.ts';
import { CHECKPOINT_INTERVAL } from '../integrity/checkpoints.ts';
import { keysOf } from '../integrity/keys.ts';
import type { Journal } from '../journal.ts';
import { counting, PROJECTIONS, someone, stateOf } from '../journal-fixture.suite.ts';
import { SqliteJournal } from '../sqlite.ts';
import { moveToCluster } from './migrate.ts';
import { Nodes } from './nodes-fixture.suite.ts';

const caller = { org: someone.org, actor: someone } as Caller;
const write = (journal: Journal, count: number) =>
  Promise.all(Array.from({ length: count }, () => journal.commit(counting('x', { group: true }))));

describe.skipIf(natsServer === undefined)(`the key of a cluster ${NEEDS_NATS}`, () => {
  const nodes = new Nodes();
  /** The keys whose private part is in NATS. */
  async function stored(): Promise<string[]> {
    const bucket = await (await nodes.stores()).bucket('keys');
    const names: string[] = [];
    for await (const name of await bucket.keys()) if (name !== 'current') names.push(name);
    return names;
  }
  const files = (place: string) => readdirSync(join(nodes.folderOf(place), 'keys'));
  const signers = ({ database }: Journal) =>
    database.all<{ key: string }>('SELECT key FROM journal_checkpoint ORDER BY seq').map(({ key }) => key);

  test('that was rotated on one node signs on all of them, and the one before it is gone', async () => {
    verifies('CLU-02');
    const [one, other] = [await nodes.open('one'), await nodes.open('other')];
    await write(one, CHECKPOINT_INTERVAL);
    await other.reached(CHECKPOINT_INTERVAL);
    await one.checkpoint();
    await other.checkpoint();
    const { from, to } = await rotateKey(one, caller);
    await write(one, CHECKPOINT_INTERVAL);
    await other.reached(one.head().seq);
    await one.checkpoint();
    await other.checkpoint();
    for (const journal of [one, other]) {
      expect(signers(journal)).toEqual([from, to]);
      expect(listKeys(journal.database)).toMatchObject([{ id: from }, { id: to, endorsed_by: from }]);
      expect(await journal.verify()).toMatchObject({ ok: true });
    }
    expect(await stored()).toEqual([to]);
    for (const place of ['one', 'other']) expect(files(place)).toEqual([`${to}.pem`]);
    // One that comes later has to reach the same head, whether it needs the key before or after it reads of it.
    const late = await nodes.open('late');
    await late.checkpoint();
    expect(stateOf(late)).toEqual(stateOf(one));
    expect((await late.keys.current()).id).toBe(to);
  }, 120_000);

  test('is rotated once by two nodes at the same time', async () => {
    const [one, other] = [await nodes.open('one'), await nodes.open('other')];
    await one.keys.current();
    await other.keys.current();
    const outcomes = await Promise.allSettled([rotateKey(one, caller), rotateKey(other, caller)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await other.reached(one.head().seq);
    await one.reached(other.head().seq);
    const current = [await one.keys.current(), await other.keys.current()].map(({ id }) => id);
    expect(current[1]).toBe(current[0]);
    expect(await stored()).toEqual([current[0]]);
  }, 60_000);

  test('whose private part was lost everywhere is followed by one and the same on all nodes', async () => {
    const [one, other] = [await nodes.open('one'), await nodes.open('other')];
    const lost = (await one.keys.current()).id;
    await other.keys.current();
    const { to } = await rotateKey(one, caller);
    await other.reached(one.head().seq);
    const { manager, name } = await nodes.stores();
    await manager.streams.purge(`KV_${name}_keys`, { filter: `$KV.${name}_keys.${to}` });
    one.keys.files.discard(to);
    await one.close();
    const again = await nodes.open('one');
    const current = await Promise.all([again.keys.current(), other.keys.current()]);
    expect(current[0].id).not.toBe(to);
    expect(current[1].id).toBe(current[0].id);
    expect(keysOf(other.database).map(({ id }) => id)).toEqual([lost, to, current[0].id]);
    await again.close();
    await other.close();
  }, 60_000);

  test('comes with a data folder that is moved into a cluster, and its rotations too', async () => {
    const alone = await SqliteJournal.open({
      ...{ folder: nodes.folderOf('moved'), projections: PROJECTIONS, limits: LIMITS },
    });
    await alone.keys.current();
    const { to } = await rotateKey(alone, caller);
    await moveToCluster(alone, await nodes.stores());
    await alone.close();
    const late = await nodes.open('late');
    expect(keysOf(late.database).map(({ id }) => id)).toEqual([to]);
    expect((await late.keys.current()).id).toBe(to);
  }, 60_000);
});
