import { FORGOTTEN, type Forgotten, type Journal, type JournalEvent } from '../../journal/journal.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { podStream } from '../../trust/streams.ts';
import { EXPIRED_TEXT } from '../projection.ts';
import { allPods, type PodRow } from '../queries.ts';
import { summaryText } from '../wire/payload-text.ts';

const DAY = 24 * 60 * 60_000;
/** Entries that one commit erases. */
const PORTION = 500;

/** Takes old messages out of history and out of the journal; the chain still verifies. */
export async function trimHistory(
  journal: Journal,
  { days, count }: { days: number | undefined; count: number | undefined },
  now: number,
): Promise<void> {
  if (days === undefined && count === undefined) return;
  for (const pod of allPods(journal.database)) {
    while ((await trimPod(journal, pod, days === undefined ? 0 : now - days * DAY, count)) === PORTION);
  }
}

async function trimPod(
  journal: Journal,
  pod: PodRow,
  before: number,
  count: number | undefined,
): Promise<number> {
  const { org, name } = pod;
  const { answer } = await journal.commit({
    stream: podStream(org, name),
    actor: { org, principal: 'system:gateway' },
    decide: (database) => {
      const seqs = oldEntries(database, pod.id, before, count);
      if (seqs.length === 0) return { events: [], answer: 0 };
      const entries = journal.entriesAt(seqs);
      const through = Math.max(...entries.flatMap(({ events }) => events.map(positionOf)));
      const others = [
        ...submissions(database, org, name, through),
        ...conclusions(database, pod.id, through),
      ];
      const left = [...entries, ...journal.entriesAt(others)].map((entry) => ({
        seq: entry.seq,
        events: entry.events.map((event) => leftOf(event, through)),
      }));
      const forgotten: Forgotten = { target: { kind: 'pod', id: name }, entries: left };
      const events: JournalEvent[] = [
        { type: FORGOTTEN, data: forgotten },
        { type: 'history.trimmed', data: { org, pod: name, through } },
      ];
      return { events, answer: seqs.length, erase: left.map(({ seq }) => seq) };
    },
  });
  return answer;
}

/** Entries all of whose messages are old: too old, or too many newer ones. */
function oldEntries(database: Database, pod: number, before: number, count: number | undefined): number[] {
  return database
    .all<{ entry: number }>(
      `SELECT entry FROM gateway_envelope WHERE pod = ?1 GROUP BY entry
       HAVING max(at) < ?2 OR max(seq) <= (SELECT max(seq) FROM gateway_envelope WHERE pod = ?1) - ?3
       ORDER BY min(seq) LIMIT ?4`,
      pod,
      before,
      count ?? Number.MAX_SAFE_INTEGER,
      PORTION,
    )
    .map(({ entry }) => entry);
}

/** What was handed in by other processes holds the same words. */
function submissions(database: Database, org: string, pod: string, through: number): number[] {
  return database
    .all<{ entry: number }>(
      'SELECT DISTINCT entry FROM gateway_submitted WHERE org = ? AND pod = ? AND seq <= ?',
      org,
      pod,
      through,
    )
    .map(({ entry }) => entry);
}

/** Summaries of what goes, less those that are remembered. */
function conclusions(database: Database, pod: number, through: number): number[] {
  return database
    .all<{ entry: number }>(
      'SELECT DISTINCT entry FROM gateway_conclusion WHERE pod = ? AND last_source <= ? AND remembered = 0',
      pod,
      through,
    )
    .map(({ entry }) => entry);
}

function positionOf({ type, data }: JournalEvent): number {
  return type === 'envelope.accepted' ? data.seq : 0;
}

/** Contexts keep their figures; what was said goes, and with it messages outside of any context. */
function leftOf(event: JournalEvent, through: number): JournalEvent {
  // Something stays in its place: other events of the entry are found by theirs.
  if (event.type === 'envelope.submitted') return { type: 'envelope.expired', data: {} };
  if (event.type === 'context.concluded') {
    const { remember, sources, summary } = event.data;
    const stays = remember !== undefined || summary === null || (sources.at(-1) ?? 0) > through;
    return stays ? event : { type: event.type, data: { ...event.data, summary: EXPIRED_TEXT } };
  }
  if (event.type !== 'envelope.accepted') return event;
  const { envelope, org, pod, seq, epoch, at, mirrors } = event.data;
  if (!envelope.context) {
    const accepted = { org, pod, seq, epoch, at, ...(mirrors ? { mirrors } : {}) };
    return { type: 'envelope.expired', data: { accepted } };
  }
  const { id, type, parent, metadata } = envelope.context;
  const context = {
    id,
    ...(type === undefined ? {} : { type }),
    ...(parent === undefined ? {} : { parent }),
    ...(metadata === undefined ? {} : { metadata: {} }),
  };
  const { protocol, ts, from, kind } = envelope;
  const payload = summaryText(envelope.payload) === null ? {} : { payload: EXPIRED_TEXT };
  const data = {
    ...event.data,
    envelope: { protocol, id: envelope.id, ts, from, kind, context, ...payload },
  };
  return { type: event.type, data };
}
