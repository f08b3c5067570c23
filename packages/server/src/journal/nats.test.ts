import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../test/support/nats.ts';
import { testJournal } from './journal.suite.ts';
import type { CommitRequest, Committed, Journal } from './journal.ts';
import { NatsJournal } from './nats.ts';

describe.skipIf(natsServer === undefined)(`on a NATS server ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  let stores = 0;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.stop());

  testJournal('NatsJournal', async (projections) => {
    verifies('CLU-01');
    const folder = mkdtempSync(join(tmpdir(), 'infold-node-'));
    const name = `test${stores++}`;
    const journals: Journal[] = [];
    const checkpoints: (() => Promise<void>)[] = [];
    return {
      async open(options) {
        const place = { folder: join(folder, String(journals.length)), projections, limits: LIMITS };
        const connection = await connect({ servers: nats.url });
        const journal = await NatsJournal.open({ ...place, connection, name, ...options });
        journals.push(journal);
        const commit = journal.commit.bind(journal);
        // A client that goes on at another node tells it how far it has read.
        journal.commit = async <Answer>(request: CommitRequest<Answer>): Promise<Committed<Answer>> => {
          const committed = await commit(request);
          const seq = committed.entry?.seq ?? 0;
          await Promise.all(journals.map((other) => reachedIfOpen(other, seq)));
          return committed;
        };
        const checkpoint = journal.checkpoint.bind(journal);
        // Each node makes its own, which come out alike.
        journal.checkpoint = async (progress) => {
          await checkpoint(progress);
          await Promise.all(checkpoints.map((make) => make().catch(() => {})));
        };
        checkpoints.push(checkpoint);
        return journal;
      },
      cleanup: async () => rmSync(folder, { recursive: true }),
    };
  });
});

async function reachedIfOpen(journal: Journal, seq: number): Promise<void> {
  try {
    await journal.reached(seq);
  } catch {
    // Closed.
  }
}
