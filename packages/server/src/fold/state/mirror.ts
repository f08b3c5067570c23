import type { Cluster } from '../../journal/cluster/cluster.ts';
import { type Entry, FORGOTTEN, type Forgotten, type Journal } from '../../journal/journal.ts';
import { giveWay, oneByOne } from '../../kernel/background.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import { isOpen, type Session, sessionById, sessionsSince } from '../../trust/sessions/queries.ts';
import { type Branch, branchOf, listBranches, openAgents, openPath } from '../queries.ts';
import { digestOf, type Known, StateBucket } from './bucket.ts';
import {
  branchKey,
  branchState,
  branchValue,
  eventState,
  isLogged,
  SESSION_STATE,
  type StateValue,
  sessionState,
  stateRoot,
} from './values.ts';

export interface StateMirrorServices {
  journal: Journal;
  cluster: Cluster;
  clock: Clock;
  sessionLifetime: number;
  contextLimit: number;
  onError(error: unknown): void;
}

type SessionOf = (id: string) => Session | undefined;

/** What is to be written for a session. */
interface Pending {
  session: Session;
  /** Ids of branches that changed; their parents may have changed with them. */
  branches: Set<string>;
  isWhole: boolean;
  events: StateValue[];
  /** All that is there goes first. */
  isPurged: boolean;
  /** Nothing is written after that: the session has ended, or was forgotten. */
  isGone: boolean;
}

/** Milliseconds after which events are told, and in which changes of a session are gathered. */
const LISTENING = 20;
const GATHERING = 100;
/** Sessions that are written at the same time. */
const AT_ONCE = 16;
const SESSIONS_KNOWN = 10_000;
/** Events that wait while NATS does not answer. The journal has them all. */
const MOST_WAITING = 1000;
const FIRST_RETRY = 500;
const LAST_RETRY = 30_000;
/** A command is over before. */
const REPAIR_AFTER = 5000;
const LAST_FLUSH = 2000;

/**
 * FOLD-14: keeps the state of sessions in the bucket `infold_state`, and publishes it under `contextd.…`. Each process tells
 * what it wrote itself. It follows the journal behind the commits, so that none of them waits for it.
 */
export class StateMirror {
  readonly #services: StateMirrorServices;
  readonly #bucket: StateBucket;
  readonly #pending = new Map<string, Pending>();
  readonly #known = new Map<string, Known>();
  readonly #stopWatching: () => void;
  /** Entries that were not looked at yet, and when they will be: nobody who commits waits for that. */
  #heard: Entry[] = [];
  #listening: NodeJS.Timeout | undefined;
  readonly #repair: NodeJS.Timeout;
  #flushing: Promise<void> | undefined;
  #retry = FIRST_RETRY;
  #isClosed = false;

