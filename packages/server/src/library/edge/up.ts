import type { UploadedBatch, UploadedEntry } from '@infold/protocol';
import { giveWay } from '../../kernel/background.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { ChainPosition } from '../events.ts';
import { scrubEntry } from '../hub/scrub-events.ts';
import type { HubClient } from './client.ts';
import { fitted, selectEntry, selectMemory, type UploadSelection } from './select.ts';
import type { EdgeWork } from './work.ts';

const PAGE = 500;
/** So that a batch is one row of the hub's journal, and one durable write. */
const BATCH_BYTES = 200 * 1024;
/** Of one request: items are up to a megabyte. */
const MEMORY_BYTES = 1024 * 1024;
/** Times in one round that the hub may say that it is elsewhere. */
const TURNS = 3;
const NO_HASH = '0'.repeat(64);

export interface Uploaded {
  sent: number;
  memory: number;
  position: ChainPosition;
  /** Up to where there is nothing more to send. */
  looked: number;
  /** Why the hub did not take an item of memory. */
  refused: string[];
}

/** Sends what the hub does not have yet, from the position that it says. */
export async function uploadJournal(
  work: EdgeWork,
  client: HubClient,
  selection: UploadSelection,
  begin: { position: ChainPosition; looked: number },
): Promise<Uploaded> {
  const { journal } = work;
  const done: Uploaded = { sent: 0, memory: 0, position: begin.position, looked: begin.looked, refused: [] };
  await checkHistory(work, client, done.position);
  for (let turns = 0; ; ) {
    const batch = collect(work, selection, done);
    await sendMemory(client, batch.memory, done);
    if (batch.entries.length > 0) {
      const { position } = done;
      const last = batch.entries.at(-1)!;
      const upto = { seq: last.seq, hash: last.hash };
      try {
        const { accepted, position: reached } = await client.send(
          wholeBatch(work, { after: position, upto, entries: batch.entries }),
        );
        done.sent += accepted;
        done.position = { ...reached };
      } catch (error) {
        const elsewhere = positionIn(error);
        if (!elsewhere || ++turns > TURNS) throw error;
        done.position = elsewhere;
        done.looked = elsewhere.seq;
        await checkHistory(work, client, elsewhere);
        continue;
      }
    }
    done.looked = batch.looked;
    if (batch.isLast) return done;
    await giveWay();
    if (journal.head().seq <= done.looked) return done;
  }
}

/** As many items in one request as fit. What the hub cannot store is told, and does not hold up the rest. */
async function sendMemory(client: HubClient, memory: Collected['memory'], done: Uploaded): Promise<void> {
  const send = async (project: string, items: readonly object[]) => {
    if (items.length === 0) return;
    const { imported, bad } = await client.remember(project, items);
    done.memory += imported;
    done.refused.push(...bad.map(({ problem }) => problem));
  };
  let [project, bytes] = ['', 0];
  let waiting: object[] = [];
  for (const { project: next, items } of memory) {
    for (const item of items) {
      const size = Buffer.byteLength(JSON.stringify(item));
      if (next !== project || bytes + size > MEMORY_BYTES) {
        await send(project, waiting);
        [project, bytes, waiting] = [next, 0, []];
      }
      waiting.push(item);
      bytes += size;
    }
  }
  await send(project, waiting);
}

function wholeBatch(
  { edgeId, clock }: EdgeWork,
  { after, upto, entries }: Pick<UploadedBatch, 'after' | 'upto' | 'entries'>,
): UploadedBatch {
  return { edge: edgeId, after: { seq: after.seq, hash: after.hash }, upto, now: clock(), entries };
}

/**
 * The journal must still have the entry that the hub says it has. Where not, the hub is told what is there instead, and nothing
 * else: it puts that on record, and its answer is what is wrong.
 */
async function checkHistory(work: EdgeWork, client: HubClient, { seq, hash }: ChainPosition): Promise<void> {
  const own = work.journal.hashAt(seq) ?? NO_HASH;
  if (own === hash) return;
  const told = { seq, hash: own };
  await client.send(wholeBatch(work, { after: told, upto: told, entries: [] }));
  throw new InfoldError(
    'history_changed',
    `This journal is not what the hub was sent before, at position ${seq}; "infold hub join" begins a new line`,
  );
}

/** How many entries wait to be sent, counted up to `most`. */
export function countWaiting(
  work: Pick<EdgeWork, 'journal'>,
  selection: UploadSelection,
  after: number,
  most: number,
): number {
  let count = 0;
  for (let seq = after; ; ) {
    const page = work.journal.entriesAfter(seq, PAGE);
    for (const entry of page) {
      if (selectEntry(entry, NO_HASH, selection) || selectMemory(entry, selection).length > 0) count++;
    }
    if (page.length < PAGE || count >= most) return count;
    seq = page.at(-1)!.seq;
  }
}

interface Collected {
  entries: UploadedEntry[];
  memory: ReturnType<typeof selectMemory>;
  looked: number;
  isLast: boolean;
}

/** The next entries that belong together. Memory is sent before the position moves past it. */
function collect(
  { journal, scrubber, limits }: EdgeWork,
  selection: UploadSelection,
  { position, looked }: Pick<Uploaded, 'position' | 'looked'>,
): Collected {
  const collected: Collected = {
    entries: [],
    memory: [],
    looked: Math.max(position.seq, looked),
    isLast: false,
  };
  let bytes = 0;
  for (;;) {
    const page = journal.entriesAfter(collected.looked, PAGE);
    for (const entry of page) {
      const selected = selectEntry(entry, journal.hashAt(entry.seq)!, selection);
      if (selected) {
        const clean = fitted(scrubEntry(scrubber, selected));
        const size = Buffer.byteLength(JSON.stringify(clean));
        const isFull = bytes + size > BATCH_BYTES || collected.entries.length >= limits.hubBatchEntries;
        if (isFull && collected.entries.length > 0) return collected;
        collected.entries.push(clean);
        bytes += size;
      }
      collected.memory.push(...selectMemory(entry, selection));
      collected.looked = entry.seq;
      if (collected.memory.length >= PAGE) return collected;
    }
    if (page.length < PAGE) return { ...collected, isLast: true };
  }
}

function positionIn(error: unknown): ChainPosition | undefined {
  if (!InfoldError.isInstance(error) || error.code !== 'position_mismatch') return undefined;
  const { seq, hash } = (error.details?.position ?? {}) as Partial<ChainPosition>;
  const isPosition = Number.isInteger(seq) && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
  return isPosition ? { seq: seq!, hash } : undefined;
}
