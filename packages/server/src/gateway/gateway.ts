import {
  CLOSE_CODES,
  type EntryId,
  type Envelope,
  type Limits,
  type Participant,
  POD_NAME,
} from '@infold/protocol';
import type { Entry, Journal } from '../journal/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import { type Caller, localOwner } from '../trust/caller.ts';
import type { DenialLog } from '../trust/denials.ts';
import type { RateLimiter } from '../trust/rate.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import { podStream } from '../trust/streams.ts';
import { badPodName } from './access.ts';
import { queryHistory } from './catch-up.ts';
import { Refusal } from './errors.ts';
import type { EnvelopeAccepted, EnvelopeRefused, EnvelopeSubmitted, GatewayEvent } from './events.ts';
import { HistoryWriter } from './history.ts';
import type { Member } from './member.ts';
import { LEASE_RENEWAL, Ownership } from './ownership.ts';
import { type Join, Pod, type PodServices } from './pod.ts';
import {
  type ContextRow,
  contextRows,
  type HistoryQuery,
  podByName,
  readHistory,
  type StoredEnvelope,
  waitingSubmissions,
} from './queries.ts';
import { trimHistory } from './retention.ts';
import type { GatewaySettings } from './settings.ts';
import { tidySummary } from './text.ts';
import { Throttle } from './throttle.ts';
import { closeEnded } from './tokens.ts';

export interface GatewayServices {
  journal: Journal;
  clock: Clock;
  limits: Limits;
  settings: GatewaySettings;
  scrubber: Scrubber;
  limiter: RateLimiter;
  denials: DenialLog;
  onError: (error: unknown, what: string) => void;
}

const SWEEP_MOST = 5000;
const SWEEP_LEAST = 20;
const TOKEN_CHECK = 10_000;
const RETENTION_CHECK = 60 * 60_000;
const FIRST_RETENTION_CHECK = 30_000;
const UNUSED = 10 * 60_000;
const CONTEXTS_LISTED = 10_000;

/** All pods that this process serves. */
export class Gateway {
  readonly settings: GatewaySettings;
  readonly #services: GatewayServices;
  readonly #pods = new Map<string, Pod>();
  readonly #writer: HistoryWriter;
  readonly #throttle: Throttle;
  readonly #ownership: Ownership;
  readonly #timers: NodeJS.Timeout[];
  #stopWatching: (() => void) | undefined;
  #wasOwner = false;
  #closing = false;

