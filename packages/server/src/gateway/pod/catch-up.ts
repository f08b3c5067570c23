import { type ReplayEndPayload, type ReplayRequest, wildcard } from '@infold/protocol';
import { giveWay } from '../../kernel/background.ts';
import { beginningOf } from '../history/epochs.ts';
import {
  type HistoryPage,
  type HistoryQuery,
  matchOf,
  podByName,
  readHistory,
  type StoredEnvelope,
} from '../queries.ts';
import { splice } from '../wire/envelope.ts';
import { WireFrame } from '../wire/frame.ts';
import { payloadText } from '../wire/payload-text.ts';
import type { Member } from './member.ts';
import type { LivePod } from './state.ts';

/** A few milliseconds of work. */
const PAGE = 200;

/**
 * SUB-09: sends what was said after `since`, then lets the member hear what is said now. The last step happens in
 * one go, so that nothing falls between. What history does not have any more is announced as a gap.
 */
export async function catchUp(
  pod: LivePod,
  member: Member,
  since: number,
  epoch: string | undefined,
): Promise<void> {
  let place = since;
  const gap = (from: number, to: number) => pod.tell(member, 'system/gap', { from, to });
  try {
    const lived = lastOfLife(pod, since, epoch);
    if (lived < place) {
      // What the member saw is ahead of what is stored: that part went down with the process that sent it.
      gap(lived + 1, place);
      place = lived;
    }
    for (;;) {
      if (member.closed) return;
      const first = firstKept(pod, place);
      if (first > place + 1) {
        gap(place + 1, first - 1);
        place = first - 1;
      }
      place = sendPage(pod, member, place);
      if (place >= pod.seq) {
        pod.receivers.add(member);
        return;
      }
      await member.wire.drained();
      await giveWay();
    }
  } catch (error) {
    pod.services.failed(error);
    pod.leave(member, 1011, 'history cannot be read');
  }
}

/** The newest position that both the member's life of the pod and ours have in common. */
function lastOfLife(pod: LivePod, since: number, epoch: string | undefined): number {
  if (epoch === undefined || epoch === pod.epoch) return Math.min(since, pod.seq);
  const kept = pod.recent.after(since - 1)?.[0];
  if (kept?.seq === since && kept.epoch === epoch) return since;
  if (pod.mode !== 'durable') return 0;
  const { journal } = pod.services;
  const row = podByName(journal.database, pod.org, pod.name);
  if (!row || since <= row.trimmed) return Math.min(since, pod.seq);
  /** The last position of those that the first message from here on covers, where it is of that life. */
  const reaches = (position: number): number | undefined => {
    const { messages } = readHistory(journal, row.id, { since: position - 1, limit: 1, bytes: 0 });
    const [stored] = messages;
    return stored && stored.seq <= since && stored.epoch === epoch ? stored.seq : undefined;
  };
  if (reaches(since) !== undefined) return since;
  // What was stored of a life stands together, from where it began.
  let low = Math.min(beginningOf(epoch) ?? since - 1, pod.seq);
  for (let high = Math.min(since - 1, row.seq); low < high; ) {
    const middle = Math.ceil((low + high) / 2);
    const reached = reaches(middle);
    if (reached === undefined) high = middle - 1;
    else low = Math.max(middle, reached);
  }
  return low;
}

/** The first position after `place` that can still be sent. */
function firstKept(pod: LivePod, place: number): number {
  if (place >= pod.seq) return place + 1;
  if (pod.mode === 'none') return pod.seq + 1;
  const { oldest } = pod.recent;
  if (oldest !== undefined && oldest <= place + 1) return place + 1;
  if (pod.mode === 'durable') {
    const row = podByName(pod.services.journal.database, pod.org, pod.name);
    if (row && place < row.seq) return Math.max(place, row.trimmed) + 1;
  }
  return oldest ?? pod.seq + 1;
}

/** Sends a page, as far as there is room; answers the position that was reached. */
function sendPage(pod: LivePod, member: Member, from: number): number {
  let place = from;
  const { matches, directed } = pod.receivers.compile(member.filter);
  const recent = pod.recent.after(place);
  if (recent) {
    for (const message of recent) {
      if (!member.hasRoom) return place;
      place = message.seq;
      const isForMember = !directed || !message.to || message.to.includes(member.id);
      if (isForMember && matches(message)) member.send(message.frame);
    }
    return place;
  }
  if (pod.mode !== 'durable') return place;
  for (const stored of storedAfter(pod, place)) {
    if (!member.hasRoom) return place;
    place = stored.seq;
    const { envelope, type, seq, epoch } = stored;
    const message = { kind: envelope.kind, to: envelope.to, context: envelope.context?.id ?? null, type };
    const isForMember = !directed || !message.to || message.to.includes(member.id);
    if (!isForMember || !matches(message)) continue;
    member.send(new WireFrame(splice(JSON.stringify(envelope), { seq, epoch })));
  }
  return place;
}

