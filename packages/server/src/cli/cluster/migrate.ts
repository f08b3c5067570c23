import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectToNats } from '../../journal/cluster/connect.ts';
import { leaveCluster, moveToCluster } from '../../journal/cluster/migrate.ts';
import { Stores } from '../../journal/cluster/stores.ts';
import type { Head, Journal } from '../../journal/journal.ts';
import type { SqliteJournal } from '../../journal/sqlite.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Output } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { openExistingJournal, openLocalJournal } from '../services/journal.ts';

/** Moves a data folder into a cluster, or out of it, and shows by the head of the chain that it is the same journal. */
export async function migrate(config: Config, output: Output, to: string): Promise<void> {
  if (config.nats.url === undefined) {
    throw new InfoldError('invalid_arguments', 'Say where NATS is: --nats nats://host:4222, or set nats.url');
  }
  if (to === 'nats') await toNats(config, output);
  else if (to === 'sqlite') await toSqlite(config, output);
  else throw new InfoldError('invalid_arguments', `--to is "nats" or "sqlite", not "${to}"`);
}

async function toNats(config: Config, output: Output): Promise<void> {
  const alone = { ...config, nats: { ...config.nats, url: undefined } };
  const journal = (await openExistingJournal(alone)) as SqliteJournal;
  const connection = await connectToNats(config.nats, { name: 'infold migrate' });
  const bar = progressBar('publishing entries');
  try {
    await checkWhole(journal);
    const stores = await Stores.open({ connection, replicas: config.nats.replicas });
    const head = await moveToCluster(journal, stores, bar.update);
    bar.done();
    await checkReplay(config, head);
    output.answer(
      { to: 'nats', data: config.data, entries: head.seq, head: head.hash },
      () =>
        `${head.seq} entries are in the stream ${stores.stream}, and a new node that read them has the same head (${head.hash.slice(0, 12)}). ${config.data} is a node's folder now: start it with "infold serve --nats URL".`,
    );
  } finally {
    bar.done();
    await journal.close();
    await connection.close();
  }
}

async function toSqlite(config: Config, output: Output): Promise<void> {
  // Opening catches up with the cluster.
  const node = await openExistingJournal(config);
  const expected = node.head();
  await node.close();
  const journal = await openLocalJournal({ ...config, nats: { ...config.nats, url: undefined } });
  try {
    const head = leaveCluster(journal.database, config.data);
    await checkWhole(journal);
    if (head.hash !== expected.hash) throw differs(expected, head);
    output.answer(
      { to: 'sqlite', data: config.data, entries: head.seq, head: head.hash },
      () =>
        `${config.data} stands alone, with ${head.seq} entries and the head that the cluster had (${head.hash.slice(0, 12)}). The stream in NATS was left as it is.`,
    );
  } finally {
    await journal.close();
  }
}

async function checkWhole(journal: Journal): Promise<void> {
  const bar = progressBar('verifying');
  const { ok, first } = await journal.verify(bar.update);
  bar.done();
  if (!ok) {
    throw new InfoldError(
      'storage_invalid',
      `The journal is damaged at entry ${first?.seq}: ${first?.problem}`,
    );
  }
}

/** As a new node does, from what is in NATS alone. */
async function checkReplay(config: Config, expected: Head): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'infold-migrate-'));
  try {
    const node = await openExistingJournal({ ...config, data: folder });
    const head = node.head();
    await node.close();
    if (head.hash !== expected.hash || head.seq !== expected.seq) throw differs(expected, head);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function differs(expected: Head, found: Head): InfoldError {
  return new InfoldError(
    'storage_invalid',
    `The head differs: ${expected.hash} at entry ${expected.seq} before, ${found.hash} at entry ${found.seq} after`,
  );
}
