import type { Envelope } from '@infold/protocol';
import type { FoldEvent } from '../../fold/events.ts';
import { branchById, projectsOfBranches } from '../../fold/queries.ts';
import type { Entry, Journal } from '../../journal/journal.ts';
import { giveWay, oneByOne } from '../../kernel/background.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { MirrorLevel } from '../../trust/identity/events.ts';
import { type Session, sessionById, sessionsSince } from '../../trust/sessions/queries.ts';
import type { LiveContext } from '../contexts/context-index.ts';
import type { HistoryWriter } from '../history/writer.ts';
import type { MirrorOrigin } from '../nodes/cluster/shared-pods.ts';
import type { LivePod } from '../pod/state.ts';
import { mirroredThrough } from '../queries.ts';
import { type Mirrored, mirroredEntry, summarised } from './branch-messages.ts';
import { type MirrorSetting, mirrorLevelOf } from './branches.ts';

/** The pod of a project, in which what an agent did in a branch is told as it happened. */
export interface MirrorPod extends LivePod {
  mirror(envelope: Envelope, origin: MirrorOrigin): void;
}

export interface MirrorServices {
  journal: Journal;
  clock: Clock;
  sessionLifetime: number;
  configured: MirrorSetting;
  /** Whether this process gives out positions in pods, or can begin to. */
  lead(): boolean;
  open(org: string, project: string): MirrorPod;
  conclude(pod: LivePod, contexts: readonly LiveContext[]): void;
  writer: HistoryWriter;
  onError(error: unknown): void;
}

interface MirrorPosition {
  /** The journal's position up to which the session was told. */
  through: number;
  catchingUp: boolean;
}

const PAGE = 100;
const SESSIONS_REMEMBERED = 10_000;
/** With more bytes than these on their way to the disk, telling waits for it. */
const MOST_WAITING = 4 * 1024 * 1024;
const TOLD = new Set<FoldEvent['type'] | (string & {})>([
  'branch.created',
  'branch.folded',
  'branch.rolled_back',
  'operation.completed',
]);

/**
 * SUB-13: tells in each project's pod what happens in its branches, whichever session they are in. It follows the journal,
 * so that it does not matter which process an agent talks to; what happened while nobody told it is told later, from the
 * sessions' own streams.
 */
export class BranchMirror {
  readonly #services: MirrorServices;
  readonly #places = new Map<string, MirrorPosition>();
  #turn = 0;

  constructor(services: MirrorServices) {
    this.#services = services;
  }

  /** An entry of this or another process. What follows from another entry is told where that one was. */
  watched(entry: Entry): void {
    if (entry.cause !== null || !entry.stream.startsWith('session.')) return;
    const told = entry.events.find(({ type }) => TOLD.has(type));
    if (!told) return;
    const { database } = this.#services.journal;
    const session = sessionById(database, (told.data as { session_id: string }).session_id);
    if (!session || this.#messagesOf(session, entry).length === 0 || !this.#services.lead()) return;
    const place = this.#places.get(session.id);
    if (place?.catchingUp) return;
    if (!place) void this.#catchUp(session);
    else if (entry.seq > place.through) this.#tell(session, place, entry);
  }

  /** From the beginning of this process's turn: others may have told less or more than it knows. */
  restart(): void {
    this.#places.clear();
    const turn = ++this.#turn;
    void oneByOne(this.#sessions(), async (session) => {
      if (turn !== this.#turn) return true;
      if (!this.#places.has(session.id) && this.#isTold(session)) await this.#catchUp(session);
      return false;
    }).catch(this.#services.onError);
  }

  /** What was told of a session was not stored: it is told again, with what happens next. */
  untold(sessionId: string): void {
    this.#places.delete(sessionId);
  }

  /** Whether something happened while nobody told it. */
  isBehind(): Promise<boolean> {
    const { journal } = this.#services;
    return oneByOne(
      this.#sessions(),
      (session) =>
        journal.entriesOf(session.stream, mirroredThrough(journal.database, session.id), 1).length > 0 &&
        this.#isTold(session),
    );
  }

  #sessions(): Session[] {
    const { journal, clock, sessionLifetime } = this.#services;
    return sessionsSince(journal.database, clock() - sessionLifetime);
  }

  /** In its own project, or in that of any of its branches. */
  #isTold(session: Session): boolean {
    const { database } = this.#services.journal;
    return [session.project_id, ...projectsOfBranches(database, session.id)].some(
      (project) => this.#levelOf(session, project) !== 'off',
    );
  }

  #levelOf(session: Session, project_id: string): MirrorLevel {
    const { journal, configured } = this.#services;
    return mirrorLevelOf(journal.database, { ...session, project_id }, configured);
  }

  /** What is told of an entry, in the pods that want it. */
  #messagesOf(session: Session, entry: Entry): Mirrored[] {
    if (entry.cause !== null) return [];
    const { database } = this.#services.journal;
    const projectOf = (branchId: string) => branchById(database, branchId)?.project_id ?? session.project_id;
    return mirroredEntry(entry, projectOf).flatMap((message) => {
      const level = this.#levelOf(session, message.projectId);
      if (level === 'off') return [];
      return [level === 'full' ? message : summarised(message)];
    });
  }

  /**
   * Everything that the session's stream has and the pod has not; at once where it is little, else with pauses. What comes
   * meanwhile is read with the next page, so that it ends with a page on which there is nothing.
   */
  async #catchUp(session: Session): Promise<void> {
    const { journal } = this.#services;
    const place = { through: mirroredThrough(journal.database, session.id), catchingUp: true };
    this.#remember(session.id, place);
    try {
      for (;;) {
        const entries = journal.entriesOf(session.stream, place.through, PAGE);
        if (entries.length === 0) return;
        for (const entry of entries) {
          if (this.#places.get(session.id) !== place) return;
          const pause = this.#publish(session, place, entry) ?? giveWay();
          if (pause) await pause;
        }
      }
    } catch (error) {
      this.#places.delete(session.id);
      this.#services.onError(error);
    } finally {
      place.catchingUp = false;
    }
  }

  #tell(session: Session, place: MirrorPosition, entry: Entry): void {
    try {
      this.#publish(session, place, entry);
    } catch (error) {
      this.#services.onError(error);
    }
  }

  /** What to wait for where there is no room for more. */
  #publish(session: Session, place: MirrorPosition, entry: Entry): Promise<void> | undefined {
    place.through = entry.seq;
    const messages = this.#messagesOf(session, entry);
    const { open, conclude, writer } = this.#services;
    const ended = new Map<LivePod, LiveContext[]>();
    for (const [index, { envelope, branchId, projectId, tokens, concludes }] of messages.entries()) {
      const pod = open(session.org, projectId);
      // An entry has been told with its last message: after a crash before that it is told again, and heard once.
      const through = index === messages.length - 1 ? entry.seq : entry.seq - 1;
      const mirrors = { session_id: session.id, branch_id: branchId, through };
      const origin = { principal: session.principal, cause: entry.id, mirrors, tokens, concludes };
      pod.mirror(envelope, origin);
      const context = concludes ? pod.contexts.get(branchId) : undefined;
      if (context) ended.set(pod, [...(ended.get(pod) ?? []), context]);
    }
    for (const [pod, contexts] of ended) conclude(pod, contexts);
    return writer.bytes > MOST_WAITING ? writer.settled() : undefined;
  }

  #remember(id: string, place: MirrorPosition): void {
    if (this.#places.size >= SESSIONS_REMEMBERED) {
      this.#places.delete(this.#places.keys().next().value!);
    }
    this.#places.set(id, place);
  }
}