  constructor(services: GatewayServices) {
    this.#services = services;
    this.settings = services.settings;
    const { journal, clock, settings, scrubber } = services;
    this.#writer = new HistoryWriter(journal, scrubber, (error) =>
      services.onError(error, 'history was not written'),
    );
    this.#throttle = new Throttle(services.limiter, services.limits);
    this.#ownership = new Ownership(journal.database, clock);
    const sweepEvery = Math.max(SWEEP_LEAST, Math.min(SWEEP_MOST, settings.idleMs / 4));
    this.#timers = [
      this.#every(sweepEvery, 'contexts were not concluded', () => this.#sweep()),
      this.#every(LEASE_RENEWAL, 'the lease was not renewed', () => this.#renew()),
      this.#every(TOKEN_CHECK, 'tokens were not checked', () => this.#checkTokens()),
      this.#every(RETENTION_CHECK, 'history was not trimmed', () => this.trim()),
      this.#soon(FIRST_RETENTION_CHECK, 'history was not trimmed', () => this.trim()),
    ];
    if (waitingSubmissions(journal.database).length > 0) this.#attend();
  }

  /** Follows the journal and gives out positions, where no other process does: from the first pod on. */
  #attend(): void {
    if (this.#stopWatching) return;
    this.#stopWatching = this.#services.journal.watch((entry) => this.#watched(entry));
    this.#renew();
  }

  /** An idle server leaves the disk alone. */
  #rest(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#ownership.release();
    this.#wasOwner = false;
  }

  #every(interval: number, problem: string, work: () => unknown): NodeJS.Timeout {
    return setInterval(() => this.#try(problem, work), interval).unref();
  }

  #soon(pause: number, problem: string, work: () => unknown): NodeJS.Timeout {
    return setTimeout(() => this.#try(problem, work), pause).unref();
  }

  async #try(problem: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#services.onError(error, problem);
    }
  }

  join(podName: string, join: Join): { pod: Pod; member: Member } {
    const pod = this.open(join.caller.org, podName);
    const most = this.#services.limits.podConnections;
    if (pod.members.size >= most && !pod.members.has(join.participant)) {
      throw new InfoldError('rate_limited', `The pod has ${most} connections already`, {
        retryable: true,
        retryAfter: 10,
      });
    }
    return { pod, member: pod.join(join) };
  }

  open(org: string, name: string): Pod {
    const key = `${org}\n${name}`;
    const known = this.#pods.get(key);
    if (known) return known;
    if (this.#closing) throw new InfoldError('storage_failed', 'The gateway is closing', { retryable: true });
    if (!POD_NAME.test(name)) throw badPodName();
    if (this.#pods.size >= this.#services.limits.podsOpen) this.#closeUnused(0);
    if (this.#pods.size >= this.#services.limits.podsOpen) {
      throw new InfoldError('rate_limited', 'Too many pods are open', { retryable: true, retryAfter: 10 });
    }
    this.#attend();
    const opened = this.#pods.get(key);
    if (opened) return opened;
    const pod = new Pod(org, name, this.settings.historyOf(name), this.#podServices());
    this.#pods.set(key, pod);
    return pod;
  }

  #podServices(): PodServices {
    const { journal, limits, clock, denials } = this.#services;
    const submit = (pod: Pod, member: Member, envelope: Envelope) => this.#submit(pod, member, envelope);
    const ownership = this.#ownership;
    return {
      journal,
      limits,
      clock,
      writer: this.#writer,
      throttle: this.#throttle,
      get submit() {
        return ownership.isOwner ? undefined : submit;
      },
      denied: (pod, member) => {
        const { org, principal } = member.caller;
        denials.record({
          org,
          principal,
          action: 'send',
          resource: `pod ${pod.name}`,
          code: 'capability_violation',
        });
      },
      failed: (error) => this.#services.onError(error, 'history was not read'),
    };
  }

  /** Who is connected to this process. */
  participants(org: string, pod: string): Participant[] {
    return this.#pods.get(`${org}\n${pod}`)?.participants() ?? [];
  }

  openPods(org: string): Pod[] {
    return [...this.#pods.values()].filter((pod) => pod.org === org);
  }

  async messages(org: string, name: string, query: HistoryQuery): Promise<StoredEnvelope[]> {
    const open = this.#pods.get(`${org}\n${name}`);
    if (open) return queryHistory(open, query);
    const row = podByName(this.#services.journal.database, org, name);
    return row ? readHistory(this.#services.journal, row.id, query) : [];
  }

  async contexts(org: string, name: string): Promise<ContextRow[]> {
    const open = this.#pods.get(`${org}\n${name}`);
    if (open && open.mode !== 'durable') {
      return [...open.contexts.values()].map((context) => ({
        ...context,
        created_at: context.createdAt,
        last_at: context.lastAt,
        summary: tidySummary(context.summary),
        has_conclusion: context.concludedBy ? 1 : 0,
      }));
    }
    await this.#writer.flushed();
    const { database } = this.#services.journal;
    const row = podByName(database, org, name);
    return row ? contextRows(database, row.id, CONTEXTS_LISTED) : [];
  }

  knows(org: string, name: string): boolean {
    return (
      this.#pods.has(`${org}\n${name}`) || podByName(this.#services.journal.database, org, name) !== undefined
    );
  }

  /** A message of the program itself. Throws a `Refusal` when the pod does not take it. */
  publish(org: string, pod: string, envelope: Envelope, caller: Caller, cause?: EntryId): void {
    this.open(org, pod).publish(envelope, caller, cause);
  }

  /** Resolves when everything that was said so far is durable. */
  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  trim(): Promise<void> {
    // One process is enough for that; a server at rest cannot know of others, and doing it twice does no harm.
    if (this.#stopWatching && !this.#ownership.isOwner) return Promise.resolve();
    const { journal, clock } = this.#services;
    return trimHistory(journal, this.settings.retention, clock());
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const pod of this.#pods.values()) {
      for (const member of [...pod.members.values()])
        member.close(CLOSE_CODES.goingAway, 'the server is stopping');
    }
    await this.#writer.close();
    this.#rest();
  }

  #sweep(): void {
    const now = this.#services.clock();
    const concluded: { pod: Pod; ids: string[] }[] = [];
    for (const pod of this.#pods.values()) {
      if (pod.mode === 'durable' && !this.#ownership.isOwner) continue;
      const idle = pod.contexts.idle(now - this.settings.idleMs);
      const used = idle.filter(({ state }) => state === 'live').map(({ id }) => id);
      for (const context of idle) pod.conclude(context);
      if (pod.mode === 'durable' && used.length > 0) concluded.push({ pod, ids: used });
    }
    for (const { pod, ids } of concluded) void this.#recordConclusions(pod, ids);
    this.#closeUnused(UNUSED);
  }

  /** After the messages: a conclusion that came before them would be undone by them. */
  async #recordConclusions(pod: Pod, ids: string[]): Promise<void> {
    await this.#writer.flushed();
    const { org, name } = pod;
    const still = ids.filter((id) => pod.contexts.get(id)?.state !== 'live');
    const events = still.map(
      (id): GatewayEvent => ({ type: 'context.concluded', data: { org, pod: name, id } }),
    );
    await this.#commit(podStream(org, name), events, undefined, org);
  }

  async #commit(
    stream: string,
    events: GatewayEvent[],
    cause: EntryId | undefined,
    org: string,
  ): Promise<void> {
    if (events.length === 0) return;
    try {
      await this.#services.journal.commit({
        stream,
        actor: { org, principal: 'system:gateway' },
        group: true,
        ...(cause === undefined ? {} : { cause }),
        decide: () => ({ events, answer: undefined }),
      });
    } catch (error) {
      this.#services.onError(error, 'history was not written');
    }
  }

  /** Pods that nobody is connected to. What only memory holds stays for as long as there is room. */
  #closeUnused(idle: number): void {
    const now = this.#services.clock();
    for (const [key, pod] of this.#pods) {
      if (pod.members.size > 0 || now - pod.usedAt < idle || pod.seq > pod.durable) continue;
      const open = [...pod.contexts.values()].some(({ state }) => state === 'live');
      if (!open && (pod.mode === 'durable' || idle === 0)) this.#pods.delete(key);
    }
    if (this.#pods.size === 0 && this.#stopWatching && idle > 0) this.#rest();
  }

  #renew(): void {
    if (!this.#stopWatching || this.#closing) return;
    // A machine that slept has lost its lease without noticing.
    const held = this.#wasOwner && this.#ownership.isOwner;
    this.#ownership.renew();
    const { isOwner } = this.#ownership;
    if (isOwner && !held) {
      for (const pod of this.#pods.values()) if (pod.mode === 'durable') pod.restart();
      this.#acceptWaiting();
    }
    this.#wasOwner = isOwner;
  }

  #checkTokens(): void {
    const { journal, clock } = this.#services;
    closeEnded(this.#pods.values(), journal.database, clock());
  }

  /** Entries of this process and of the others. */
  #watched(entry: Entry): void {
    for (const { type, data } of entry.events as GatewayEvent[]) {
      if ((type as string) === 'token.revoked') this.#checkTokens();
      else if (type === 'envelope.accepted') this.#accepted(data);
      else if (type === 'envelope.submitted') this.#submitted(entry, data);
      else if (type === 'envelope.refused') this.#refused(data);
      else if (type === 'context.concluded') {
        const pod = this.#pods.get(`${data.org}\n${data.pod}`);
        const context = pod?.contexts.get(data.id);
        if (pod && context?.state === 'live' && !this.#ownership.isOwner) pod.conclude(context);
      }
    }
  }

  #accepted(data: EnvelopeAccepted): void {
    const pod = this.#pods.get(`${data.org}\n${data.pod}`);
    // What this process accepted was broadcast long before it was written.
    if (pod && data.epoch !== pod.epoch) pod.applyStored(data);
    else if (pod && !this.#ownership.isOwner) pod.applyStored(data);
  }

  #submit(pod: Pod, member: Member, envelope: Envelope): void {
    const { org, name } = pod;
    const { envelope: clean } = this.#writer.scrub(envelope);
    const event: GatewayEvent = { type: 'envelope.submitted', data: { org, pod: name, envelope: clean } };
    this.#services.journal
      .commit({
        stream: podStream(org, name),
        actor: member.caller.actor,
        group: true,
        decide: () => ({ events: [event], answer: undefined }),
      })
      .catch((error) => {
        this.#services.onError(error, 'a message was not handed on');
        pod.refuse(
          member,
          new Refusal('rate_limit', 'The journal is busy; try again in 1 s', envelope.id, { retry_after: 1 }),
        );
      });
  }

  #submitted(entry: Pick<Entry, 'id' | 'actor'>, data: EnvelopeSubmitted): void {
    if (!this.#ownership.isOwner || this.#closing) return;
    const { org, pod: name, envelope } = data;
    const { principal } = entry.actor;
    const caller: Caller = { ...localOwner, org, principal, actor: entry.actor };
    try {
      this.open(org, name).acceptSubmitted(envelope, caller, entry.id);
    } catch (error) {
      const refusal =
        error instanceof Refusal ? error : new Refusal('rate_limit', 'The pod cannot be opened');
      const refused: EnvelopeRefused = {
        ...{ org, pod: name, id: envelope.id, from: envelope.from },
        error: refusal.code,
        message: refusal.message,
      };
      void this.#commit(podStream(org, name), [{ type: 'envelope.refused', data: refused }], entry.id, org);
    }
  }

  #refused({ org, pod: name, id, from, error, message }: EnvelopeRefused): void {
    if (this.#ownership.isOwner) return;
    const pod = this.#pods.get(`${org}\n${name}`);
    const member = pod?.members.get(from);
    if (pod && member) pod.refuse(member, new Refusal(error as Refusal['code'], message, id));
  }

  /** What was handed in while nobody gave out positions. */
  #acceptWaiting(): void {
    const { journal } = this.#services;
    for (const { entry: seq, place } of waitingSubmissions(journal.database)) {
      const entry = journal.entryAt(seq);
      const event = entry?.events[place] as GatewayEvent | undefined;
      if (entry && event?.type === 'envelope.submitted') this.#submitted(entry, event.data);
    }
  }
}
