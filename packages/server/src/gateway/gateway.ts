import { CLOSE_CODES, type EnvelopeInput, type Limits, type Participant, POD_NAME } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { Cluster } from '../journal/cluster/cluster.ts';
import { type Entry, FORGOTTEN, type Journal } from '../journal/journal.ts';
import { oneByOne } from '../kernel/background.ts';
import type { Clock } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { DenialLog } from '../trust/access/denials.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { RateLimiter } from '../trust/limits/rate.ts';
import { Shares } from '../trust/limits/shares.ts';
import { podStream } from '../trust/streams.ts';
import { badPodName } from './access.ts';
import type { Position } from './commands.ts';
import { Conclusions } from './contexts/conclusions.ts';
import { rowOf } from './contexts/context-index.ts';
import type { EnvelopeAccepted, GatewayEvent } from './events.ts';
import { EnvelopePreparer } from './history/prepare.ts';
import { trimHistory } from './history/retention.ts';
import { HistoryWriter, type Pending } from './history/writer.ts';
import { BranchMirror } from './mirror/branch-mirror.ts';
import { operationOf } from './mirror/branches.ts';
import type { LeaseTimes } from './nodes/cluster/leases.ts';
import { SharedPods } from './nodes/cluster/shared-pods.ts';
import { HandOver } from './nodes/hand-over.ts';
import { LEASE_RENEWAL, PositionLease } from './nodes/lease.ts';
import { Ownership } from './nodes/ownership.ts';
import type { Positions } from './nodes/positions.ts';
import { Timers } from './nodes/timers.ts';
import { Budget } from './pod/budget.ts';
import { queryHistory } from './pod/catch-up.ts';
import { resolveCorrelation } from './pod/correlation.ts';
import { closeExpired, closeRevoked } from './pod/expired-tokens.ts';
import { Member, silentWire } from './pod/member.ts';
import { type Join, Pod } from './pod/pod.ts';
import { denialOf } from './pod/send-checks.ts';
import { closeSlowest } from './pod/slow-readers.ts';
import type { PodServices } from './pod/state.ts';
import { Throttle } from './pod/throttle.ts';
import {
  type ContextRow,
  contextRows,
  type HistoryPage,
  type HistoryQuery,
  podByName,
  podsInUse,
  readHistory,
  waitingSubmissions,
} from './queries.ts';
import type { GatewaySettings } from './settings.ts';
import { EnvelopeIdentifiers } from './wire/identifiers.ts';

declare module '../call/parts.ts' {
  interface Parts {
    gateway: Gateway;
  }
}

export interface GatewayServices {
  journal: Journal;
  clock: Clock;
  limits: Limits;
  settings: GatewaySettings;
  scrubber: Scrubber;
  limiter: RateLimiter;
  denials: DenialLog;
  /** False for a process that says something now and then, and leaves the rest to one that serves. */
  serves: boolean;
  /** In a cluster: how soon who does not renew counts as dead. */
  leaseTimes?: LeaseTimes | undefined;
  onError: (error: unknown, what: string) => void;
}

const SWEEP_MOST = 5000;
const SWEEP_LEAST = 20;
const EXPIRY_CHECK = 1000;
const BUFFER_CHECK = 500;
const TOKEN_CHECK = 10_000;
const RETENTION_CHECK = 60 * 60_000;
const FIRST_RETENTION_CHECK = 30_000;
const UNUSED = 10 * 60_000;
const CONTEXTS_LISTED = 10_000;
const FIRST_LOOK = 200;
const ABANDONED = 'work left from before the start could not be resumed';

/** All pods that this process serves. */
export class Gateway {
  readonly settings: GatewaySettings;
  readonly identifiers: EnvelopeIdentifiers;
  readonly #services: GatewayServices;
  readonly #pods = new Map<string, Pod>();
  readonly #shares: Shares;
  readonly #releases = new Map<string, () => void>();
  readonly #writer: HistoryWriter;
  readonly #throttle: Throttle;
  readonly #budgets: PodServices['budgets'];
  readonly #positions: Positions;
  /** In a cluster: pods as its nodes share them. */
  readonly #shared: SharedPods | undefined;
  readonly #handOver: HandOver;
  readonly #preparation: EnvelopePreparer;
  readonly #conclusions: Conclusions;
  readonly #mirror: BranchMirror;
  readonly #timers: Timers;
  readonly #stopWatching: () => void;
  readonly #ending = new AbortController();
  #closing = false;
  #sweeping = false;

