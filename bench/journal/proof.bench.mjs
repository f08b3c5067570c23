import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '@infold/protocol';
import {
  actorText,
  bodyDigest,
  entryHash,
  GENESIS,
} from '../../packages/server/dist/journal/integrity/chain.js';
import { Checkpoints } from '../../packages/server/dist/journal/integrity/checkpoints.js';
import { problemOf, readProof } from '../../packages/server/dist/journal/integrity/proof.js';
import { SqliteJournal } from '../../packages/server/dist/journal/sqlite.js';
import { uuidV7 } from '../../packages/server/dist/kernel/ids.js';
import { benchmark, interleave, time } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { ACTOR, BODY, noteProjection, noteWritten, openJournal } from './notes.mjs';

const FIRST = fileURLToPath(new URL('./first-verification.mjs', import.meta.url));
const PROBE = fileURLToPath(new URL('./idle.mjs', import.meta.url));
const STREAM = 'session.local=3Aowner.proj_0123456789abcdef.sess_0123456789abcdef01234567';
const INSERT = `INSERT INTO journal_entry (seq, id, chosen, stream, rev, at, actor, cause, salt, data, digest, hash)
  VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const { follow, make } = Checkpoints.prototype;

/** What one entry among a million costs to prove, and what the checkpoints cost those who write. */
export default benchmark({
  target:
    'proof of one entry among 1,000,000: ≤ 4 kB, verified in ≤ 5 ms; commits ≤ 1.05 × without checkpoints',
  async run({ quick }) {
    const entries = quick ? 20_500 : 1_000_500;
    const rounds = quick ? 5 : 20;
    const folder = temporaryFolder();
    await fill(folder, entries);
    const making = await makeAll(folder);
    const journal = await open(folder);

    const random = () => 1 + Math.floor(Math.random() * entries);
    /** @type {{ bytes: number[], warm: number[], first: number[], prove: number[] }} */
    const taken = { bytes: [], warm: [], first: [], prove: [] };
    for (let round = 0; round < rounds; round++) {
      // Some under the last checkpoint, some newer than that.
      const seq = round % 5 === 4 ? entries - (round % 400) : random();
      const started = performance.now();
      const proof = await journal.prove(seq);
      taken.prove.push(performance.now() - started);
      const text = `${JSON.stringify(proof, null, 2)}\n`;
      taken.bytes.push(Buffer.byteLength(text));
      const file = join(folder, `proof-${round}.json`);
      writeFileSync(file, text);
      taken.first.push(Number(execFileSync(process.execPath, [FIRST, file], { encoding: 'utf8' })));
      const verify = await time(() => {
        const read = readProof(text);
        if (!read || problemOf(read)) throw new Error('The proof does not hold');
      });
      taken.warm.push(verify);
    }
    const whole = await time(async () => {
      const report = await journal.verify();
      if (!report.ok || report.checkpoints !== Math.floor(entries / 1000))
        throw new Error('It does not verify');
    });
    await journal.close();

    const allowed = (/** @type {number[]} */ ours, /** @type {number} */ most) => ({
      against: 'the most that is allowed',
      ours,
      floor: ours.map(() => most),
      limit: { ratioAtMost: 1 },
    });
    const among = `one entry among ${entries.toLocaleString('en')}`;
    return [
      { what: `proof of ${among}`, unit: 'bytes', ...allowed(taken.bytes, 4000) },
      { what: 'verifying it without the journal', unit: 'ms', ...allowed(taken.warm, 5) },
      {
        what: 'the first verification of a process, nothing compiled yet',
        unit: 'ms',
        ...allowed(taken.first, 5),
      },
      {
        what: `proving ${among}`,
        unit: 'ms',
        against: '`verify` of the whole journal',
        ours: taken.prove,
        floor: taken.prove.map(() => whole),
      },
      {
        what: 'longest stall while a folder that had none gets its checkpoints',
        unit: 'ms',
        against: 'a process that does nothing, in the same seconds',
        ours: [making.stall],
        floor: [making.machine],
        limit: { atMost: 100 },
      },
      {
        what: 'opening that folder',
        unit: 'ms',
        against: 'opening it when they are made',
        ours: [making.open],
        floor: [making.openAgain],
      },
      ...(await commits(quick, 1)),
      ...(await commits(quick, 200)),
    ];
  },
});

/** @param {string} folder */
function open(folder) {
  return SqliteJournal.open({ folder, projections: [noteProjection], limits: LIMITS });
}

/**
 * A journal as an earlier version left it: chained, and without checkpoints. Its entries are small, because what they say does not matter here.
 *
 * @param {string} folder
 * @param {number} entries
 */
async function fill(folder, entries) {
  const journal = await open(folder);
  const { database } = journal;
  database.exec('PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
  const insert = database.sql(INSERT);
  const data = JSON.stringify({ events: [{ type: 'note.written', data: { body: 'A remark' } }] });
  const actor = actorText(ACTOR);
  /** @type {string | null} */
  let cause = null;
  /** @type {Uint8Array} */
  let hash = GENESIS;
  for (let seq = 1; seq <= entries; seq++) {
    const salt = Buffer.alloc(16, seq % 251);
    const digest = bodyDigest({ salt, data });
    const id = uuidV7();
    const at = 1_760_000_000_000 + seq;
    const header = { seq, id, stream: STREAM, rev: seq, at, actor, cause, digest };
    hash = entryHash(hash, header);
    insert.run(seq, id, STREAM, seq, at, actor, cause, salt, data, digest, hash);
    cause = id;
  }
  database.run('UPDATE journal_head SET seq = ?, hash = ? WHERE one = 1', entries, hash);
  database.exec('COMMIT');
  await journal.close();
}

/**
 * Opens the folder and waits until all checkpoints are made. A process that does nothing tells what the machine itself
 * makes a process stand still meanwhile.
 *
 * @param {string} folder
 */
async function makeAll(folder) {
  const idle = fork(PROBE, { env: { ...process.env, BENCH_STALLS: '1' } });
  const keptAlive = once(idle, 'spawn');
  let started = performance.now();
  const journal = await open(folder);
  const opened = performance.now() - started;
  await keptAlive;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  idle.send('stall');
  await once(idle, 'message');
  delay.reset();
  started = performance.now();
  await journal.checkpoint();
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  idle.send('stall');
  const [machine] = await once(idle, 'message');
  idle.kill();
  await journal.close();
  started = performance.now();
  const again = await open(folder);
  const openAgain = performance.now() - started;
  await again.close();
  process.stderr.write(`all checkpoints were made in ${seconds.toFixed(1)} s\n`);
  return { stall: Math.max(0, delay.max / 1e6 - 1), machine: Number(machine), open: opened, openAgain };
}

/**
 * What checkpoints cost those who write: in groups, where a commit costs least, and each in a transaction of its own. The
 * floor makes none.
 *
 * @param {boolean} quick
 * @param {number} group commits that are asked for at once
 */
async function commits(quick, group) {
  // As often in turns as there is time for: on a busy machine, what slows one side has passed when the other has its turn.
  const count = 1000;
  const rounds = quick ? 5 : group > 1 ? 120 : 30;
  const [ours, floor] = [await openJournal(noteProjection), await openJournal(noteProjection)];
  /** @type {{ ours: number[], floor: number[] }} */
  const cpu = { ours: [], floor: [] };
  const sampled = (/** @type {'ours' | 'floor'} */ side) => async () => {
    const journal = side === 'ours' ? ours : floor;
    Object.assign(
      Checkpoints.prototype,
      side === 'ours' ? { follow, make } : { follow() {}, async make() {} },
    );
    const commit = () =>
      journal.commit({
        stream: 'bench.notes',
        actor: ACTOR,
        group: group > 1,
        decide: () => noteWritten(BODY),
      });
    const before = process.cpuUsage();
    const started = performance.now();
    for (let written = 0; written < count; written += group) {
      await Promise.all(Array.from({ length: group }, commit));
    }
    await journal.checkpoint();
    const elapsed = performance.now() - started;
    const { user, system } = process.cpuUsage(before);
    cpu[side].push((user + system) / count);
    return (elapsed * 1000) / count;
  };
  const warmup = 2;
  const elapsed = await interleave({ rounds, warmup, ours: sampled('ours'), floor: sampled('floor') });
  const made = ours.database.get('SELECT count(*) AS made FROM journal_checkpoint')?.made;
  if (made !== ((rounds + warmup) * count) / 1000) throw new Error(`${made} checkpoints were made`);
  await ours.close();
  await floor.close();
  // In a group a commit costs so little that two hashes show; that row informs.
  const limit = group > 1 ? {} : { limit: { ratioAtMost: 1.05 } };
  const shared = { unit: 'µs', against: 'without checkpoints', ...limit };
  return [
    {
      what: `commit ${group > 1 ? 'in a group' : 'of one entry'}, checkpoints included`,
      ...shared,
      ...elapsed,
    },
    { what: 'the same, CPU only', ...shared, ours: cpu.ours.slice(warmup), floor: cpu.floor.slice(warmup) },
  ];
}
