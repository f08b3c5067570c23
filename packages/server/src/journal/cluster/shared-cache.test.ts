import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Objm } from '@nats-io/obj';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../../test/support/nats.ts';
import { createServices } from '../../cli/services/create.ts';
import { PROJECTIONS } from '../../cli/services/projections.ts';
import { randomId } from '../../kernel/ids.ts';
import { callTool } from '../../mcp/tools/call.ts';
import {
  callerNamed,
  callOf,
  movableClock,
  temporaryFolder,
  testConfig,
} from '../../testing/fixtures.suite.ts';
import { NatsJournal } from '../nats.ts';

const DAY = 24 * 60 * 60 * 1000;
const alice = callerNamed('alice');
const soon = { timeout: 60_000, interval: 50 };

describe.skipIf(natsServer === undefined)(`results in a cluster ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  let clusters = 0;

  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats?.stop());

  function startCluster() {
    const name = `cache${clusters++}`;
    const clock = movableClock();
    const startNode = async (folder = temporaryFolder()) => {
      const connection = await connect({
        servers: nats.url,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
      });
      const config = testConfig({ data: folder });
      const place = { folder, projections: PROJECTIONS, limits: config.limits };
      const journal = await NatsJournal.open({ ...place, connection, name });
      const services = createServices(config, journal, 'silent', clock.read);
      const archive = services.parts.windowArchive;
      await archive.open();
      let isStopped = false;
      const stop = async () => {
        if (isStopped) return;
        isStopped = true;
        await services.settle();
        await journal.close();
      };
      onTestFinished(stop);
      const expand = async (handle: string, caller = alice) => {
        const outcome = await callTool(services, callOf('context_expand', { handle }, { caller }));
        return JSON.stringify(outcome);
      };
      return { archive, scratch: services.records.scratch, folder, expand, stop };
    };
    /** As anybody sees it who knows nothing of Infold. */
    const stored = async (what = 'originals') => {
      const connection = await connect({ servers: nats.url });
      try {
        const store = await new Objm(connection).open(`${name}_${what}`);
        const names = (await store.list()).map((info) => info.name);
        return { names, ttl: (await store.status()).ttl };
      } catch {
        return { names: [], ttl: 0 };
      } finally {
        await connection.close();
      }
    };
    const isStored = async (handle: string) => (await stored()).names.includes(handle);
    return { startNode, stored, isStored, clock };
  }

  /** NATS holds still meanwhile, and goes on whatever happens. */
  async function whileStill(work: () => Promise<void>): Promise<void> {
    nats.servers[0]!.stop();
    try {
      await work();
    } finally {
      nats.servers[0]!.continue();
    }
  }

  const original = (text: string, conversation = 'conv_1') => ({
    ...{ handle: randomId('win'), text, conversation, session: 'host-1' },
  });
  const holds = (folder: string, text: string) =>
    readdirSync(folder)
      .filter((file) => file.startsWith('window.db'))
      .some((file) => readFileSync(join(folder, file)).includes(text));

  test('originals are read on every node by whose they are, and stay there', async () => {
    const { startNode, stored, isStored, clock } = startCluster();
    const [one, two] = [await startNode(), await startNode()];
    const [long, short] = [original('a line of the result\n'.repeat(50_000)), original('a marigold')];
    one.archive.keep(alice, [long, short]);
    await expect.poll(() => isStored(short.handle), soon).toBe(true);
    expect(await two.archive.held(alice, [long.handle, short.handle, randomId('win')])).toEqual(
      new Set([long.handle, short.handle]),
    );
    for (const stranger of [callerNamed('bob'), callerNamed('alice', { org: 'acme' })]) {
      expect(await two.archive.read(stranger, short.handle)).toBeUndefined();
      expect(await two.archive.held(stranger, [short.handle])).toEqual(new Set());
    }
    expect((await two.archive.size()).originals).toBe(0);
    expect(await two.expand(short.handle)).toContain('a marigold');
    expect(await two.archive.read(alice, long.handle)).toBe(long.text);
    expect(await two.archive.read(alice, randomId('win'))).toBeUndefined();
    // Now it needs no other.
    expect((await two.archive.size()).originals).toBe(2);
    await one.stop();
    await whileStill(async () => {
      expect(await two.archive.read(alice, long.handle)).toBe(long.text);
    });
    // NATS drops them by itself, and never before their time.
    expect((await stored()).ttl / 1_000_000).toBeGreaterThan(30 * DAY);
    const three = await startNode();
    clock.advance(30 * DAY);
    expect(await three.archive.read(alice, short.handle)).toBeUndefined();
    expect(await three.archive.held(alice, [short.handle])).toEqual(new Set());
  });

  test('originals are stored when NATS is back, and by a node that comes back', async () => {
    const { startNode, isStored } = startCluster();
    const one = await startNode();
    const [first, second] = [original('kept while NATS stood still'), original('kept by a node that left')];
    await whileStill(async () => {
      one.archive.keep(alice, [first]);
      expect(await one.archive.read(alice, first.handle)).toBe(first.text);
    });
    await expect.poll(() => isStored(first.handle), soon).toBe(true);
    await whileStill(async () => {
      one.archive.keep(alice, [second]);
      await one.archive.close();
    });
    await one.stop();
    await startNode(one.folder);
    await expect.poll(() => isStored(second.handle), soon).toBe(true);
  });

  test('originals are forgotten on every node and in NATS, by a node that is off too, and others are not', async () => {
    const { startNode, isStored, clock } = startCluster();
    const [one, two, off] = [await startNode(), await startNode(), await startNode()];
    const [gone, stays] = [original('a marigold'), original('a bluebell', 'conv_2')];
    one.archive.keep(alice, [gone, stays]);
    for (const { handle } of [gone, stays]) await expect.poll(() => isStored(handle), soon).toBe(true);
    for (const node of [two, off]) {
      for (const { handle, text } of [gone, stays]) expect(await node.archive.read(alice, handle)).toBe(text);
    }
    await off.stop();
    const asking = await startNode();
    expect(await asking.archive.forget(['conv_1'])).toBe(1);
    const back = await startNode(off.folder);
    expect(await isStored(gone.handle)).toBe(false);
    for (const node of [one, two, back, asking]) {
      await expect.poll(() => node.archive.read(alice, gone.handle), soon).toBeUndefined();
      await expect.poll(() => holds(node.folder, 'marigold'), soon).toBe(false);
      expect(await node.archive.read(alice, stays.handle)).toBe(stays.text);
    }
    // What a conversation that goes on leaves later is kept.
    const later = original('a later one');
    clock.advance(1);
    two.archive.keep(alice, [later]);
    await expect.poll(() => one.archive.read(alice, later.handle), soon).toBe(later.text);
  });

  test('kept records are searched on every node by who kept them, without secrets, until they are dropped or forgotten', async () => {
    const { startNode, stored, clock } = startCluster();
    const [one, two] = [await startNode(), await startNode()];
    const secret = ['AKIA', 'IOSFODNN7', 'QWERTYU'].join('');
    const columns = ['id', 'note'].map((name) => ({ name, type: 'text' as const, expression: name }));
    const shape = { model: 'orders', columns, id: 'id' };
    const records = Array.from({ length: 300 }, (_, index) => ({ id: `o${index}`, note: `key ${secret}` }));
    const keep = async (kind: 'scratch' | 'result') =>
      (await one.scratch.keep(alice, { kind, shape, records, summary: '300 orders' })).kept.ref;
    const [rows, result] = [await keep('scratch'), await keep('result')];
    const names = async () => (await stored('kept')).names.toSorted();
    await expect.poll(names, soon).toEqual([rows, result].toSorted());
    expect(await two.scratch.find(callerNamed('bob'), result)).toBeUndefined();
    expect(await two.expand(result)).toContain('o0');
    const table = await two.scratch.open(alice, rows);
    const query = {
      conditions: [],
      order: [],
      fields: table!.shape.columns,
      offset: 299,
      limit: 5,
      count: true,
    };
    expect(await table!.find(query)).toMatchObject({ total: 300, records: [{ id: 'o299' }] });
    // Secrets stay where they were read.
    expect(JSON.stringify(await table!.find(query))).not.toContain(secret);
    expect(JSON.stringify(await (await one.scratch.open(alice, rows))!.find(query))).toContain(secret);
    // What expired goes when something is kept.
    clock.advance(2 * 60 * 60 * 1000);
    expect(await two.scratch.find(alice, rows)).toBeUndefined();
    const another = await keep('result');
    await expect.poll(names, soon).toEqual([result, another].toSorted());
    const bobs = await two.scratch.keep(callerNamed('bob'), {
      kind: 'result',
      shape,
      records,
      summary: 'bob’s',
    });
    await expect.poll(names, soon).toHaveLength(3);
    const asking = await startNode();
    const { org, principal } = alice;
    expect(await asking.scratch.forget({ kind: 'principal', org, id: principal })).toBe(2);
    for (const node of [one, two, asking]) {
      await expect.poll(() => node.scratch.find(alice, result), soon).toBeUndefined();
      expect(await node.scratch.find(callerNamed('bob'), bobs.kept.ref)).toMatchObject({ count: 300 });
    }
    await expect.poll(names, soon).toEqual([bobs.kept.ref]);
  });
});
