import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badCursor } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import type { VisibleEvent } from '../../call/visible.ts';
import { tellEntry } from '../../call/visible-entries.ts';
import type { Entry } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { isLive, lifetimeIn, type Session } from '../../trust/sessions/queries.ts';
import { branchOf, isOpenTo, nextBranches } from '../queries.ts';
import {
  branchState,
  eventState,
  isLogged,
  SESSION_STATE,
  type StateValue,
  sessionState,
} from '../state/values.ts';
import { sessionOf } from './read-session.ts';

/** Entries that are read before others have their turn: some hold all that a call was given and answered. */
const PIECE = 50;
/** Prompts are long: a page ends early with as much as this, in characters. */
const PAGE = 1024 * 1024;

interface StateAddress {
  owner: string;
  project: string;
  session: string;
}

interface StatePage {
  limit: number;
  cursor?: string | undefined;
}

export const listState = defineAction(foldApi.listState, {
  async run({ limit, cursor, ...address }, context) {
    const session = stateSession(context, address);
    return { structured: await pageOfState(context, session, '', { limit, cursor }) };
  },
});

export const readState = defineAction(foldApi.readState, {
  async run({ key: given, limit, cursor, ...address }, context) {
    const session = stateSession(context, address);
    const key = given.replaceAll('/', '.').replace(/\.$/, '');
    const found = await valueAt(context, session, key);
    if (found) return { structured: found.value };
    const isGroup = GROUPS.some((group) => group === key || group.startsWith(`${key}.`));
    if (isGroup) return { structured: await pageOfState(context, session, key, { limit, cursor }) };
    throw new InfoldError(
      'not_found',
      `No value ${key} in the state of session ${session.id}; there are ${GROUPS.join(', ')}, and keys below them`,
    );
  },
});

/** What keys begin with. */
const GROUPS = [
  'branches',
  'events.branch.created',
  'events.branch.folded',
  'events.branch.rolled_back',
  'events.operation.completed',
  'meta',
];

/** State is of live sessions, as it is in the bucket of a cluster. */
function stateSession(context: CallContext, { owner, project, session: id }: StateAddress): Session {
  const session = sessionOf(context, id);
  const [, ownerPart, projectPart] = session.stream.split('.');
  const isThere =
    [`${session.org}:${session.principal}`, ownerPart].includes(owner) &&
    [session.project_id, projectPart].includes(project);
  if (!isThere || !isLive(session, lifetimeIn(context))) throw sessionNotFound(id);
  return session;
}

async function valueAt(context: CallContext, session: Session, key: string): Promise<StateValue | undefined> {
  const { journal, database, caller, config } = context;
  if (key === SESSION_STATE) {
    return sessionState({ database, head: journal.head().seq }, session.id, config.contextLimit);
  }
  const [group, id = '', ...rest] = key.split('.');
  if (group === 'branches') {
    const branch = branchOf(database, session.id, [id, ...rest].join('.'));
    return branch && isOpenTo(caller, branch) ? branchState(journal, branch) : undefined;
  }
  const [, seq] = /^events\..*\.(\d{1,15})\.\d{1,6}$/.exec(key) ?? [];
  const entry = seq === undefined ? undefined : journal.entryAt(Number(seq));
  if (entry?.stream !== session.stream) return undefined;
  return eventsOf(context, entry).find((value) => value.key === key);
}

/** Branches in order of creation, then events, then what the session is at. */
async function pageOfState(
  context: CallContext,
  session: Session,
  prefix: string,
  { limit, cursor }: StatePage,
): Promise<{ values: StateValue[]; next: string | null }> {
  const [, group = '', position = '0', place = '-1'] =
    /^(branches|events)(?:\.(\d{1,15})(?:\.(\d{1,6}))?)?$/.exec(cursor ?? 'branches') ?? [];
  if (group === '') throw badCursor(foldApi.listState, cursor!);
  const wants = (key: string) => prefix === '' || key === prefix || key.startsWith(`${prefix}.`);
  const wantsGroup = (name: string) => wants(name) || prefix.startsWith(`${name}.`);
  const page = new Page(limit);
  if (group === 'branches' && wantsGroup('branches'))
    await addBranches(page, context, session, Number(position));
  if (wantsGroup('events')) {
    const from = group === 'events' ? { seq: Number(position), place: Number(place) } : { seq: 0, place: -1 };
    await addEvents(page, context, session, from, wants);
  }
  if (wantsGroup('meta')) {
    const { journal, database, config } = context;
    const head = journal.head().seq;
    page.add(sessionState({ database, head }, session.id, config.contextLimit), '');
  }
  return { values: page.values, next: page.next };
}

/** What fits into a page, and the cursor for what did not. */
class Page {
  readonly values: StateValue[] = [];
  next: string | null = null;
  readonly #limit: number;
  #last = '';
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.next !== null;
  }

  /** `cursor` continues after this value. One that finds no room is left out, and the page after begins with it. */
  add(value: StateValue, cursor: string): void {
    if (this.isFull) return;
    if (this.values.length >= this.#limit || this.#size > PAGE) {
      this.next = this.#last;
      return;
    }
    this.values.push(value);
    this.#last = cursor;
    this.#size += JSON.stringify(value).length;
  }
}

async function addBranches(page: Page, context: CallContext, session: Session, after: number): Promise<void> {
  const { database, caller, journal } = context;
  let ordinal = after;
  while (!page.isFull) {
    const branches = nextBranches(database, session.id, ordinal, PIECE);
    for (const branch of branches) {
      ordinal = branch.ordinal;
      if (!isOpenTo(caller, branch)) continue;
      page.add(branchState(journal, branch), `branches.${ordinal}`);
      if (page.isFull) return;
      await context.giveWay();
    }
    if (branches.length < PIECE) return;
  }
}

async function addEvents(
  page: Page,
  context: CallContext,
  session: Session,
  from: { seq: number; place: number },
  wants: (key: string) => boolean,
): Promise<void> {
  // The entry at which the page before ended may have more to tell.
  let at = from.seq - 1;
  while (!page.isFull) {
    await context.giveWay();
    const entries = context.journal.entriesOf(session.stream, at, PIECE);
    for (const entry of entries) {
      at = entry.seq;
      for (const value of eventsOf(context, entry)) {
        const { seq, place } = value.value as { seq: number; place: number };
        if ((seq === from.seq && place <= from.place) || !wants(value.key)) continue;
        page.add(value, `events.${seq}.${place}`);
      }
    }
    if (entries.length < PIECE) return;
  }
}

/** Those of an entry that are in the log, as far as the caller may read them. */
function eventsOf(context: CallContext, entry: Entry): StateValue[] {
  const { caller } = context;
  const wanted = (_entry: Entry, { events }: { events: readonly VisibleEvent[] }) => ({
    events: events.filter(({ type }) => isLogged(type)),
  });
  const told = tellEntry(context, entry, { caller, isBrief: true, wanted });
  return (told?.events ?? []).map((event) => eventState(entry, event as VisibleEvent, event.place ?? 0));
}
