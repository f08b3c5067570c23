import { type UploadedBatch, type UploadedEntry, uploadedEntry } from '@infold/protocol';
import type { Entry } from '../../journal/journal.ts';
import { giveWay } from '../../kernel/background.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import type { ChainPosition, HubHeld } from '../events.ts';
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

/** How far an upload is. */
export interface Upload {
  sent: number;
  memory: number;
  position: ChainPosition;
  /** Up to where there is nothing more to send. */
  looked: number;
  /** Why the hub did not take an item of memory. */
  refused: string[];
  /** Why entries were passed over: the position moves on without what they say. */
  withheld: string[];
}

/** What the hub does not take of one project, whatever else it takes. */
export interface HeldUp {
  what: HubHeld['what'];
  /** Of the hub. */
  project: string;
  problem: string;
}

/**
 * Sends what the hub does not have yet, from the position that it says; nothing up to `from`, whatever it says. Ends where the hub
 * does not take something, before anything after it was sent.
 */
export async function uploadJournal(
  work: EdgeWork,
  client: HubClient,
  selection: UploadSelection,
  from: number,
  done: Upload,
): Promise<HeldUp | undefined> {
  const { journal } = work;
  await checkHistory(work, client, done.position);
  done.looked = Math.max(done.looked, from);
  for (let turns = 0; ; ) {
    const batch = await collect(work, selection, done);
    try {
      const refusal =
        (await sendMemory(client, batch.memory, done)) ??
        (await sendEntries(work, client, batch.entries, done));
      if (refusal) return refusal;
    } catch (error) {
      const elsewhere = positionIn(error);
      if (!elsewhere || ++turns > TURNS) throw error;
      done.position = elsewhere;
      done.looked = Math.max(elsewhere.seq, from);
      await checkHistory(work, client, elsewhere);
      continue;
    }
    done.withheld.push(...batch.withheld);
    done.looked = batch.looked;
    if (batch.isLast) return undefined;
    await giveWay();
    if (journal.head().seq <= done.looked) return undefined;
  }
}

/** Codes of answers that are about what a batch holds; the same in smaller batches may be taken, but for some of it. */
const ABOUT_ENTRIES = ['too_large', 'secret_identifier', 'invalid_arguments', 'project_denied'];

/**
 * A batch that the hub does not take as it is goes in halves. An entry that it can never take, alone, is passed over. One that it
 * does not understand waits, with all that come after it: a newer hub may. Those of a project that it refuses are for the caller to keep.
 */
async function sendEntries(
  work: EdgeWork,
  client: HubClient,
  entries: readonly UploadedEntry[],
  done: Upload,
): Promise<HeldUp | undefined> {
  const last = entries.at(-1);
  if (!last) return undefined;
  const upto = { seq: last.seq, hash: last.hash };
  try {
    const batch = wholeBatch(work, { after: done.position, upto, entries: [...entries] });
    const { accepted, position } = await client.send(batch);
    done.sent += accepted;
    done.position = { ...position };
    return undefined;
  } catch (error) {
    const code = InfoldError.isInstance(error) ? error.code : '';
    if (!ABOUT_ENTRIES.includes(code) || (entries.length === 1 && code === 'invalid_arguments')) throw error;
    const isOfOneProject = entries.every(({ project }) => project === last.project);
    if (code === 'project_denied' && isOfOneProject) {
      return { what: 'evidence', project: last.project, problem: messageOf(error) };
    }
    if (entries.length === 1) {
      done.withheld.push(withheldAt(last.seq, messageOf(error)));
      return undefined;
    }
    const half = Math.ceil(entries.length / 2);
    return (
      (await sendEntries(work, client, entries.slice(0, half), done)) ??
      (await sendEntries(work, client, entries.slice(half), done))
    );
  }
}

const withheldAt = (seq: number, why: string) => `entry ${seq}: ${why}`;

/** As many items in one request as fit. What the hub cannot store is told, and does not hold up the rest. */
async function sendMemory(
  client: HubClient,
  memory: Collected['memory'],
  done: Upload,
): Promise<HeldUp | undefined> {
  let [project, bytes] = ['', 0];
  let waiting: object[] = [];
  for (const { project: next, items } of memory) {
    for (const item of items) {
      const size = Buffer.byteLength(JSON.stringify(item));
      if (next !== project || bytes + size > MEMORY_BYTES) {
        const refusal = await sendItems(client, project, waiting, done);
        if (refusal) return refusal;
        [project, bytes, waiting] = [next, 0, []];
      }
      waiting.push(item);
      bytes += size;
    }
  }
  return sendItems(client, project, waiting, done);
}

