import type { FoldEvent } from '../../fold/events.ts';
import { branchById } from '../../fold/queries.ts';
import type { Entry } from '../../journal/journal.ts';
import { defineProjection } from '../../journal/projector.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { AttestationEvent } from '../../library/events.ts';
import { sessionById } from '../../trust/sessions/queries.ts';
import type { ItemsStored, MemoryEvent, Place } from '../events.ts';
import { itemInPartition, partitionAt } from '../queries.ts';
import { TABLES } from './tables.ts';
import { ItemWriter, relate, removeItem } from './writer.ts';

function store(database: Database, { org, place, items }: ItemsStored, { at, seq }: Entry): void {
  const writer = new ItemWriter(database, org, place);
  for (const item of items) writer.write(item, at, seq);
  writer.finish();
}

function remove(database: Database, org: string, place: Place, ids: readonly string[]): void {
  const partition = partitionAt(database, org, place);
  if (!partition) return;
  for (const id of ids) {
    const item = itemInPartition(database, partition.number, id);
    if (item) removeItem(database, item.row);
  }
}

/** What the fold door leaves of a summary that was forgotten. */
const FORGOTTEN_TEXT = '[forgotten]';

function projectPlace(projectId: string): Place {
  return { scope: 'project', project_id: projectId, principal: '', agent_id: '' };
}

export const memoryProjection = defineProjection<MemoryEvent | FoldEvent | AttestationEvent>({
  name: 'memory',
  tables: TABLES,
  on: {
    'memory.remembered': (database, data, { entry }) => store(database, data, entry),
    'memory.imported': (database, data, { entry }) => store(database, data, entry),

    'memory.related': (database, { org, place, id, relation }) => {
      const partition = partitionAt(database, org, place);
      const item = partition && itemInPartition(database, partition.number, id);
      if (partition && item) relate(database, org, partition, item, relation);
    },

    // FOLD-11: what a branch came to is memory of its project, under the branch's own id.
    'branch.folded': (database, fold, { entry }) => {
      const session = sessionById(database, fold.session_id);
      if (!session || fold.summary.trim() === '' || fold.summary === FORGOTTEN_TEXT) return;
      const branch = branchById(database, fold.branch_id);
      const place = projectPlace(session.project_id);
      const item = {
        id: fold.branch_id,
        kind: 'session',
        ...(branch && branch.description.trim() !== '' ? { title: branch.description } : {}),
        content: fold.summary,
        origin: 'fold',
        source: `infold://branch/${fold.branch_id}`,
        thread: fold.session_id,
        at: entry.at,
        metadata: { session_id: fold.session_id, principal: session.principal },
      };
      remove(database, session.org, place, [fold.branch_id]);
      store(database, { org: session.org, place, items: [item] }, entry);
    },

    // What an agent submitted at the end of a turn.
    'attest.agent_report': (database, { session_id, summary }, { entry, index }) => {
      const session = sessionById(database, session_id);
      if (!session || summary.trim() === '' || summary === FORGOTTEN_TEXT) return;
      const item = {
        id: `turn_${entry.seq}_${index}`,
        kind: 'session',
        content: summary,
        origin: 'library',
        source: `infold://session/${session_id}`,
        thread: session_id,
        at: entry.at,
        metadata: { session_id, principal: session.principal },
      };
      store(database, { org: session.org, place: projectPlace(session.project_id), items: [item] }, entry);
    },

    // A fold that was undone left no result: its summary goes, as it does from its parent.
    'branch.rolled_back': (database, { session_id, discarded, reopened }) => {
      const session = sessionById(database, session_id);
      if (!session) return;
      const ids = [...discarded, ...reopened].map((branch) => branch.branch_id);
      remove(database, session.org, projectPlace(session.project_id), ids);
    },
  },
});
