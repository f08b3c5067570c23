import {
  type AttestedSetup,
  type BranchCreated,
  type DraftSubmitted,
  type EnvelopeExpired,
  type EnvelopeRefused,
  EVENT_VERSIONS,
  type EventType,
  type ExpiredMessage,
  type MirrorLevel,
  mirrorLevel,
  type ProjectConfigured,
} from '@infold/protocol/events';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { type Entry, FORGOTTEN, type Forgotten, type JournalEvent } from './journal.ts';

/** An event as it stands in the journal. One without a version is of the first. */
export interface WrittenEvent {
  type: string;
  version?: number;
  data: object;
}

/** What an upcaster may know besides the data. */
export type EntryPlace = Pick<Entry, 'seq' | 'stream'>;

interface Upcaster {
  type: EventType;
  /** The version that it takes; it gives the next one. */
  from: number;
  up: (data: never, entry: EntryPlace) => object;
}

/** A shape in which these fields were not always there. */
type Before<Data, Names extends keyof Data> = Omit<Data, Names> & Partial<Pick<Data, Names>>;

/**
 * How an event of an earlier version becomes one of the next. Programs of the first versions wrote no version at all, and some
 * of the first version's events have what only the second one requires: what is there stays.
 */
export const UPCASTERS: readonly Upcaster[] = [
  {
    type: 'branch.created',
    from: 1,
    up: (data: Before<BranchCreated, 'project_id'>, { stream }) => ({
      project_id: projectOfSession(stream),
      ...data,
    }),
  },
  {
    type: 'draft.submitted',
    from: 1,
    up: (data: Before<DraftSubmitted, 'session_id' | 'path'>) => ({ session_id: null, path: '', ...data }),
  },
  {
    type: 'attest.setup',
    from: 1,
    up: (data: Before<AttestedSetup, 'drafts'>) => ({ drafts: false, ...data }),
  },
  {
    type: 'project.configured',
    from: 1,
    up: ({ settings, ...data }: SwitchedProject) => {
      const { mirrorBranches } = settings;
      if (typeof mirrorBranches !== 'boolean') return { ...data, settings };
      return { ...data, settings: { ...settings, mirrorBranches: mirrorLevel(mirrorBranches) } };
    },
  },
  {
    type: 'envelope.refused',
    from: 1,
    up: (data: Before<EnvelopeRefused, 'details'>) => ({ details: {}, ...data }),
  },
  {
    type: 'envelope.expired',
    from: 1,
    up: ({ accepted }: { accepted?: Before<ExpiredMessage, 'epoch'> }): EnvelopeExpired =>
      accepted ? { accepted: { epoch: null, ...accepted } } : {},
  },
];

/** What is shown of branches could be switched on and off, before there was something in between. */
type SwitchedProject = Omit<ProjectConfigured, 'settings'> & {
  settings: Omit<ProjectConfigured['settings'], 'mirrorBranches'> & {
    mirrorBranches?: MirrorLevel | boolean | null;
  };
};

/** `session.<owner>.<project>.<session>`: a branch worked for the project of its session. */
function projectOfSession(stream: string): string {
  return stream.split('.')[2] ?? '';
}

const VERSIONS = new Map<string, number>(Object.entries(EVENT_VERSIONS));
const versionOf = (type: string) => VERSIONS.get(type) ?? 1;

const STEPS = new Map(UPCASTERS.map((upcaster) => [`${upcaster.type} ${upcaster.from}`, upcaster.up]));

/** Types that are not always as they were written. What is left of an event that was erased stands in another one. */
const CHANGED = new Set<string>([...UPCASTERS.map(({ type }) => type), FORGOTTEN]);

/**
 * Events of an entry as the catalogue has them, whatever version they were written in. Nobody else sees an old one. Takes the
 * array over: most entries hold nothing that changed, and are handed on as they were parsed.
 */
export function readEvents(events: WrittenEvent[], entry: EntryPlace, database: Database): JournalEvent[] {
  for (let index = 0; index < events.length; index++) {
    const event = events[index]!;
    if (event.version === undefined && !CHANGED.has(event.type)) continue;
    events[index] = { type: event.type, data: upcast(event, entry, database) };
  }
  // What was written was typed when it was written, and is of today's version now.
  return events as JournalEvent[];
}

function upcast({ type, version = 1, data }: WrittenEvent, entry: EntryPlace, database: Database): object {
  const known = versionOf(type);
  if (version > known) {
    throw new InfoldError(
      'storage_newer',
      `Entry ${entry.seq} was written by a newer Infold (${type} ${version}; this one supports ${known}). Upgrade Infold`,
    );
  }
  let current = data;
  for (let step = version; step < known; step++) {
    // A step is found by the type and version of the data, which the compiler cannot follow through a map.
    current = STEPS.get(`${type} ${step}`)!(current as never, entry);
  }
  return type === FORGOTTEN ? readForgotten(current as WrittenForgotten, database) : current;
}

/** The data of a `data.forgotten` event as it stands in the journal. */
export interface WrittenForgotten extends Omit<Forgotten, 'entries'> {
  entries: { seq: number; events: WrittenEvent[] }[];
}

function readForgotten({ target, entries }: WrittenForgotten, database: Database): Forgotten {
  const left = entries.map(({ seq, events }) => ({
    seq,
    events: readEvents(events, new ErasedEntry(seq, database), database),
  }));
  return { target, entries: left };
}

/** Looked up only if an event needs to know: a forgetting may speak of thousands of entries. */
class ErasedEntry implements EntryPlace {
  readonly seq: number;
  readonly #database: Database;

  constructor(seq: number, database: Database) {
    this.seq = seq;
    this.#database = database;
  }

  get stream(): string {
    const sql = 'SELECT stream FROM journal_entry WHERE seq = ?';
    return this.#database.get<{ stream: string }>(sql, this.seq)?.stream ?? '';
  }
}

/** Events as they are written: with their versions, but for the first. */
export function writtenEvents(events: readonly JournalEvent[]): WrittenEvent[] {
  return events.map((event) => {
    const { type } = event;
    const version = versionOf(type);
    const data = type === FORGOTTEN ? writtenForgotten(event.data) : event.data;
    return version === 1 ? { type, data } : { type, version, data };
  });
}

function writtenForgotten({ target, entries }: Forgotten): WrittenForgotten {
  return { target, entries: entries.map(({ seq, events }) => ({ seq, events: writtenEvents(events) })) };
}
