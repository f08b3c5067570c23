import type { BranchFolded } from '../../fold/events.ts';
import { branchById } from '../../fold/queries.ts';
import { type ContextConcluded, contextItemId } from '../../gateway/events.ts';
import { FORGOTTEN, type JournalEvent } from '../../journal/journal.ts';
import type { EventPlace, Projection } from '../../journal/projections/projector.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { reportItemId } from '../../library/events.ts';
import { FORGOTTEN_TEXT } from '../../trust/forget.ts';
import { type Session, sessionById } from '../../trust/sessions/queries.ts';
import type { ItemsStored, MemoryPlace, StoredItem } from '../events.ts';
import { itemInPartition, partitionAt } from '../queries.ts';
import { ENTRY_ROWS, PARTITION_SIZE, TABLES } from './tables.ts';
import { ItemWriter, relate, removeItem, supersede, unrelate } from './writer.ts';

/** Each part of an entry has rows of its own, so that what is forgotten of one does not move the others. */
function store(
  database: Database,
  { org, place, items }: ItemsStored,
  { entry, index }: EventPlace,
  part = 0,
  parts = 1,
): void {
  const { seq, at, events } = entry;
  const rows = Math.floor(ENTRY_ROWS / (events.length * parts));
  const first = seq * ENTRY_ROWS + (index * parts + part) * rows;
  const writer = new ItemWriter(database, org, place, first, rows);
  for (const item of items) writer.write(item, at, seq);
  writer.finish();
}

/**
 * What another door brought. Of what was forgotten since, the day and the place stay known, as they do where it is forgotten
 * later: a rebuild gives the tables that there were (KERN-04).
 */
function storeResult(
  database: Database,
  org: string,
  place: MemoryPlace,
  item: StoredItem,
  at: EventPlace,
  part?: number,
  parts?: number,
): void {
  const { id, kind, origin } = item;
  const kept = isGone(item.content)
    ? { id, kind, origin, content: '', at: at.entry.at, forgotten: { rows: 0 } }
    : { ...item, at: at.entry.at };
  store(database, { org, place, items: [kept] }, at, part, parts);
}

function remove(database: Database, org: string, place: MemoryPlace, ids: readonly string[]): void {
  const partition = partitionAt(database, org, place);
  if (!partition) return;
  for (const id of ids) {
    const item = itemInPartition(database, partition.number, id);
    if (item) removeItem(database, item.row);
  }
}

function projectPlace(projectId: string): MemoryPlace {
  return { scope: 'project', project_id: projectId, principal: '', agent_id: '' };
}

function contextPlace({ remember }: ContextConcluded): MemoryPlace {
  const project = remember?.project_id ?? null;
  if (project !== null) return projectPlace(project);
  return { scope: 'organisation', project_id: '', principal: '', agent_id: '' };
}

/** Items that are gone by what is left of an event. */
function forgetWith(database: Database, { type, data }: JournalEvent, seq: number, index: number): void {
  if (type === 'memory.remembered' || type === 'memory.imported') {
    const gone = data.items.filter((item) => item.forgotten).map(({ id }) => id);
    remove(database, data.org, data.place, gone);
    return;
  }
  if (type === 'finding.stored') {
    const gone = data.findings.filter(({ finding }) => isGone(finding)).map(({ id }) => id);
    remove(database, data.org, projectPlace(data.project_id), gone);
    return;
  }
  if (type === 'context.concluded') {
    const { org, summary, remember } = data;
    if (!remember || !isGone(summary ?? '')) return;
    const partition = partitionAt(database, org, contextPlace(data));
    const item = partition && itemInPartition(database, partition.number, contextItemId(data));
    // The context may have concluded again since, with something else.
    if (item && Math.floor((item.row % PARTITION_SIZE) / ENTRY_ROWS) === seq) removeItem(database, item.row);
    return;
  }
  const isSummary = type === 'branch.folded' || type === 'branch.returned_late';
  if (!isSummary && type !== 'attest.agent_report') return;
  const session = sessionById(database, data.session_id);
  if (!session || !isGone(data.summary)) return;
  if (isSummary) {
    remove(database, session.org, branchPlace(database, session, data.branch_id), [data.branch_id]);
  } else remove(database, session.org, projectPlace(session.project_id), [reportItemId(seq, index)]);
}

/** A branch's summary is memory of the branch's own project. */
function branchPlace(database: Database, session: Session, branchId: string): MemoryPlace {
  return projectPlace(branchById(database, branchId)?.project_id ?? session.project_id);
}

