/**
 * A node of a cluster: a process with a journal on NATS, which does what it is asked on stdin, a line for each request and
 * answer. Its tables are logs of items. They have no constraints, so that an item which is there twice, or two at one place, can be seen.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { connectToNats } from '../../../packages/server/dist/journal/cluster/connect.js';
import { NatsJournal } from '../../../packages/server/dist/journal/nats.js';
import { Projector } from '../../../packages/server/dist/journal/projections/projector.js';
import { digestsOf } from '../../../packages/server/dist/journal/projections/tables.js';
import { entryIdForKey } from '../../../packages/server/dist/kernel/ids.js';

const PROJECTIONS = [
  {
    name: 'logs',
    version: 1,
    tables: `CREATE TABLE log (stream TEXT NOT NULL, place INTEGER NOT NULL, item TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT;
      CREATE INDEX log_of_stream ON log (stream);
      CREATE TABLE item_count (stream TEXT PRIMARY KEY, items INTEGER NOT NULL) STRICT;`,
    on: {
      'item.appended': (database, { stream, place, item, padding }) => {
        database.run('INSERT INTO log VALUES (?, ?, ?, ?)', stream, place, item, padding.length);
        database.run(
          'INSERT INTO item_count VALUES (?, 1) ON CONFLICT (stream) DO UPDATE SET items = items + 1',
          stream,
        );
      },
    },
  },
];

const order = JSON.parse(process.argv[2]);

/** At once, so that nothing said before the end is lost. A pipe that is full takes only a part, or nothing. */
function say(line) {
  let left = Buffer.from(`${JSON.stringify(line)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

let kill;
const connection = await connectToNats({ url: order.urls.join(',') }, { name: order.name });
const journal = await NatsJournal.open({
  folder: order.folder,
  projections: PROJECTIONS,
  limits: order.limits,
  connection,
  replicas: order.replicas,
  upkeep: order.upkeep,
  onPoint: (point) => {
    if (kill?.point === point && --kill.hit === 0) process.kill(process.pid, 'SIGKILL');
  },
  onError: (error) => say({ problem: `${error?.code ?? ''} ${error?.message ?? error}` }),
});
const { database } = journal;

const REQUESTS = {
  async append({ stream, item, bytes = 10 }) {
    const { answer, entry, replayed } = await journal.commit({
      stream,
      actor: { org: 'acme', principal: order.name },
      id: entryIdForKey('log', stream, item),
      group: true,
      decide: (state) => {
        const items = state.get('SELECT items FROM item_count WHERE stream = ?', stream)?.items ?? 0;
        const place = items + 1;
        const padding = 'x'.repeat(bytes);
        return { events: [{ type: 'item.appended', data: { stream, item, place, padding } }], answer: place };
      },
    });
    return { answer, seq: entry.seq, replayed };
  },
  async read({ stream, atLeast }) {
    await journal.reached(atLeast);
    const rows = database.all('SELECT item FROM log WHERE stream = ? ORDER BY rowid', stream);
    return { answer: rows.map(({ item }) => item), seq: journal.head().seq };
  },
  /** From now on it ends itself when it comes to this point for the n-th time. */
  async endAt({ point, hit }) {
    kill = { point, hit };
  },
  async head() {
    return journal.head();
  },
  async reached({ seq }) {
    await journal.reached(seq);
  },
  /** Everything that must be the same on every node, and what each must find right with itself. */
  async inspect() {
    const report = await journal.verify();
    const tables = await journal.verifyTables();
    return {
      head: journal.head(),
      digests: Object.fromEntries(await digestsOf(database, new Projector(PROJECTIONS))),
      report: { ok: report.ok, entries: report.entries, first: report.first },
      tables,
      entries: journal
        .entriesAfter(0, 1_000_000)
        .map(({ seq, id, stream, rev }) => ({ seq, id, stream, rev })),
    };
  },
  async snapshot() {
    await journal.snapshot();
  },
  async audit() {
    await journal.audit();
  },
  /** As a fault of the disk, or of the program, would. */
  async spoil({ stream }) {
    database.run(`UPDATE log SET item = 'spoilt' WHERE stream = ?`, stream);
  },
};

async function serve({ request, to, ...input }) {
  try {
    say({ request, ...(await REQUESTS[to](input)) });
  } catch (error) {
    say({ request, error: { code: error.code, retryable: error.retryable, message: error.message } });
  }
}

say({ ready: journal.head() });
for await (const line of createInterface({ input: process.stdin })) void serve(JSON.parse(line));
await journal.close();
if (!connection.isClosed()) await connection.close();
