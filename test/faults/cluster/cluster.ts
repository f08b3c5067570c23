import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { expect } from 'vitest';
import { entryIdForKey } from '../../../packages/server/src/kernel/ids.ts';
import { startNats, type TestNats, type TestNatsServer } from '../../support/nats.ts';
import { checkStreams } from '../history/check.ts';
import { LOG } from '../history/log.ts';
import { removeFolder, temporaryFolder } from '../support.ts';
import { type Acknowledged, Load } from './load.ts';
import { type Inspection, type NodeOrder, TestNode } from './node.ts';
import { Relay } from './relay.ts';

const STREAM = 'INFOLD';
const PATIENCE = 60_000;

/** Three NATS servers and two nodes. The second node reaches NATS through a relay that can cut its connections. */
export class TestCluster {
  readonly nats: TestNats;
  readonly relay: Relay;
  readonly folder = temporaryFolder();
  nodes: TestNode[] = [];
  readonly #acknowledged: Acknowledged[] = [];
  #load: Load | undefined;
  #names = 0;

  static async start(): Promise<TestCluster> {
    const nats = await startNats({ servers: 3, isRelayed: true });
    const cluster = new TestCluster(nats, await Relay.start(nats.urls));
    for (const index of [0, 1]) await cluster.restartNode(index);
    return cluster;
  }

  private constructor(nats: TestNats, relay: Relay) {
    this.nats = nats;
    this.relay = relay;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.relay.stop();
    await this.nats.stop();
    removeFolder(this.folder);
  }

  folderOf(index: number): string {
    return join(this.folder, `node-${index}`);
  }

  startNode(index: number, order: Partial<NodeOrder> = {}): TestNode {
    return new TestNode({
      name: `node-${index}`,
      folder: this.folderOf(index),
      urls: index === 1 ? this.relay.urls : this.nats.urls,
      replicas: 3,
      ...order,
    });
  }

  /** Starts a node that is not running, in the place of the one that was; waits until it serves. */
  async restartNode(index: number, order: Partial<NodeOrder> = {}): Promise<TestNode> {
    const node = this.startNode(index, order);
    this.nodes[index] = node;
    await node.ready;
    return node;
  }

  /** A name that nobody had, also when a test is tried again. */
  fresh(name: string): string {
    return `${name}.${++this.#names}`;
  }

  /** The clients' load, under a name of its own, also when a test is tried again. */
  load(name: string, seed = 1): Load {
    this.#load = new Load(this.fresh(name), () => this.nodes.filter(({ isRunning }) => isRunning), seed);
    return this.#load;
  }

  /** For the end of each test: one that failed leaves nothing that goes on. */
  async quiet(): Promise<void> {
    await this.#load?.stop().catch(() => {});
    this.#load = undefined;
    for (const [index, node] of this.nodes.entries()) if (!node.isRunning) await this.restartNode(index);
  }

  /** The node comes back without anything. */
  forgetFolder(index: number): void {
    removeFolder(this.folderOf(index));
  }

  /** As if the time had passed for which a node that died keeps the others from its work. */
  async endLease(name: string): Promise<void> {
    const connection = await connect({ servers: this.nats.urls });
    try {
      await (await new Kvm(connection).open('infold_leases')).delete(name);
    } finally {
      await connection.close();
    }
  }

  hasSnapshot(): Promise<boolean> {
    return this.#manage(async (manager) => {
      const query = { last_by_subj: 'infold.mark.snapshot' };
      return (await manager.streams.getMessage(STREAM, query)) !== null;
    });
  }

  async #manage<Answer>(work: (manager: JetStreamManager) => Promise<Answer>): Promise<Answer> {
    const connection = await connect({ servers: this.nats.urls });
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  }

  /** The NATS server that leads the journal's stream. */
  leader(): Promise<TestNatsServer> {
    return this.#manage(async (manager) => {
      const deadline = performance.now() + PATIENCE;
      for (;;) {
        const info = await manager.streams.info(STREAM).catch(() => undefined);
        const found = this.nats.servers.find(({ name }) => name === info?.cluster?.leader);
        if (found) return found;
        if (performance.now() > deadline) throw new Error(`${STREAM} has no leader`);
        await wait(100);
      }
    });
  }

  /** Ends the load, starts the nodes that died, and checks all that must hold whatever happened. */
  async settle(load: Load): Promise<Inspection> {
    await load.stop();
    await Promise.all(
      this.nodes.map(async (node, index) => {
        if (!node.isRunning) await this.restartNode(index);
      }),
    );
    await this.#readAll(load);
    const [one, other] = await Promise.all(this.nodes.map((node) => node.ask('inspect')));
    this.#acknowledged.push(...load.acknowledged);
    this.#check(one!, other!);
    expect(checkStreams(load.history, LOG)).toEqual([]);
    return one!;
  }

  /** Both nodes come to the same position, and the last reads of the history are made there. */
  async #readAll(load: Load): Promise<void> {
    const seq = await this.caughtUp();
    for (const node of this.nodes) {
      for (const stream of load.streams) {
        const start = performance.now();
        const read = await node.ask('read', { stream, atLeast: seq });
        load.history.push({
          client: node.name,
          input: { stream, read: true },
          start,
          end: performance.now(),
          answer: read.answer,
          seq: read.seq,
          atLeast: seq,
        });
      }
    }
  }

  /** Appends so many items on the first node, as fast as it takes them. */
  async write(stream: string, items: number): Promise<void> {
    let next = 0;
    const lane = async () => {
      while (next < items) {
        const item = String(++next);
        const { seq } = await this.nodes[0]!.ask('append', { stream, item });
        this.#acknowledged.push({ stream, item, seq });
      }
    };
    await Promise.all(Array.from({ length: 256 }, lane));
  }

  /** Waits until every node is where the furthest one is, also with what nobody waited for; answers where that is. */
  async caughtUp(): Promise<number> {
    const deadline = performance.now() + PATIENCE;
    for (let equal = 0, last = -1; ; ) {
      const heads = await Promise.all(this.nodes.map((node) => node.ask('head')));
      const [seq] = heads.map((head) => head.seq);
      const same = heads.every((head) => head.seq === seq) && seq === last;
      equal = same ? equal + 1 : 0;
      if (equal === 5) return seq!;
      if (performance.now() > deadline) {
        const problems = this.nodes.flatMap((node) => node.problems.slice(-3));
        throw new Error(`The nodes stay apart: ${JSON.stringify(heads)} ${problems}`);
      }
      last = seq!;
      await wait(50);
    }
  }

  #check(one: Inspection, other: Inspection): void {
    expect(other.head).toEqual(one.head);
    expect(other.digests).toEqual(one.digests);
    for (const { report, tables, entries, head } of [one, other]) {
      expect(report).toMatchObject({ ok: true, entries: head.seq });
      expect(tables).toMatchObject({ ok: true, different: [] });
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    }
    expect(other.entries).toEqual(one.entries);
    const lost = this.#acknowledged.filter(
      ({ stream, item, seq }) => one.entries[seq - 1]?.id !== entryIdForKey('log', stream, item),
    );
    expect(lost).toEqual([]);
  }
}