  constructor(services: GatewayServices) {
    this.#services = services;
    this.settings = services.settings;
    this.identifiers = new EnvelopeIdentifiers(services.scrubber);
    const { journal, clock, settings, scrubber, limits } = services;
    this.#shared = journal.cluster && this.#share(journal.cluster);
    this.#positions =
      this.#shared ?? new Ownership(new PositionLease(journal.database, clock), () => this.#takeTurn());
    this.#preparation = new EnvelopePreparer(scrubber, (error) =>
      services.onError(error, 'a message could not be scanned for secrets'),
    );
    const storing = {
      journal,
      preparation: this.#preparation,
      patience: limits.lockWait,
      operationOf: (database: Database, message: EnvelopeAccepted & { principal: string }) =>
        operationOf(database, message, settings.mirrorBranches),
    };
    this.#writer = new HistoryWriter({
      ...storing,
      hasUncertainWrites: journal.cluster !== undefined,
      isOthers: (...asked) => this.#positions.isOthers(...asked),
      onError: (error) => services.onError(error, 'history could not be written'),
    });
    this.#budgets = {
      recent: new Budget(limits.recentBytesInAll),
      contexts: new Budget(limits.contextBytesInAll),
      ids: new Budget(limits.messageIdBytesInAll),
    };
    this.#shares = new Shares('pods', limits);
    this.#throttle = new Throttle(services.limiter, limits);
    this.#handOver = new HandOver({
      ...storing,
      isOwner: (pod) => this.#positions.isOwner(pod) && !this.#closing,
      mostBytes: limits.historyBufferBytes,
      isServed: (database, pod, now = clock()) => this.#positions.isServed(database, now, pod),
      accept: ({ org, pod, envelope }, caller, cause) =>
        this.open(org, pod).acceptSubmitted(envelope, caller, cause),
      onError: (error) => services.onError(error, 'a message could not be handed over'),
    });
    this.#conclusions = new Conclusions({
      journal,
      scrubber,
      settings,
      writer: this.#writer,
      commit: (pod, events) => this.#commit(pod.org, pod.name, events),
      onError: (error) => services.onError(error, 'contexts could not be concluded'),
    });
    this.#mirror = new BranchMirror({
      journal,
      clock,
      sessionLifetime: limits.sessionLifetime,
      configured: settings.mirrorBranches,
      lead: () => this.#lead(),
      open: (org, project) => this.open(org, project),
      conclude: (pod, contexts) => void this.#conclusions.conclude(pod, contexts),
      writer: this.#writer,
      onError: (error) => services.onError(error, 'a branch could not be mirrored to its pod'),
    });
    this.#timers = new Timers(services.onError);
    const sweepEvery = settings.policy.leastIdle(settings.idleMs) / 4;
    const timers = this.#timers;
    timers.every(
      Math.max(SWEEP_LEAST, Math.min(SWEEP_MOST, sweepEvery)),
      'contexts could not be concluded',
      () => this.#sweep(),
    );
    timers.every(BUFFER_CHECK, 'slow receivers could not be disconnected', () =>
      closeSlowest(this.#pods.values(), limits.readerBytesInAll),
    );
    timers.every(LEASE_RENEWAL, 'the lease on positions could not be renewed', () => this.#positions.renew());
    timers.every(EXPIRY_CHECK, 'tokens could not be checked', () =>
      closeExpired(this.#pods.values(), clock()),
    );
    timers.every(TOKEN_CHECK, 'tokens could not be checked', () => this.#checkTokens());
    timers.every(RETENTION_CHECK, 'history could not be trimmed', () => this.trim());
    timers.once(FIRST_RETENTION_CHECK, 'history could not be trimmed', () => this.trim());
    this.#stopWatching = journal.watch((entry) => this.#watched(entry));
    if (!services.serves) return;
    timers.once(FIRST_LOOK, ABANDONED, () => this.#goOn());
    if (waitingSubmissions(journal.database, 0, 1).length > 0) this.#positions.begin();
  }

  /** What was left undone while nobody served: contexts that nobody concluded, branches that nobody told of. */
  async #goOn(): Promise<void> {
    await oneByOne(podsInUse(this.#services.journal.database), ({ org, name }) => {
      if (!this.#closing && !this.#isElsewhere(org, name)) this.open(org, name).load();
      return this.#closing;
    });
    if (!this.#closing && (await this.#mirror.isBehind()) && !this.#closing) this.#positions.begin();
  }

  #lead(): boolean {
    if (this.#closing) return false;
    this.#positions.begin();
    return this.#positions.isOwner();
  }

  join(podName: string, join: Join): { pod: Pod; member: Member } {
    this.identifiers.checkName('participant', join.participant);
    const pod = this.open(join.caller.org, podName, join.caller);
    const most = this.#services.limits.podConnections;
    const elsewhere = this.#shared?.presence.elsewhere(pod.stream) ?? [];
    const isConnected =
      pod.members.has(join.participant) || elsewhere.some(({ id }) => id === join.participant);
    if (pod.members.size + elsewhere.length >= most && !isConnected) {
      throw new InfoldError(
        'rate_limited',
        `The pod already has ${most} connections (limits.podConnections); try again in 10 s`,
        {
          retryable: true,
          retryAfter: 10,
        },
      );
    }
    return { pod, member: pod.join(join) };
  }

  /** A pod counts to the share of who opened it; what the gateway opens by itself is nobody's. */
  open(org: string, name: string, opener?: Caller): Pod {
    const key = keyOf(org, name);
    const known = this.#pods.get(key);
    if (known) return known;
    if (this.#closing) throw new InfoldError('storage_failed', 'The gateway is closing', { retryable: true });
    if (!POD_NAME.test(name)) throw badPodName();
    this.identifiers.checkName('pod', name);
    const most = this.#services.limits.podsOpen;
    const release = opener && this.#takeShare(opener);
    if (this.#pods.size >= most) this.#closeUnused(0);
    if (this.#pods.size >= most) {
      release?.();
      const problem = `${most} pods are already in use (limits.podsOpen); try again in 10 s`;
      throw new InfoldError('rate_limited', problem, { retryable: true, retryAfter: 10 });
    }
    if (this.#services.serves) this.#positions.begin();
    const opened = this.#pods.get(key);
    if (opened) {
      release?.();
      return opened;
    }
    const { historyOf, policy } = this.settings;
    const pod = new Pod(org, name, historyOf(name), policy.forPod(name), this.#podServices());
    this.#pods.set(key, pod);
    this.#shared?.opened(pod);
    if (release) this.#releases.set(key, release);
    return pod;
  }

  #takeShare(opener: Caller): () => void {
    try {
      return this.#shares.take(opener);
    } catch {
      // Pods that nobody is in any more make room, but only those of the organisation that needs it.
      this.#closeUnused(0, opener.org);
      return this.#shares.take(opener);
    }
  }

  #podServices(): PodServices {
    const { journal, limits, clock, denials } = this.#services;
    const shared = this.#shared;
    return {
      journal,
      limits,
      clock,
      writer: this.#writer,
      budgets: this.#budgets,
      throttle: this.#throttle,
      identifiers: this.identifiers,
      positions: this.#positions,
      shared,
      place: (...said) => (shared ? shared.place(...said) : this.#handOver.place(...said)),
      released: (message, reason) => this.#released(message, reason),
      untold: (session) => this.#mirror.untold(session),
      denied: (pod, member) => denials.record(denialOf(pod.name, member)),
      resolve: (caller, id) => resolveCorrelation(journal, this, caller, id),
      failed: (error) => this.#services.onError(error, 'history could not be read'),
    };
  }

  /** A message of which this process was to give the position, and did not after all. */
  #released({ home: { org, name: pod }, envelope, mirrors }: Pending, reason: string): void {
    if (mirrors) {
      this.#mirror.untold(mirrors.session_id);
      return;
    }
    this.#handOver.released({ org, pod, envelope }, reason);
  }

  /**
   * Resolves when a message can be stored without waiting for what is loaded once, and in a cluster when everything is known
   * here that somebody may have heard in the pod on another node.
   */
  async ready(join?: Pick<Join, 'caller' | 'since'> & { pod: string }): Promise<void> {
    await this.#preparation.warmUp();
    if (!this.#shared || !join) return;
    await this.#shared.caughtUp(this.open(join.caller.org, join.pod, join.caller), join.since);
  }

  /** Aborted when nobody should wait for news any more. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** The process is about to end: who waits is answered with what there is. */
  end(): void {
    this.#ending.abort();
  }

  /** Who is connected to this process, or in a cluster to any node. */
  participants(org: string, pod: string): Participant[] {
    const open = this.#pods.get(keyOf(org, pod));
    return open?.participants() ?? this.#shared?.presence.elsewhere(podStream(org, pod)) ?? [];
  }

  /** Everybody who is connected to a pod of this process. */
  members(): { pod: string; id: string; caller: Caller }[] {
    return [...this.#pods.values()].flatMap((pod) =>
      [...pod.members.values()].map(({ id, caller }) => ({ pod: pod.name, id, caller })),
    );
  }

  openPods(org: string): Pod[] {
    return [...this.#pods.values()].filter((pod) => pod.org === org);
  }

  async messages(org: string, name: string, asked: Omit<HistoryQuery, 'bytes'>): Promise<HistoryPage> {
    const query = { ...asked, bytes: this.#services.limits.historyPageBytes };
    const open = this.#pods.get(keyOf(org, name));
    if (open) return queryHistory(open, query);
    const row = podByName(this.#services.journal.database, org, name);
    return row ? readHistory(this.#services.journal, row.id, query) : { messages: [], more: false };
  }

  async contexts(org: string, name: string): Promise<ContextRow[]> {
    const open = this.#pods.get(keyOf(org, name));
    if (open && open.mode !== 'durable') return [...open.contexts.values()].map(rowOf);
    await this.#writer.flushed();
    const { database } = this.#services.journal;
    const row = podByName(database, org, name);
    return row ? contextRows(database, row.id, CONTEXTS_LISTED) : [];
  }

  /** What is kept in memory of contexts, and of ids of messages. */
  get contextBytes(): number {
    return this.#budgets.contexts.bytes;
  }

  get messageIdBytes(): number {
    return this.#budgets.ids.bytes;
  }

  /** Contexts with this id in pods whose history is not stored. */
  contextsInMemory(org: string, id: string): (ContextRow & { pod: string })[] {
    return this.openPods(org).flatMap((pod) => {
      const context = pod.mode === 'durable' ? undefined : pod.contexts.get(id);
      return context ? [{ ...rowOf(context), pod: pod.name }] : [];
    });
  }

  knows(org: string, name: string): boolean {
    return (
      this.#pods.has(keyOf(org, name)) || podByName(this.#services.journal.database, org, name) !== undefined
    );
  }

  /**
   * A message of somebody who is not connected. It passes everything that a participant's would; throws a `Refusal`
   * when the pod does not take it. Resolves when it is durable, where the pod's history is.
   */
  async say(
    podName: string,
    caller: Caller,
    participant: string,
    envelope: EnvelopeInput,
  ): Promise<Position> {
    this.identifiers.checkName('participant', participant);
    const pod = this.open(caller.org, podName, caller);
    const filter = { contexts: 'main' } as const;
    const speaker = new Member({ id: participant, caller, wire: silentWire, filter, bufferLimit: 0 });
    if (this.#services.serves) this.#positions.begin();
    return pod.say(speaker, envelope);
  }

  /** Resolves when everything that was said so far is durable. */
  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  trim(): Promise<void> {
    // One process is enough for that; a server at rest cannot know of others, and doing it twice does no harm.
    if (this.#positions.isWanted && !this.#positions.isOwner()) return Promise.resolve();
    const { journal, clock } = this.#services;
    return trimHistory(journal, this.settings.retention, clock());
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.end();
    this.#shared?.end();
    this.#timers.stop();
    for (const pod of this.#pods.values()) {
      for (const member of [...pod.members.values()])
        member.close(CLOSE_CODES.goingAway, 'the server is stopping');
    }
    await this.#writer.close();
    await this.#conclusions.settled();
    this.#stopWatching();
    this.#positions.rest();
    await this.#shared?.stop();
  }

  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      // One after the other: all at once would take as long as all of them together.
      for (const pod of [...this.#pods.values()]) {
        const isOurs = pod.mode !== 'durable' || this.#positions.isOwner(pod.stream);
        if (!isOurs || this.#closing) continue;
        await pod.loadOpenContexts();
        await this.#conclusions.sweep(pod, this.#services.clock());
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!this.#closing) this.#closeUnused(UNUSED);
    } finally {
      this.#sweeping = false;
    }
  }

  async #commit(org: string, pod: string, events: GatewayEvent[]): Promise<void> {
    if (events.length === 0) return;
    try {
      await this.#services.journal.commit({
        stream: podStream(org, pod),
        actor: { org, principal: 'system:gateway' },
        group: true,
        decide: () => ({ events, answer: undefined }),
      });
    } catch (error) {
      this.#services.onError(error, 'history could not be written');
    }
  }

  /** Pods that nobody is connected to. What only memory holds stays for as long as there is room. */
  #closeUnused(idle: number, org?: string): void {
    const now = this.#services.clock();
    for (const [key, pod] of this.#pods) {
      if (org !== undefined && pod.org !== org) continue;
      if (pod.members.size > 0 || now - pod.usedAt < idle || pod.seq > pod.durable) continue;
      if (pod.contexts.hasOpen || (pod.mode !== 'durable' && idle > 0)) continue;
      this.#pods.delete(key);
      this.#shared?.closed(pod);
      pod.forget();
      this.#releases.get(key)?.();
      this.#releases.delete(key);
    }
    if (this.#pods.size === 0 && this.#positions.isWanted && idle > 0) this.#positions.rest();
  }

  #share(cluster: Cluster): SharedPods {
    const { journal, limits, serves, leaseTimes, onError } = this.#services;
    return new SharedPods({
      ...{ cluster, journal, serves, leaseTimes, patience: limits.lockWait },
      handOver: ({ org, name }, ...said) => this.#handOver.place(this.open(org, name), ...said),
      turned: (pod) => {
        if (pod) void this.#handOver.acceptWaiting();
        else this.#mirror.restart();
      },
      conclude: ({ org, name }, id) => {
        const pod = this.open(org, name);
        const context = pod.contexts.get(id);
        if (context) void this.#conclusions.conclude(pod, [context]);
      },
      died: () => {
        if (serves && !this.#closing) void this.#goOn().catch((error) => onError(error, ABANDONED));
      },
      onError: (error) => onError(error, 'a pod could not be shared with the other nodes'),
    });
  }

  #takeTurn(): void {
    for (const pod of this.#pods.values()) if (pod.mode === 'durable') pod.restart();
    void this.#handOver.acceptWaiting();
    this.#mirror.restart();
  }

  #checkTokens(): void {
    closeRevoked(this.#pods.values(), this.#services.journal.database);
  }

  /** Entries of this process and of the others. */
  #watched(entry: Entry): void {
    if (this.#services.serves) this.#mirror.watched(entry);
    for (const { type, data } of entry.events) {
      if (type === 'token.revoked') this.#checkTokens();
      else if (type === FORGOTTEN) this.#forgotten();
      else if (type === 'envelope.accepted') this.#accepted(data);
      else if (type === 'envelope.submitted') this.#handOver.submitted(entry, data);
      else if (type === 'envelope.refused') this.#handOver.refused(data);
      else if (type === 'pod.taken') this.#pods.get(keyOf(data.org, data.pod))?.taken(data.epoch);
      else if (type === 'context.concluded') {
        const pod = this.#pods.get(keyOf(data.org, data.pod));
        const context = pod?.contexts.get(data.id);
        if (pod && context?.state === 'live' && !this.#positions.isOwner(pod.stream))
          pod.conclude(context, data.summary);
      }
    }
  }

  /** Another node has the pod open, and does what is to be done for it. */
  #isElsewhere(org: string, pod: string): boolean {
    const { journal, clock } = this.#services;
    return this.#shared?.isServed(journal.database, clock(), podStream(org, pod)) ?? false;
  }

  #openLater(org: string, pod: string): void {
    if (this.#isElsewhere(org, pod)) return;
    try {
      this.open(org, pod).load();
    } catch (error) {
      this.#services.onError(error, 'contexts could not be concluded');
    }
  }

  /** What memory still has would be sent to who comes back. */
  #forgotten(): void {
    for (const pod of this.#pods.values()) if (pod.mode === 'durable') pod.recent.dropThrough(pod.durable);
  }

  #accepted(data: EnvelopeAccepted): void {
    this.#handOver.accepted(data);
    const pod = this.#pods.get(keyOf(data.org, data.pod));
    // A context that a process left behind which does not serve: somebody has to conclude it.
    if (!pod && this.#services.serves && data.envelope.context) this.#openLater(data.org, data.pod);
    // What this process accepted was broadcast long before it was written.
    if (pod && data.epoch !== pod.epoch) pod.applyStored(data);
  }
}

function keyOf(org: string, pod: string): string {
  return `${org}\n${pod}`;
}
