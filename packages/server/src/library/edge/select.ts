import type { Upload, UploadedEntry } from '@infold/protocol';
import type { MemoryEvents, UploadedEvent } from '@infold/protocol/events';
import type { Entry, JournalEvent } from '../../journal/journal.ts';
import type { UploadConfig } from '../../kernel/hub-config.ts';
import { LOCAL_OWNER } from '../../trust/identity/caller.ts';
import type { HubLink } from '../queries/hub.ts';

/** What goes to the hub, of which projects. */
export interface UploadSelection {
  upload: UploadConfig;
  /** Links whose projects are not left out, by workspace and by project. */
  byWorkspace: ReadonlyMap<string, HubLink>;
  byProject: ReadonlyMap<string, HubLink>;
}

/** An entry as the hub is sent it; undefined where nothing of it is selected. */
export function selectEntry(
  { id, seq, at, actor, events }: Entry,
  hash: string,
  { upload, byWorkspace }: UploadSelection,
): UploadedEntry | undefined {
  const sent: UploadedEvent[] = [];
  let place: { link: HubLink; session: string } | undefined;
  for (const event of events) {
    const kind = kindOf(event);
    if (!kind || !upload.what.includes(kind) || !event.type.startsWith('attest.')) continue;
    const { session_id, workspace_id, project_id: _, ...data } = event.data as Attested;
    const link = byWorkspace.get(workspace_id);
    if (!link) continue;
    place ??= { link, session: session_id };
    sent.push({ type: event.type, data: narrowed(event.type, data, upload.without) } as UploadedEvent);
  }
  if (!place) return undefined;
  const named = actor.agent ?? (actor.principal === LOCAL_OWNER ? null : actor.principal);
  return {
    ...{ id, seq, hash, at, agent: upload.without.includes('agent') ? null : named },
    ...{
      project: place.link.hub_project_id,
      session: place.session,
      events: sent as UploadedEntry['events'],
    },
  };
}

interface Attested extends Record<string, unknown> {
  session_id: string;
  workspace_id: string;
}

function kindOf({ type }: JournalEvent): Upload | undefined {
  if (type === 'attest.agent_report') return 'reports';
  if (type.startsWith('attest.')) return 'attestation';
  return type === 'memory.remembered' || type === 'memory.imported' ? 'memory' : undefined;
}

/** Fields that must hold something are emptied, others are null. */
const EMPTY: Record<string, unknown> = {
  result_names: [],
  file: '',
  summary: '',
  constraint_text: '',
  model: '',
};

function narrowed(type: string, data: Record<string, unknown>, without: readonly string[]): object {
  const isKept = (field: string) => !without.includes(field) && !without.includes(`${type}.${field}`);
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([field, inner]) => [
      field,
      isKept(field) ? part(inner) : field in EMPTY ? EMPTY[field] : null,
    ]);
    return Object.fromEntries(fields);
  };
  return part(data) as object;
}

/** What the hub takes of each text at most. A replaced secret may be longer than what it replaces. */
const LONGEST: Record<string, number> = {
  ...{ query: 1000, group: 256, result_names: 600, file: 4096, summary: 20_000, constraint_text: 2000 },
  ...{
    claimed_hash: 80,
    reason: 2000,
    model: 256,
    'attest.instructions.reason': 200,
    'attest.reject.reason': 20_000,
  },
};

/** An entry whose texts are no longer than the hub takes them. */
export function fitted(entry: UploadedEntry): UploadedEntry {
  const fit = (type: string, value: unknown, field: string): unknown => {
    if (typeof value === 'string') {
      const most = LONGEST[`${type}.${field}`] ?? LONGEST[field];
      return most === undefined || value.length <= most
        ? value
        : value.slice(0, most).replace(/[\ud800-\udbff]$/, '');
    }
    if (Array.isArray(value)) return value.map((one) => fit(type, one, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fit(type, part, name)]));
  };
  const events = entry.events.map(({ type, data }) => ({ type, data: fit(type, data, '') }));
  return {
    ...entry,
    agent: entry.agent?.slice(0, 256) ?? null,
    events: events as UploadedEntry['events'],
  };
}

/** Items that members of a project share, as the hub imports them; what is somebody's own stays theirs. */
export function selectMemory(
  { events }: Entry,
  { upload, byProject }: UploadSelection,
): { project: string; items: object[] }[] {
  if (!upload.what.includes('memory')) return [];
  return events.flatMap((event) => {
    if (kindOf(event) !== 'memory') return [];
    const { place, items } = event.data as MemoryEvents['memory.remembered'];
    const link = place.scope === 'project' ? byProject.get(place.project_id) : undefined;
    const kept = items.filter(({ forgotten }) => !forgotten);
    if (!link || kept.length === 0) return [];
    return [{ project: link.hub_project_id, items: kept.map(importLine) }];
  });
}

type StoredItem = MemoryEvents['memory.remembered']['items'][number];

/** Relations stay behind: what they lead to may never have been sent. */
function importLine({ origin: _, relations: _r, forgotten: _f, at, valid_at, ...item }: StoredItem): object {
  const time = (milliseconds: number) => new Date(milliseconds).toISOString();
  return {
    ...item,
    ...(at !== undefined && { at: time(at) }),
    ...(valid_at !== undefined && { valid_at: time(valid_at) }),
  };
}