function isGone(summary: string): boolean {
  return summary.trim() === '' || summary === FORGOTTEN_TEXT;
}

function rememberBranch(
  database: Database,
  fold: Pick<BranchFolded, 'session_id' | 'branch_id' | 'summary'>,
  at: EventPlace,
): void {
  const session = sessionById(database, fold.session_id);
  if (!session) return;
  const branch = branchById(database, fold.branch_id);
  const place = branchPlace(database, session, fold.branch_id);
  const item = {
    id: fold.branch_id,
    kind: 'session',
    ...(branch && branch.description.trim() !== '' ? { title: branch.description } : {}),
    content: fold.summary,
    origin: 'fold',
    source: `infold://branch/${fold.branch_id}`,
    thread: fold.session_id,
    metadata: { session_id: fold.session_id, principal: session.principal },
  };
  remove(database, session.org, place, [fold.branch_id]);
  storeResult(database, session.org, place, item, at);
}

export const memoryProjection: Projection = {
  name: 'memory',
  version: 6,
  tables: TABLES,
  on: {
    'memory.remembered': (database, data, place) => store(database, data, place),
    'memory.imported': (database, data, place) => store(database, data, place),

    'memory.related': (database, { org, place, id, relation }) => {
      const partition = partitionAt(database, org, place);
      if (!partition) return;
      const item = itemInPartition(database, partition.number, id);
      if (item) relate(database, org, partition, item, relation);
      // What a forgotten item had superseded stays superseded.
      else supersede(database, org, partition, { id }, relation);
    },

    'memory.unrelated': (database, { org, place, id, relation }) => {
      const partition = partitionAt(database, org, place);
      if (partition) unrelate(database, org, partition, id, relation);
    },

    [FORGOTTEN]: (database, { entries }) => {
      for (const { seq, events } of entries) {
        for (const [index, event] of events.entries()) forgetWith(database, event, seq, index);
      }
    },

    // FOLD-11: what a branch came to is memory of its project, under the branch's own id.
    'branch.folded': rememberBranch,
    'branch.returned_late': rememberBranch,

    // What an agent submitted at the end of a turn.
    'attest.agent_report': (database, { session_id, summary }, at) => {
      const session = sessionById(database, session_id);
      if (!session) return;
      const item = {
        id: reportItemId(at.entry.seq, at.index),
        kind: 'session',
        content: summary,
        origin: 'library',
        source: `infold://session/${session_id}`,
        thread: session_id,
        metadata: { session_id, principal: session.principal },
      };
      storeResult(database, session.org, projectPlace(session.project_id), item, at);
    },

    // SUB-11: what was reasoned in a pod, where the pod wants it kept.
    'context.concluded': (database, concluded, at) => {
      const { org, pod, id, type, summary, principals, remember } = concluded;
      if (!remember || summary === null) return;
      const place = contextPlace(concluded);
      const item = {
        id: contextItemId(concluded),
        kind: 'session',
        content: summary,
        origin: 'gateway',
        source: `infold://pod/${pod}/context/${encodeURIComponent(id)}`,
        ...(principals.length === 1 ? { author: principals[0]! } : {}),
        thread: id,
        metadata: { pod, context: id, type, principals },
      };
      remove(database, org, place, [item.id]);
      storeResult(database, org, place, item, at);
    },

    // PACK-10: what an analysis found and wanted to keep.
    'finding.stored': (database, stored, at) => {
      if (!stored.persistent) return;
      const { org, project_id, analysis_id, session_id, sources, findings } = stored;
      for (const [part, { id, finding, category, metadata }] of findings.entries()) {
        const item = {
          id,
          kind: 'claim',
          content: finding,
          origin: 'analysis',
          source: `analysis:${analysis_id}`,
          ...(category === null ? {} : { tags: [category] }),
          metadata: { ...metadata, analysis_id, session_id, ...(sources.length > 0 ? { sources } : {}) },
        };
        storeResult(database, org, projectPlace(project_id), item, at, part, findings.length);
      }
    },

    'finding.cleared': (database, { org, project_id, ids }) =>
      remove(database, org, projectPlace(project_id), ids),

    // A fold that was undone left no result: its summary goes, as it does from its parent.
    'branch.rolled_back': (database, { session_id, discarded, reopened }) => {
      const session = sessionById(database, session_id);
      if (!session) return;
      for (const { branch_id } of [...discarded, ...reopened]) {
        remove(database, session.org, branchPlace(database, session, branch_id), [branch_id]);
      }
    },
  },
};
