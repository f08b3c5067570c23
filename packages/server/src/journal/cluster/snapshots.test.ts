import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LIMITS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer } from '../../../../../test/support/nats.ts';
import type { Journal } from '../journal.ts';
import { counting, PROJECTIONS, seen, stateOf, writing } from '../journal-fixture.suite.ts';
import { SqliteJournal } from '../sqlite.ts';
import { Nodes } from './nodes-fixture.suite.ts';
import { lastSnapshot } from './snapshots.ts';
import { piecesOf } from './stores.ts';

describe.skipIf(natsServer === undefined)(`snapshots of a cluster ${NEEDS_NATS}`, () => {
  const nodes = new Nodes();
  const soon = { timeout: 30_000, interval: 50 };
  const write = (journal: Journal, count: number) =>
    Promise.all(Array.from({ length: count }, () => journal.commit(counting('x', { group: true }))));
  const newer = PROJECTIONS.map((projection) => ({ ...projection, version: projection.version + 1 }));

  /** Whether the files of the server hold these bytes. */
  function isOnDisk(bytes: Buffer): boolean {
    const { folder } = nodes.nats.servers[0]!;
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && file.name.endsWith('.blk'))
      .some((file) => readFileSync(join(file.parentPath, file.name)).includes(bytes));
  }

  test('are made whenever they are asked for, and the one before goes with its bytes', async () => {
    verifies('CLU-04');
    const one = await nodes.open('one');
    await write(one, 50);
    expect(await one.snapshot()).toBe(true);
    const stores = await nodes.stores();
    const objects = await stores.objects();
    const [first] = await objects.list();
    const piece = await stores.manager.streams.getMessage(piecesOf(first!).stream, {
      ...{ seq: 1, next_by_subj: piecesOf(first!).subject },
    });
    const bytes = Buffer.from(piece!.data.slice(100, 400));
    await expect.poll(() => isOnDisk(bytes), soon).toBe(true);
    await write(one, 50);
    expect(await one.snapshot()).toBe(true);
    expect(await lastSnapshot(stores)).toMatchObject({ seq: 100 });
    expect((await objects.list()).map(({ name }) => name)).toEqual([
      expect.stringMatching(/^snapshot\.100\./),
    ]);
    await expect.poll(() => isOnDisk(bytes), soon).toBe(false);
  }, 60_000);

  test('that were never finished are taken away, and so are objects that no entry names', async () => {
    const stores = await nodes.stores();
    const one = await nodes.open('one', { upkeep: { look: 100, orphans: 500 } });
    await one.commit(writing([seen({ body: 'b'.repeat(LIMITS.inlineEntryBytes + 1) })]));
    const objects = await stores.objects();
    const named = (await objects.list()).map(({ name }) => name);
    // As a node leaves it that is killed while it stores one, or decides again with other data.
    const { stream, subject } = piecesOf({ bucket: `${nodes.name}_objects`, nuid: 'unfinished' });
    await stores.jetstream.publish(subject, 'a piece');
    await stores.jetstream.publish(subject, 'another piece');
    await stores.putObject('f'.repeat(64), 'of nobody');
    await expect
      .poll(() => stores.manager.streams.getMessage(stream, { last_by_subj: subject }), soon)
      .toBe(null);
    await expect.poll(async () => (await objects.list()).map(({ name }) => name), soon).toEqual(named);
    expect((await stores.getObject(named[0]!))?.length).toBeGreaterThan(LIMITS.inlineEntryBytes);
  }, 60_000);

  test('of a newer program are left alone: an older node follows the stream instead', async () => {
    verifies('CLU-04');
    const one = await nodes.open('one', { projections: newer });
    await write(one, 50);
    await one.snapshot();
    const errors: unknown[] = [];
    const older = await nodes.open('older', { onError: (error) => errors.push(error) });
    expect(errors).toMatchObject([{ code: 'storage_newer' }]);
    expect(stateOf(older)).toEqual(stateOf(one));
    expect(readdirSync(nodes.folderOf('older')).filter((name) => name.startsWith('restoring-'))).toEqual([]);
  }, 60_000);

  test('take the place of a file that is far behind, but not while another process has it open', async () => {
    verifies('CLU-04');
    const inode = (place: string) => statSync(join(nodes.folderOf(place), 'infold.db')).ino;
    for (const place of ['behind', 'open']) await (await nodes.open(place)).close();
    // The driver for Node 20 keeps a closed connection until its statements are collected.
    collectGarbage();
    const [behind, open] = [inode('behind'), inode('open')];
    const one = await nodes.open('one');
    await write(one, 20_100);
    await one.snapshot();
    const reader = nodes.keep(
      await SqliteJournal.open({
        ...{ folder: nodes.folderOf('open'), projections: PROJECTIONS, limits: LIMITS },
      }),
    );
    const restored = await nodes.open('behind');
    const replayed = await nodes.open('open');
    expect([inode('behind') === behind, inode('open') === open]).toEqual([false, true]);
    expect(stateOf(restored)).toEqual(stateOf(one));
    expect(stateOf(replayed)).toEqual(stateOf(one));
    await expect.poll(() => reader.head(), soon).toEqual(one.head());
    expect(await restored.verify()).toMatchObject({ ok: true });
  }, 120_000);
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
