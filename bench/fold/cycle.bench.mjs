import { join } from 'node:path';
import { configureConnection } from '../../packages/server/dist/journal/open.js';
import { openDatabase } from '../../packages/server/dist/kernel/sqlite.js';
import { benchmark, interleave } from '../harness.mjs';
import { Agent, startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';

const OPERATIONS = 10;
/** Branch, operations, return: each a durable write of its own. */
const WRITES = OPERATIONS + 2;

/** Whole fold cycles through the tools, against as many bare transactions of as many bytes. */
export default benchmark({
  target: 'at least 0.5 × the rate of bare SQLite transactions',
  async run({ quick }) {
    const cycles = quick ? 10 : 40;
    const services = await startServices();
    const agent = await new Agent(services, '/bench/cycle').begin();
    const cycle = async () => {
      await agent.branch();
      for (let count = 0; count < OPERATIONS; count++) await agent.operate();
      await agent.fold();
    };
    await cycle();
    const bare = await bareCycle(entrySizes(services.journal.database));
    const perSecond = (/** @type {() => unknown} */ work) => async () => {
      const started = performance.now();
      for (let count = 0; count < cycles; count++) await work();
      return (cycles * 1000) / (performance.now() - started);
    };
    const samples = await interleave({
      rounds: quick ? 5 : 20,
      warmup: 3,
      ours: perSecond(cycle),
      floor: perSecond(bare.cycle),
    });
    bare.close();
    await services.journal.close();
    return [
      {
        what: 'durable fold cycles (branch, 10 operations, return), in process',
        unit: 'cycles/s',
        against: `${WRITES} bare SQLite transactions, same bytes`,
        ...samples,
        limit: { ratioAtLeast: 0.5 },
      },
    ];
  },
});

/**
 * What a cycle stores: each entry with all of its columns, and for an operation its row in the branch's list.
 *
 * @param {import('../../packages/server/dist/kernel/sqlite.js').Database} database
 */
function entrySizes(database) {
  const row = 'length(data) + length(id) + length(stream) + length(actor) + 16 + 32 + 32 + 24';
  return database
    .all(`SELECT ${row} + 80 AS size FROM journal_entry ORDER BY seq DESC LIMIT ?`, WRITES)
    .map((entry) => Number(entry.size));
}

/** @param {number[]} sizes */
async function bareCycle(sizes) {
  const database = await openDatabase(join(temporaryFolder(), 'bare.db'));
  database.exec('PRAGMA journal_mode = WAL');
  configureConnection(database);
  database.exec('CREATE TABLE entry (seq INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT');
  const texts = sizes.map((size) => 'x'.repeat(size));
  return {
    cycle() {
      for (const text of texts) {
        database.exec('BEGIN IMMEDIATE');
        database.run('INSERT INTO entry (data) VALUES (?)', text);
        database.exec('COMMIT');
      }
    },
    close: () => database.close(),
  };
}