async function sendItems(
  client: HubClient,
  project: string,
  items: readonly object[],
  done: Upload,
): Promise<HeldUp | undefined> {
  if (items.length === 0) return undefined;
  try {
    const { imported, bad } = await client.remember(project, items);
    done.memory += imported;
    done.refused.push(...bad.map(({ problem }) => problem));
    return undefined;
  } catch (error) {
    if (!InfoldError.isInstance(error) || error.code === 'hub_unreachable') throw error;
    if (error.code !== 'too_large') return { what: 'memory', project, problem: error.message };
    if (items.length === 1) {
      done.refused.push(error.message);
      return undefined;
    }
    const half = Math.ceil(items.length / 2);
    return (
      (await sendItems(client, project, items.slice(0, half), done)) ??
      (await sendItems(client, project, items.slice(half), done))
    );
  }
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
export async function countWaiting(
  work: Pick<EdgeWork, 'journal'>,
  selection: UploadSelection,
  after: number,
  most: number,
): Promise<number> {
  let count = 0;
  for (let seq = after; ; ) {
    const page = work.journal.entriesAfter(seq, PAGE);
    for (const entry of page) {
      if (selectEntry(entry, NO_HASH, selection) || selectMemory(entry, selection).length > 0) count++;
    }
    if (page.length < PAGE || count >= most) return count;
    seq = page.at(-1)!.seq;
    await giveWay();
  }
}

interface Collected {
  entries: UploadedEntry[];
  withheld: string[];
  memory: ReturnType<typeof selectMemory>;
  looked: number;
  isLast: boolean;
}

/** The next entries that belong together. Memory is sent before the position moves past it. */
async function collect(
  work: EdgeWork,
  selection: UploadSelection,
  { position, looked }: Pick<Upload, 'position' | 'looked'>,
): Promise<Collected> {
  const { journal, limits } = work;
  const collected: Collected = {
    entries: [],
    withheld: [],
    memory: [],
    looked: Math.max(position.seq, looked),
    isLast: false,
  };
  let bytes = 0;
  for (;;) {
    const page = journal.entriesAfter(collected.looked, PAGE);
    for (const entry of page) {
      const selected = sendable(work, entry, selection);
      if (typeof selected === 'string') collected.withheld.push(withheldAt(entry.seq, selected));
      else if (selected) {
        const size = Buffer.byteLength(JSON.stringify(selected));
        const isFull = bytes + size > BATCH_BYTES || collected.entries.length >= limits.hubBatchEntries;
        if (isFull && collected.entries.length > 0) return collected;
        collected.entries.push(selected);
        bytes += size;
      }
      collected.memory.push(...selectMemory(entry, selection));
      collected.looked = entry.seq;
      if (collected.memory.length >= PAGE) return collected;
    }
    if (page.length < PAGE) return { ...collected, isLast: true };
    await giveWay();
  }
}

/** An entry as it can be sent, or why it never can; undefined where nothing of it is selected. */
function sendable(
  { journal, scrubber }: EdgeWork,
  entry: Entry,
  selection: UploadSelection,
): UploadedEntry | string | undefined {
  const selected = selectEntry(entry, journal.hashAt(entry.seq)!, selection);
  if (!selected) return undefined;
  try {
    const clean = fitted(scrubEntry(scrubber, selected));
    const { error } = uploadedEntry.safeParse(clean);
    return error ? `${error.issues[0]!.path.join('.')}: ${error.issues[0]!.message}` : clean;
  } catch (error) {
    if (!InfoldError.isInstance(error) || error.code !== 'secret_identifier') throw error;
    return error.message;
  }
}

function positionIn(error: unknown): ChainPosition | undefined {
  if (!InfoldError.isInstance(error) || error.code !== 'position_mismatch') return undefined;
  const { seq, hash } = (error.details?.position ?? {}) as Partial<ChainPosition>;
  const isPosition = Number.isInteger(seq) && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
  return isPosition ? { seq: seq!, hash } : undefined;
}
