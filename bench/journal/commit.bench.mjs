import { join } from 'node:path';
import { configureConnection } from '../../packages/server/dist/journal/open.js';
import { JOURNAL_TABLES } from '../../packages/server/dist/journal/schema.js';
import { openDatabase } from '../../packages/server/dist/kernel/sqlite.js';
import { benchmark, interleave } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { ACTOR, BODY, INSERT_NOTE, NOTE_TABLE, noteProjection, noteWritten, openJournal } from './notes.mjs';

const ENTRY = 'SELECT * FROM journal_entry ORDER BY seq DESC LIMIT 1';
const INSERT_ENTRY = 'INSERT INTO journal_entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/**
 * What deciding, hashing and projecting add to the durable write itself. The floor writes the same columns to the
 * same tables with the same settings, and knows every value beforehand.
 */
export default benchmark({
  target: 'at most 2 × a bare SQLite transaction that inserts the same bytes',
  async run({ quick }) {
    const commits = quick ? 100 : 400;
    const journal = await openJournal(noteProjection);
    const commitOnce = () =>
      journal.commit({ stream: 'bench.notes', actor: ACTOR, decide: () => noteWritten(BODY) });
    await commitOnce();
    const bare = await bareTransactions(/** @type {any} */ (journal.database.get(ENTRY)));

    /** @type {{ ours: number[], floor: number[] }} */
    const cpu = { ours: [], floor: [] };
    const sampled = (/** @type {'ours' | 'floor'} */ side, /** @type {() => unknown} */ work) => async () => {
      const before = process.cpuUsage();
      const started = performance.now();
      for (let count = 0; count < commits; count++) await work();
      const elapsed = performance.now() - started;
      const { user, system } = process.cpuUsage(before);
      cpu[side].push((user + system) / commits);
      return (elapsed * 1000) / commits;
    };
    const warmup = 3;
    const elapsed = await interleave({
      rounds: quick ? 5 : 20,
      warmup,
      ours: sampled('ours', commitOnce),
      floor: sampled('floor', bare.insert),
    });
    bare.close();
    await journal.close();
    const against = 'bare SQLite transaction, same rows';
    return [
      {
        what: 'commit of one small entry with its projection',
        unit: 'µs',
        against,
        ...elapsed,
        limit: { ratioAtMost: 2 },
      },
      {
        what: 'the same, CPU only',
        unit: 'µs',
        against,
        ours: cpu.ours.slice(warmup),
        floor: cpu.floor.slice(warmup),
      },
    ];
  },
});

/** @param {Record<string, import('../../packages/server/dist/kernel/sqlite.js').SqlValue>} row */
async function bareTransactions(row) {
  const database = await openDatabase(join(temporaryFolder(), 'bare.db'));
  database.exec('PRAGMA journal_mode = WAL');
  configureConnection(database);
  database.exec(JOURNAL_TABLES + NOTE_TABLE);
  const { seq: _, id, chosen, stream, rev: __, ...rest } = row;
  const values = Object.values(rest);
  let seq = 0;
  return {
    insert() {
      seq++;
      database.exec('BEGIN IMMEDIATE');
      database.run(
        INSERT_ENTRY,
        seq,
        String(seq).padStart(String(id).length, '0'),
        chosen ?? 0,
        stream ?? '',
        seq,
        ...values,
      );
      database.run(INSERT_NOTE, seq, BODY);
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}
