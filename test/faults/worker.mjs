/**
 * A process that writes to a journal until it is done or killed. Each write that was acknowledged to it is a line
 * on stdout, written with a synchronous call: what the parent has read was acknowledged before the death.
 */
import { writeSync } from 'node:fs';
import { SqliteJournal } from '../../packages/server/dist/journal/sqlite.js';
import { entryIdForKey } from '../../packages/server/dist/kernel/ids.js';
import { counterOf, isLarge, PROJECTIONS } from './projection.mjs';

const order = JSON.parse(process.argv[2]);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

let hits = 0;
const journal = await SqliteJournal.open({
  folder: order.folder,
  projections: PROJECTIONS,
  limits: order.limits,
  onPoint: (point) => {
    if (order.kill?.point !== point || journal.head().seq < (order.kill.from ?? 0)) return;
    if (++hits === order.kill.hit) process.kill(process.pid, 'SIGKILL');
  },
  onError: (error) => say({ problem: `watching: ${error}` }),
});

let watched;
journal.watch((entry) => {
  if (watched !== undefined && entry.seq !== watched + 1)
    say({ problem: `watched ${entry.seq} after ${watched}` });
  watched = entry.seq;
});

const actor = { org: 'acme', principal: order.worker };

function request(number) {
  const name = counterOf(number);
  return {
    stream: `worker.${order.worker}`,
    actor,
    id: entryIdForKey('fault', order.worker, String(number)),
    group: number % 4 > 1,
    decide: (database) => {
      const value = (database.get('SELECT value FROM counter WHERE name = ?', name)?.value ?? 0) + 1;
      const padding =
        isLarge(number) && !order.small
          ? `${order.worker} ${number} `.repeat(60_000)
          : 'x'.repeat(number % 200);
      return {
        events: [
          { type: 'write.made', data: { worker: order.worker, number, padding } },
          { type: 'counter.set', data: { name, value } },
        ],
        answer: { value },
      };
    },
  };
}

/** Some commits write nothing, on purpose: refused, or found to be needless. */
async function writeNothing(number) {
  const common = { stream: `worker.${order.worker}`, actor, group: number % 2 === 0 };
  const { entry } = await journal.commit({ ...common, decide: () => ({ events: [], answer: null }) });
  if (entry) say({ problem: 'an empty decision made an entry' });
  const refuse = () => {
    throw new Error('refused');
  };
  const refusal = await journal.commit({ ...common, decide: refuse }).catch((error) => error);
  if (refusal.message !== 'refused') say({ problem: `refused with ${refusal}` });
}

async function write(number) {
  try {
    const { answer, entry, replayed } = await journal.commit(request(number));
    say({ number, value: answer.value, seq: entry.seq, replayed });
  } catch (error) {
    say({ failed: number, code: error.code, retryable: error.retryable, message: error.message });
    throw error;
  }
}

async function writeAll() {
  for (let number = order.from; number <= order.to; ) {
    // Those in a group are asked for at the same time, so that they do share a transaction.
    const together = [number++];
    while (number <= order.to && number % 4 > 1) together.push(number++);
    await Promise.all(together.map(write));
    if (number % 16 < 4) {
      await writeNothing(number);
      journal.entriesAfter(Math.max(0, journal.head().seq - 3), 3);
    }
  }
}

/** Writes go wrong here, and reads must not. */
async function writeUntilFailure() {
  for (let number = order.from; number <= order.to; number++) {
    try {
      await write(number);
    } catch {
      break;
    }
  }
  const { ok } = await journal.verify();
  const { count } = journal.database.get('SELECT count(*) AS count FROM made');
  say({ read: { head: journal.head().seq, entries: journal.entriesAfter(0, 100_000).length, count, ok } });
}

if (order.task === 'rebuild') {
  say({ begun: true });
  for (;;) await journal.rebuild();
} else if (order.task === 'write until failure') await writeUntilFailure();
else await writeAll();
await journal.close();
say({ done: true });
