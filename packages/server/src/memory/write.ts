import type { MemoryScope, RelationInput } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { NewItem, RelationTarget, WriteState } from './commands.ts';
import type { MemoryPlace } from './events.ts';
import { MOST_PARTITIONS } from './projection/tables.ts';
import {
  digestOf,
  type ItemRow,
  itemById,
  itemInPartition,
  itemsByRow,
  itemsTitled,
  itemWithDigest,
  type Partition,
  partitionAt,
  partitionsMade,
  readablePartitions,
  relationsOf,
} from './queries.ts';
import { parseMoment } from './text/moment.ts';

const NAMESAKES = 5;

/** What items are found, grouped and related by. Where something came from (`source`, `url`) is scrubbed, as texts are. */
export const ITEM_NAMES = ['project', 'kind', 'domain', 'author', 'thread', 'agent_id', 'relations.*.id'];

export interface PlaceRequest {
  scope: MemoryScope | undefined;
  projectId: string | null;
  agentId: string | undefined;
}

/** Where an item goes: as asked, else the project, the diary of the agent, or the caller's own. */
export function placeFor(caller: Caller, { scope, projectId, agentId }: PlaceRequest): MemoryPlace {
  const chosen = scope ?? (agentId === undefined ? (projectId === null ? 'private' : 'project') : 'diary');
  switch (chosen) {
    case 'organisation':
      if (!caller.scopes.includes('review')) {
        throw new InfoldError(
          'forbidden',
          'Memory of the whole organisation needs the scope "review"; write to a project, or privately',
        );
      }
      return { scope: chosen, project_id: '', principal: '', agent_id: '' };
    case 'project':
      if (projectId === null) {
        throw new InfoldError(
          'invalid_arguments',
          'The scope "project" needs a project: pass its id, name or path',
        );
      }
      return { scope: chosen, project_id: projectId, principal: '', agent_id: '' };
    case 'diary':
      if (agentId === undefined) {
        throw new InfoldError(
          'invalid_arguments',
          'The scope "diary" needs an agent_id: the agent whose diary it is',
        );
      }
      return { scope: chosen, project_id: projectId ?? '', principal: caller.principal, agent_id: agentId };
    default:
      return { scope: chosen, project_id: projectId ?? '', principal: caller.principal, agent_id: '' };
  }
}

interface ItemFields {
  title?: string | undefined;
  content: string;
  kind?: string | undefined;
  domain?: string | undefined;
  tags?: string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
  source?: string | undefined;
  url?: string | undefined;
  author?: string | undefined;
  role?: string | undefined;
  thread?: string | undefined;
  ordinal?: number | undefined;
  at?: string | number | undefined;
  valid_at?: string | number | undefined;
}

/** The stored form of what a caller gave: times read, what is absent left out. */
export function itemFrom(id: string, origin: string, fields: ItemFields): NewItem {
  const { content, kind, title, domain, tags, metadata, source, url, author, role, thread, ordinal } = fields;
  return {
    id,
    content,
    kind: kind ?? 'episode',
    origin,
    ...(title === undefined ? {} : { title }),
    ...(domain === undefined ? {} : { domain }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(source === undefined ? {} : { source }),
    ...(url === undefined ? {} : { url }),
    ...(author === undefined ? {} : { author }),
    ...(role === undefined ? {} : { role }),
    ...(thread === undefined ? {} : { thread }),
    ...(ordinal === undefined ? {} : { ordinal }),
    ...(fields.at === undefined ? {} : { at: parseMoment(fields.at, 'at') }),
    ...(fields.valid_at === undefined ? {} : { valid_at: parseMoment(fields.valid_at, 'valid_at') }),
  };
}

export interface WriteQuestion {
  caller: Caller;
  place: MemoryPlace;
  item: NewItem;
  relations: readonly RelationInput[];
  /** The id was chosen by the caller: it names the item, whatever it says. */
  named: boolean;
  /** Whether items of the same name are of interest. */
  titles?: boolean;
}

/** What a write must know of the store, read in the write's own transaction. */
export function writeState(database: Database, question: WriteQuestion): WriteState {
  const { caller, place, item, relations, named, titles = true } = question;
  const partition = partitionAt(database, caller.org, place);
  if (!partition && partitionsMade(database) >= MOST_PARTITIONS) {
    throw new InfoldError(
      'too_large',
      `This data folder holds memory of ${MOST_PARTITIONS} places; no more fit`,
    );
  }
  return {
    org: caller.org,
    place,
    existing: partition && existingItem(database, partition, item, named),
    targets: relations.length === 0 ? [] : findTargets(database, caller, place, partition, relations),
    namesakes:
      partition && titles && item.title !== undefined
        ? itemsTitled(database, partition.number, item.title, NAMESAKES)
        : [],
  };
}

function existingItem(
  database: Database,
  partition: Partition,
  item: NewItem,
  named: boolean,
): { id: string } | undefined {
  return named
    ? itemInPartition(database, partition.number, item.id)
    : itemWithDigest(database, partition.number, digestOf(item));
}

export function findTargets(
  database: Database,
  caller: Caller,
  place: MemoryPlace,
  own: Partition | undefined,
  relations: readonly RelationInput[],
): RelationTarget[] {
  const agentId = place.agent_id === '' ? null : place.agent_id;
  const readable = readablePartitions(database, { caller, projectId: null, agentId });
  const ordered = own ? [own, ...readable.filter(({ number }) => number !== own.number)] : readable;
  const places = new Map(ordered.map((partition) => [partition.number, partition]));
  return relations.map(({ type, id }) => {
    const named = itemById(database, ordered, id);
    const item = named && (type === 'supersedes' ? currentVersion(database, places, named) : named);
    return {
      type,
      id: item?.id ?? id,
      item: item && { ...item, place: places.get(item.partition)! },
      ...(item === named ? {} : { insteadOf: id }),
    };
  });
}

/** A chain has one head: what supersedes an old version supersedes all that came after it. */
function currentVersion(database: Database, places: ReadonlyMap<number, Partition>, old: ItemRow): ItemRow {
  let item = old;
  while (item.superseded_by !== null) {
    const rows = relationsOf(database, item.row)
      .filter(({ type, direction }) => type === 'supersedes' && direction === 'incoming')
      .map(({ other }) => other);
    const next = itemsByRow(database, rows).find(
      ({ id, partition }) => id === item.superseded_by && places.has(partition),
    );
    // What superseded it was forgotten since; then it is the last one that is left.
    if (!next) break;
    item = next;
  }
  return item;
}
