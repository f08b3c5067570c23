import { LIMITS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer } from '../../../../../test/support/nats.ts';
import { counterValue, counting, PROJECTIONS, stateOf } from '../journal-fixture.suite.ts';
import { SqliteJournal } from '../sqlite.ts';
import { moveToCluster } from './migrate.ts';
import { Nodes } from './nodes-fixture.suite.ts';

describe.skipIf(natsServer === undefined)(`moving a data folder into a cluster ${NEEDS_NATS}`, () => {
  const nodes = new Nodes();
  const open = async () =>
    nodes.keep(
      await SqliteJournal.open({
        ...{ folder: nodes.folderOf('moved'), projections: PROJECTIONS, limits: LIMITS },
      }),
    );

  test('ends the writes of a process that has it open: none of them is lost', async () => {
    verifies('CLU-07');
    const running = await open();
    await running.commit(counting('x'));
    const moving = await open();
    await moveToCluster(moving, await nodes.stores());
    await expect(running.commit(counting('x'))).rejects.toMatchObject({ code: 'storage_read_only' });
    await expect(running.commit(counting('x', { group: true }))).rejects.toMatchObject({
      code: 'storage_read_only',
    });
    await moving.close();
    await running.close();
    const [moved, late] = [await nodes.open('moved'), await nodes.open('late')];
    expect(counterValue(moved.database, 'x')).toBe(1);
    expect(stateOf(late)).toEqual(stateOf(moved));
  }, 60_000);

  test('is refused where something was written meanwhile, and the folder stays as it is', async () => {
    verifies('CLU-07');
    const [running, moving] = [await open(), await open()];
    await Promise.all(Array.from({ length: 300 }, () => running.commit(counting('x', { group: true }))));
    const written: Promise<unknown>[] = [];
    const moved = moveToCluster(moving, await nodes.stores(), (done) => {
      if (done === 200) written.push(running.commit(counting('x')));
    });
    await expect(moved).rejects.toMatchObject({ code: 'conflict' });
    expect(written).toHaveLength(1);
    await Promise.all(written);
    expect((await running.commit(counting('x'))).answer).toBe(302);
  }, 60_000);

  test('is done by a process that writes on, or not at all', async () => {
    verifies('CLU-07');
    const [running, moving] = [await open(), await open()];
    let acknowledged = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        try {
          acknowledged = (await running.commit(counting('x'))).answer;
        } catch {
          return;
        }
        // Now and then nothing is written for long enough to be moved.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      }
    })();
    const stores = await nodes.stores();
    for (let tries = 0; tries < 40 && !isOver; tries++) {
      const outcome = await moveToCluster(moving, stores).catch(() => undefined);
      if (outcome) break;
      await stores.manager.streams.delete(stores.stream);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    isOver = true;
    await writing;
    expect(counterValue(moving.database, 'x')).toBe(acknowledged);
    await moving.close();
    await running.close();
    const moved = await nodes.open('moved').catch(() => undefined);
    if (moved) expect(stateOf(await nodes.open('late'))).toEqual(stateOf(moved));
  }, 60_000);
});