  constructor(services: StateMirrorServices) {
    this.#services = services;
    this.#bucket = new StateBucket(services.cluster);
    this.#stopWatching = services.journal.watch((entry) => this.#watched(entry));
    this.#repair = setTimeout(() => {
      this.repair().catch(services.onError);
    }, REPAIR_AFTER).unref();
  }

  /** Writes what a node that died was about to write: sessions whose state in the bucket is not what the tables say. */
  async repair(): Promise<void> {
    const { journal, clock, sessionLifetime } = this.#services;
    await oneByOne(sessionsSince(journal.database, clock() - sessionLifetime), async (session) => {
      const there = await this.#bucket.get(`${stateRoot(session)}.${SESSION_STATE}`);
      const { value } = this.#sessionState(session);
      const isCurrent = there && (there.seq >= value.seq || digestOf(there) === digestOf(value));
      if (!isCurrent) this.#mark(session, { isWhole: true });
      return this.#isClosed;
    });
  }

  /** Resolves when all that was seen so far is written. */
  async settled(): Promise<void> {
    this.#takeHeard();
    while (this.#flushing) await this.#flushing;
  }

  async close(): Promise<void> {
    this.#stopWatching();
    clearTimeout(this.#repair);
    this.#isClosed = true;
    await Promise.race([this.settled(), sleep(LAST_FLUSH)]);
  }

  #watched(entry: Entry): void {
    try {
      for (const { type, data } of entry.events) {
        if (type !== FORGOTTEN) continue;
        // What came before it is not told after it.
        this.#takeHeard();
        void this.#forget(data);
      }
      if (!/^(session|pod)\./.test(entry.stream) || !this.#services.cluster.wrote(entry.seq)) return;
      this.#heard.push(entry);
      this.#listening ??= setTimeout(() => this.#takeHeard(), LISTENING);
    } catch (error) {
      this.#services.onError(error);
    }
  }

  #takeHeard(): void {
    clearTimeout(this.#listening);
    this.#listening = undefined;
    const sessions = new Map<string, Session | undefined>();
    const sessionOf = (id: string) => {
      if (!sessions.has(id)) sessions.set(id, sessionById(this.#services.journal.database, id));
      return sessions.get(id);
    };
    for (const entry of this.#heard.splice(0)) {
      try {
        if (entry.stream.startsWith('session.')) this.#changed(entry, sessionOf);
        else this.#said(entry, sessionOf);
      } catch (error) {
        this.#services.onError(error);
      }
    }
  }

  #changed(entry: Entry, sessionOf: SessionOf): void {
    const branches: string[] = [];
    const events: StateValue[] = [];
    let isChanged = false;
    let isEnded = false;
    for (const [place, event] of entry.events.entries()) {
      const { type, data } = event;
      if (!/^(branch|operation)\.|^session\.(started|expired)$/.test(type)) continue;
      isChanged = true;
      isEnded ||= type === 'session.expired';
      branches.push(...branchesIn(data));
      if (isLogged(type)) events.push(eventState(entry, event, place));
    }
    const session = isChanged && sessionOf(sessionIdIn(entry));
    if (!session) return;
    for (const { value } of events) this.#publish(`${stateRoot(session)}.events.${value.type}`, value);
    this.#mark(session, { branches, events, ...(isEnded ? { isPurged: true, isGone: true } : {}) });
  }

  /** What a branch's agent says in a pod counts in the branch. */
  #said(entry: Entry, sessionOf: SessionOf): void {
    for (const { type, data } of entry.events) {
      if (type !== 'envelope.accepted' || !data.operation_of) continue;
      const { session_id, branch_id } = data.operation_of;
      const session = sessionOf(session_id);
      if (session) this.#mark(session, { branches: branch_id === null ? [] : [branch_id] });
    }
  }

  /** Every node does it, whoever forgot: one of them may be about to write what is forgotten. */
  async #forget({ target, entries }: Forgotten): Promise<void> {
    const { journal, onError } = this.#services;
    try {
      const isGone = target.kind === 'session' || target.kind === 'principal';
      const streams = new Set<string>();
      await oneByOne(entries, ({ seq }) => {
        const entry = journal.entryAt(seq);
        if (!entry?.stream.startsWith('session.') || streams.has(entry.stream)) return false;
        streams.add(entry.stream);
        const session = sessionById(journal.database, sessionIdIn(entry));
        if (session) this.#mark(session, { isPurged: true, ...(isGone ? { isGone } : { isWhole: true }) });
        return false;
      });
    } catch (error) {
      onError(error);
    }
  }

  #mark(
    session: Session,
    change: Partial<Omit<Pending, 'branches'>> & { branches?: readonly string[] },
  ): void {
    const fresh = {
      session,
      branches: new Set<string>(),
      events: [],
      isWhole: false,
      isPurged: false,
      isGone: false,
    };
    const pending: Pending = this.#pending.get(session.id) ?? fresh;
    // What was to be written before is taken out, or told anew.
    if (change.isPurged) Object.assign(pending, fresh, { isPurged: true });
    for (const id of change.branches ?? []) pending.branches.add(id);
    pending.events.push(...(change.events ?? []));
    if (pending.events.length > MOST_WAITING) pending.events.splice(0, pending.events.length - MOST_WAITING);
    pending.isWhole ||= change.isWhole ?? false;
    // A session that was forgotten may go on.
    pending.isGone = change.isGone ?? false;
    this.#pending.set(session.id, pending);
    if (this.#flushing) return;
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = undefined;
    });
  }

  async #flush(): Promise<void> {
    while (this.#pending.size > 0) {
      if (!this.#isClosed) await sleep(GATHERING);
      const all = [...this.#pending.values()];
      this.#pending.clear();
      const failures: unknown[] = [];
      for (let from = 0; from < all.length; from += AT_ONCE) {
        const some = all.slice(from, from + AT_ONCE);
        await Promise.all(
          some.map((pending) =>
            this.#write(pending).catch((error: unknown) => {
              failures.push(error);
              this.#putBack(pending);
            }),
          ),
        );
      }
      if (failures.length === 0) this.#retry = FIRST_RETRY;
      else await this.#putOff(failures[0]);
    }
  }

  async #putOff(error: unknown): Promise<void> {
    this.#services.onError(error);
    if (this.#isClosed) this.#pending.clear();
    else await sleep(this.#retry);
    this.#retry = Math.min(this.#retry * 2, LAST_RETRY);
  }

  /** What came meanwhile is later: where it takes everything out, nothing of before is written. */
  #putBack(failed: Pending): void {
    const { session } = failed;
    this.#known.delete(session.id);
    const later = this.#pending.get(session.id);
    if (later?.isPurged) return;
    if (later) {
      for (const id of later.branches) failed.branches.add(id);
      failed.events.push(...later.events);
      failed.isWhole ||= later.isWhole;
      failed.isGone = later.isGone;
    }
    this.#pending.set(session.id, failed);
  }

  async #write({ session, branches, isWhole, events, isPurged, isGone }: Pending): Promise<void> {
    const { clock, journal } = this.#services;
    const root = stateRoot(session);
    if (isPurged) {
      await this.#bucket.purge(root);
      this.#known.delete(session.id);
    }
    if (isGone || !isOpen(journal.database, session.id)) return;
    const known = this.#knownOf(session);
    const now = clock();
    const pause = giveWay();
    if (pause) await pause;
    const changed = this.#branchesToWrite(session, branches, isWhole, now);
    const isNew = ({ key, value }: StateValue) => !this.#bucket.has(known, `${root}.${key}`, value, now);
    // Read in one go: all of it is of one position. Prompts are long, and read where they are written alone.
    const values = changed
      .filter((branch) => isNew({ key: branchKey(branch.id), value: branchValue(branch, '', 0) }))
      .map((branch) => branchState(journal, branch));
    const state = this.#sessionState(session);
    const put = async ({ key, value }: StateValue) => {
      const isWritten = await this.#bucket.put(known, `${root}.${key}`, value, now);
      if (isWritten) this.#publish(`${root}.${key}`, value);
    };
    await Promise.all([
      ...events.map(({ key, value }) => this.#bucket.add(`${root}.${key}`, value)),
      ...values.map(put),
    ]);
    // The last: where it is as it should be, so is the rest.
    if (isNew(state)) await put(state);
  }

  #sessionState(session: Session): StateValue {
    const { journal, contextLimit } = this.#services;
    return sessionState({ database: journal.database, head: journal.head().seq }, session.id, contextLimit);
  }

  /** Those that changed and those around them; of a session that is written as a whole, all that could still be there. */
  #branchesToWrite(session: Session, ids: ReadonlySet<string>, isWhole: boolean, now: number): Branch[] {
    const { journal, sessionLifetime } = this.#services;
    const { database } = journal;
    if (isWhole) {
      const isRecent = ({ ended_at }: Branch) => ended_at === null || ended_at > now - sessionLifetime;
      return listBranches(database, session.id).filter(isRecent);
    }
    const open = [...openPath(database, session.id), ...openAgents(database, session.id)];
    const found = new Map(open.map((branch) => [branch.id, branch]));
    for (const id of ids) {
      for (let next: string | null = id; next !== null && !found.has(next); ) {
        const branch: Branch | undefined = branchOf(database, session.id, next);
        if (branch) found.set(branch.id, branch);
        next = branch?.parent_id ?? null;
      }
    }
    return [...found.values()];
  }

  #knownOf({ id }: Session): Known {
    const known = this.#known.get(id) ?? new Map();
    // The one that was used least recently is the first.
    this.#known.delete(id);
    this.#known.set(id, known);
    if (this.#known.size > SESSIONS_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    return known;
  }

  /** Whoever listens hears it; nobody waits for them. */
  #publish(key: string, value: StateValue['value']): void {
    const { connection } = this.#services.cluster;
    if (!connection.isClosed()) connection.publish(`contextd.${key}`, JSON.stringify(value));
  }
}

function sessionIdIn({ stream }: Entry): string {
  return stream.slice(stream.lastIndexOf('.') + 1);
}

/** Branches that an event of a session names. */
function branchesIn(data: object): string[] {
  const { branch_id, parent_id, to, target, discarded, reopened } = data as Record<string, unknown>;
  const lists = [discarded, reopened].flatMap((list) => (list ?? []) as { branch_id: string }[]);
  const ids = [branch_id, parent_id, to, target, ...lists.map((branch) => branch.branch_id)];
  return ids.filter((id) => typeof id === 'string');
}
