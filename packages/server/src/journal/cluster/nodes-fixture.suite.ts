import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type NatsOptions, startNats, type TestNats } from '../../../../../test/support/nats.ts';
import { type CommitRequest, FORGOTTEN, type Forgotten, type Journal } from '../journal.ts';
import { PROJECTIONS, raised, someone } from '../journal-fixture.suite.ts';
import { NatsJournal } from '../nats.ts';
import type { NatsJournalOptions } from './following.ts';
import { Stores } from './stores.ts';

/** A NATS server for the tests of a file, and nodes of a new cluster for each of them. */
export class Nodes {
  nats!: TestNats;
  /** Of the cluster: its stream, buckets and subjects. */
  name!: string;
  #folder!: string;
  #count = 0;
  #opened: Journal[] = [];
  #connections: NatsConnection[] = [];

  constructor(options: NatsOptions = {}) {
    beforeAll(async () => {
      this.nats = await startNats(options);
    });
    afterAll(() => this.nats.stop());
    beforeEach(() => {
      this.#folder = mkdtempSync(join(tmpdir(), 'infold-nodes-'));
      this.name = `nodes${this.#count++}`;
    });
    afterEach(async () => {
      for (const journal of this.#opened.splice(0)) await journal.close();
      for (const connection of this.#connections.splice(0)) await connection.close();
      rmSync(this.#folder, { recursive: true });
    });
  }

  folderOf(place: string): string {
    return join(this.#folder, place);
  }

  async open(place: string, more: Partial<NatsJournalOptions> = {}): Promise<NatsJournal> {
    const journal = await NatsJournal.open({
      ...{ folder: this.folderOf(place), projections: PROJECTIONS, limits: LIMITS, name: this.name },
      connection: await connect({ servers: this.nats.urls }),
      ...more,
    });
    this.#opened.push(journal);
    return journal;
  }

  /** Closed after the test. */
  keep<J extends Journal>(journal: J): J {
    this.#opened.push(journal);
    return journal;
  }

  /** As somebody who looks at NATS and knows nothing of nodes. */
  async stores(): Promise<Stores> {
    const connection = await connect({ servers: this.nats.urls });
    this.#connections.push(connection);
    return Stores.open({ connection, name: this.name });
  }

  /** All that the stream holds. */
  async everythingStored(): Promise<string> {
    const { manager, stream } = await this.stores();
    const { state } = await manager.streams.info(stream);
    let text = '';
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      text += (await manager.streams.getMessage(stream, { seq }))?.string() ?? '';
    }
    return text;
  }
}

/** A forgetting that leaves this of each entry: by default that something was there. */
export function forgetting(
  seqs: readonly number[],
  left: (seq: number) => Forgotten['entries'][number]['events'] = () => [raised('forgotten') as never],
): CommitRequest<null> {
  const entries: Forgotten['entries'] = seqs.map((seq) => ({ seq, events: left(seq) }));
  return {
    stream: 'main',
    actor: someone,
    decide: () => ({
      events: [{ type: FORGOTTEN, data: { target: { kind: 'item', id: 'x' }, entries } }],
      answer: null,
      erase: [...seqs],
      thorough: true,
    }),
  };
}