function storedAfter(pod: LivePod, place: number): StoredEnvelope[] {
  const { journal, limits } = pod.services;
  const row = podByName(journal.database, pod.org, pod.name);
  if (!row) return [];
  return readHistory(journal, row.id, { since: place, limit: PAGE, bytes: limits.historyPageBytes }).messages;
}

/** What a replay or a REST call asks for. Memory is looked through where there is nothing stored. */
export async function queryHistory(pod: LivePod, query: HistoryQuery): Promise<HistoryPage> {
  if (pod.mode !== 'durable') return queryRecent(pod, query);
  await pod.services.writer.flushed();
  const { journal } = pod.services;
  const row = podByName(journal.database, pod.org, pod.name);
  return row ? readHistory(journal, row.id, query) : { messages: [], more: false };
}

/** What memory has of it. */
export function queryRecent(pod: LivePod, query: HistoryQuery): HistoryPage {
  const { since = 0, before = Number.MAX_SAFE_INTEGER } = query;
  const kind = query.kind === undefined ? undefined : wildcard(query.kind);
  const words =
    query.text === undefined
      ? undefined
      : matchOf(query.text)
          .toLowerCase()
          .match(/[^" ]+/g);
  const found: StoredEnvelope[] = [];
  let held = 0;
  for (const message of query.isNewestFirst ? pod.recent.all().reverse() : pod.recent.all()) {
    if (found.length >= query.limit || held > query.bytes) return { messages: found, more: true };
    if (message.seq <= since || message.seq >= before) continue;
    if (query.context !== undefined && message.context !== query.context) continue;
    if (query.type !== undefined && message.type !== query.type) continue;
    if (kind && !kind(message.kind)) continue;
    const { seq, epoch, ...envelope } = JSON.parse(message.frame.text) as StoredEnvelope['envelope'];
    const at = Date.parse(envelope.ts as string);
    if (query.from !== undefined && envelope.from !== query.from) continue;
    if (query.correlation !== undefined && envelope.correlation_id !== query.correlation) continue;
    if (query.after_time !== undefined && at < query.after_time) continue;
    if (query.before_time !== undefined && at >= query.before_time) continue;
    if (query.text !== undefined) {
      const text = payloadText(envelope.payload).toLowerCase();
      if (!words?.every((word) => text.includes(word))) continue;
    }
    const plain = envelope as StoredEnvelope['envelope'];
    found.push({ seq: seq!, epoch: epoch!, type: message.type, at, envelope: plain });
    held += message.frame.bytes;
  }
  return { messages: found, more: false };
}

/** `gateway/replay`: the messages again, marked as such, then how many there were. */
export async function replay(
  pod: LivePod,
  member: Member,
  request: ReplayRequest,
  id: string,
): Promise<void> {
  const { replayEnvelopes: most, historyPageBytes: bytes } = pod.services.limits;
  const wanted = Math.min(request.limit ?? most, most);
  let place = request.since ?? 0;
  let count = 0;
  let more = true;
  while (count < wanted && more && !member.closed) {
    const limit = Math.min(PAGE, wanted - count);
    const page = await queryHistory(pod, { ...historyQuery(request), since: place, limit, bytes });
    for (const { envelope, seq, epoch } of page.messages) {
      while (!member.hasRoom && !member.closed) await member.wire.drained();
      member.send(new WireFrame(splice(JSON.stringify(envelope), { seq, epoch, replay: true })));
      place = seq;
      count++;
    }
    more = page.more;
    await giveWay();
  }
  const end: ReplayEndPayload = { count, next: more ? place : null };
  pod.tell(member, 'system/replay', end, id);
}

export function historyQuery(request: ReplayRequest): Omit<HistoryQuery, 'limit' | 'bytes'> {
  const { after_time, before_time, limit: _limit, ...rest } = request;
  return {
    ...rest,
    ...(after_time === undefined ? {} : { after_time: Date.parse(after_time) }),
    ...(before_time === undefined ? {} : { before_time: Date.parse(before_time) }),
  };
}
