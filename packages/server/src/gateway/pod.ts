import {
  CLOSE_CODES,
  type EntryId,
  type Envelope,
  type EnvelopeInput,
  type GatewayFilter,
  type HistoryMode,
  type Limits,
  type Participant,
  type WelcomePayload,
} from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import { randomId } from '../kernel/ids.ts';
import type { Caller } from '../trust/caller.ts';
import { catchUp } from './catch-up.ts';
import { ContextIndex, contextPayload, type LiveContext } from './contexts.ts';
import { control } from './control.ts';
import type { Resolved } from './correlation.ts';
import { Refusal } from './errors.ts';
import type { EnvelopeAccepted, MirroredFrom } from './events.ts';
import { Frame } from './frame.ts';
import type { HistoryWriter } from './history.ts';
import type { Identifiers } from './identifiers.ts';
import { Member, TOO_SLOW, type Wire } from './member.ts';
import type { PodPolicy } from './policy.ts';
import { contextRows, metadataOf, newestIds, podByName } from './queries.ts';
import { Receivers } from './receivers.ts';
import { Recent } from './recent.ts';
import { checkSize, countLater, fill, isPermitted } from './saying.ts';
import type { Throttle } from './throttle.ts';
import { isExpired, letGo } from './tokens.ts';
import { readIncoming, splice, systemMessage } from './wire.ts';

/** What a pod needs of the gateway. */
export interface PodServices {
  journal: Journal;
  limits: Limits;
  clock: Clock;
  writer: HistoryWriter;
  throttle: Throttle;
  identifiers: Identifiers;
  /** Hands a message to the process that gives out positions; undefined when that is this one. */
  submit: ((pod: Pod, member: Member, envelope: Envelope) => void) | undefined;
  denied(pod: Pod, member: Member): void;
  resolve(caller: Caller, id: string): Promise<Resolved>;
  failed(error: unknown): void;
}

export interface Join {
  caller: Caller;
  participant: string;
  wire: Wire;
  filter: GatewayFilter;
  /** Resume after this position; `epoch` is the life of the pod that it was seen in. */
  since: number | undefined;
  epoch: string | undefined;
}

const KNOWN_IDS = 10_000;
const KNOWN_CONTEXTS = 10_000;

/** Everyone who is connected to one pod, and what was said there lately. */
export class Pod {
  readonly org: string;
  readonly name: string;
  readonly mode: HistoryMode;
  readonly policy: PodPolicy;
  readonly services: PodServices;
  readonly contexts: ContextIndex;
  readonly recent: Recent;
  readonly receivers: Receivers;
  readonly members = new Map<string, Member>();
  epoch = randomId('epoch');
  seq = 0;
  /** Messages up to here are in the journal. */
  durable = 0;
  usedAt: number;
  readonly #ids = new Set<string>();

  constructor(org: string, name: string, mode: HistoryMode, policy: PodPolicy, services: PodServices) {
    this.org = org;
    this.name = name;
    this.mode = mode;
    this.policy = policy;
    this.services = services;
    const { limits } = services;
    this.contexts = new ContextIndex(limits, policy);
    this.recent = new Recent(limits.recentEnvelopes, limits.recentEnvelopeBytes);
    this.receivers = new Receivers((id) => this.contexts.ancestors(id));
    this.usedAt = services.clock();
    if (mode === 'durable') this.#load();
  }

  #load(): void {
    const { database } = this.services.journal;
    const row = podByName(database, this.org, this.name);
    if (!row) return;
    this.seq = row.seq;
    this.durable = row.seq;
    for (const id of newestIds(database, row.id, KNOWN_IDS)) this.#ids.add(id);
    for (const found of contextRows(database, row.id, KNOWN_CONTEXTS).reverse()) {
      this.contexts.restore({
        ...found,
        createdAt: found.created_at,
        lastAt: found.last_at,
        touchedAt: found.last_at,
        concludedBy: found.has_conclusion === 1,
        metadata: found.state === 'live' ? metadataOf(found) : null,
      });
    }
  }

  /** Positions go on from what is stored: after another process had them, or wrote between. */
  restart(): void {
    this.epoch = randomId('epoch');
    this.seq = Math.max(this.seq, podByName(this.services.journal.database, this.org, this.name)?.seq ?? 0);
  }

  join({ caller, participant, wire, filter, since, epoch }: Join): Member {
    const earlier = this.members.get(participant);
    if (earlier) {
      this.#detach(earlier);
      earlier.close(CLOSE_CODES.replaced, 'replaced by a newer connection');
    }
    const bufferLimit = this.services.limits.readerBufferBytes;
    const onSlow = (slow: Member) => this.leave(slow, ...TOO_SLOW);
    const member = new Member({ id: participant, caller, wire, filter, bufferLimit, onSlow });
    const participants = this.participants();
    this.members.set(participant, member);
    const welcome: WelcomePayload = {
      you: member.participant,
      participants,
      pod: this.name,
      epoch: this.epoch,
      seq: this.seq,
      history: this.mode,
      filter,
      templates: this.policy.templates,
    };
    member.send(this.#system('system/welcome', welcome));
    if (!earlier) this.#presence('join', member);
    if (since === undefined || (since === this.seq && this.#sameLife(epoch))) this.receivers.add(member);
    else void catchUp(this, member, since, epoch);
    this.usedAt = this.services.clock();
    return member;
  }

  #sameLife(epoch: string | undefined): boolean {
    return epoch === undefined || epoch === this.epoch;
  }

  /** Its connection ended, or is to end with this code. */
  leave(member: Member, code?: number, reason = ''): void {
    if (code !== undefined) member.close(code, reason);
    member.closed = true;
    if (this.members.get(member.id) !== member) return;
    this.#detach(member);
    this.#presence('leave', member);
    this.usedAt = this.services.clock();
  }

  #detach(member: Member): void {
    this.members.delete(member.id);
    this.receivers.remove(member);
  }

  participants(): Participant[] {
    return [...this.members.values()].map((member) => member.participant);
  }

  #presence(event: 'join' | 'leave', { id, participant }: Member): void {
    if (this.members.size === 0) return;
    const frame = this.#system('system/presence', { event, participant });
    for (const other of this.members.values()) if (other.id !== id) other.send(frame);
  }

  #system(kind: string, payload: object, more: Record<string, unknown> = {}): Frame {
    return new Frame(systemMessage(kind, payload, more, this.services.clock()));
  }

  tell(member: Member, kind: string, payload: object, correlation?: string): void {
    member.send(
      this.#system(kind, payload, correlation === undefined ? {} : { correlation_id: correlation }),
    );
  }

  /** A message of a participant. Whatever is wrong with it concerns its sender alone. */
  receive(member: Member, data: Buffer, isBinary: boolean): void {
    if (member.closed) return;
    if (isExpired(member, this.services.clock())) {
      letGo(this, member);
      return;
    }
    try {
      this.#receive(member, data, isBinary);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refuse(member, error);
    }
  }

  refuse(member: Member, refusal: Refusal): void {
    const { code: error, message, id, details } = refusal;
    this.tell(member, 'system/error', { error, message, ...details }, id);
  }

  #receive(member: Member, data: Buffer, isBinary: boolean): void {
    const { limits, throttle, identifiers } = this.services;
    const late = throttle.take(member.caller, data.length);
    if (isBinary) throw new Refusal('bad_json', 'Envelopes are text frames; this one was binary');
    checkSize(data.length, limits.envelopeBytes);
    const { envelope, text } = readIncoming(data.toString('utf8'), limits);
    identifiers.check(envelope);
    if (late) throw new Refusal('rate_limit', late.message, envelope.id, late.details);
    if (envelope.kind.startsWith('gateway/')) {
      this.#checkSender(member, envelope);
      control(this, member, envelope);
      return;
    }
    this.#say(member, envelope, text);
  }

  /**
   * A message of a participant, connected or not. Answers its position; undefined when another process gives those
   * out. Throws a `Refusal`.
   */
  say(member: Member, envelope: EnvelopeInput): number | undefined {
    const { limits, throttle, identifiers } = this.services;
    const incoming = readIncoming(JSON.stringify(envelope), limits);
    identifiers.check(incoming.envelope);
    const bytes = Buffer.byteLength(incoming.text);
    checkSize(bytes, limits.envelopeBytes, envelope.id);
    const late = throttle.take(member.caller, bytes);
    if (late) throw new Refusal('rate_limit', late.message, envelope.id, late.details);
    if (envelope.kind.startsWith('gateway/')) {
      throw new Refusal('bad_envelope', 'What is for the gateway itself needs a connection', envelope.id);
    }
    return this.#say(member, incoming.envelope, incoming.text);
  }

  #say(member: Member, envelope: EnvelopeInput, text: string): number | undefined {
    this.#checkSender(member, envelope);
    this.#checkCapability(member, envelope);
    this.#checkNew(envelope, member.id, member.caller);
    const now = this.services.clock();
    const filled = fill(envelope, member.id, now);
    if (this.services.submit && this.mode === 'durable') {
      this.services.submit(this, member, { ...envelope, ...filled } as Envelope);
      return undefined;
    }
    return this.#accept({ ...envelope, ...filled } as Envelope, filled, text, member.caller, now);
  }

  #checkSender(member: Member, { id, from }: EnvelopeInput): void {
    if (from === undefined || from === member.id) return;
    throw new Refusal('forged_sender', `You are "${member.id}"; leave "from" out or say so`, id);
  }

  #checkCapability(member: Member, { id, kind, context }: EnvelopeInput): void {
    const verdict = this.policy.verdict(kind, member.id, () =>
      context ? this.contexts.placeOf(context) : null,
    );
    if (isPermitted(member, kind, verdict)) return;
    this.services.denied(this, member);
    const where = verdict?.effect === 'deny' ? ` here (${verdict.rule})` : '';
    throw new Refusal('capability_violation', `You may not send "${kind}"${where}`, id, {
      attempted_kind: kind,
      your_capabilities: member.capabilities,
      ...(verdict?.effect === 'deny' ? { rule: verdict.rule } : {}),
    });
  }

  /** Refuses what was said already, what passes a limit of the contexts, and what history could not take. */
  #checkNew(envelope: EnvelopeInput, participant: string, caller: Caller): void {
    const { limits, throttle, writer } = this.services;
    if (this.#ids.has(envelope.id)) {
      throw new Refusal('duplicate_id', 'A message with this id was sent already', envelope.id);
    }
    if (writer.bytes > limits.historyBufferBytes) {
      throw new Refusal('rate_limit', 'History cannot keep up; try again in 1 s', envelope.id, {
        retry_after: 1,
      });
    }
    const { context } = envelope;
    const begins = context ? this.contexts.check(envelope, context, participant) : false;
    throttle.takeInContext(caller, this, context?.id ?? '', begins, envelope.id);
  }

  #accept(
    envelope: Envelope,
    added: Record<string, unknown>,
    text: string,
    { principal }: Pick<Caller, 'principal'>,
    now: number,
    origin: { cause?: EntryId; mirrors?: MirroredFrom; tokens?: number } = {},
  ): number {
    const seq = this.seq + 1;
    const frame = new Frame(splice(text, { ...added, seq, epoch: this.epoch }));
    const shown = this.#show(envelope, seq, this.epoch, frame, now);
    const context = shown?.context;
    if (this.mode !== 'durable') {
      if (context && origin.tokens !== undefined) context.tokens += origin.tokens;
      else if (context) countLater(context, envelope.payload);
      return seq;
    }
    const defaults = shown?.created ? this.policy.template(shown.context.type)?.metadata : undefined;
    this.services.writer.add({
      org: this.org,
      pod: this.name,
      principal,
      seq,
      epoch: this.epoch,
      at: now,
      type: context?.type ?? null,
      envelope,
      bytes: frame.bytes,
      cause: origin.cause,
      mirrors: origin.mirrors,
      tokens: origin.tokens,
      defaults,
      onTokens: (tokens) => {
        if (context) context.tokens += tokens;
      },
      onDurable: (through) => {
        this.durable = Math.max(this.durable, through);
      },
      onMoved: () => this.restart(),
    });
    return seq;
  }

  /** Broadcasts an accepted message and counts it. */
  #show(
    envelope: Envelope,
    seq: number,
    epoch: string,
    frame: Frame,
    now: number,
  ): { context: LiveContext; created: boolean } | undefined {
    this.seq = seq;
    this.#remember(envelope.id);
    const applied = envelope.context && this.contexts.apply(envelope, envelope.context, envelope.from, now);
    const message = {
      kind: envelope.kind,
      to: envelope.to,
      context: envelope.context?.id ?? null,
      type: envelope.context?.type ?? applied?.context.type ?? null,
    };
    this.receivers.deliver(message, frame);
    if (this.mode !== 'none') {
      const kept = this.mode === 'durable' ? this.durable : Number.MAX_SAFE_INTEGER;
      this.recent.add({ ...message, seq, epoch, frame }, kept);
    }
    if (applied?.created) this.announce('created', applied.context);
    this.usedAt = now;
    return applied;
  }

  #remember(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size > KNOWN_IDS) this.#ids.delete(this.#ids.values().next().value!);
  }

  /** A message that another process handed in through the journal. */
  acceptSubmitted(envelope: Envelope, caller: Caller, cause: EntryId): void {
    this.#checkNew(envelope, envelope.from, caller);
    this.#accept(envelope, {}, JSON.stringify(envelope), caller, this.services.clock(), { cause });
  }

  /** SUB-13: what an agent did in a branch. It happened, so no limit holds it back; telling it twice would be wrong. */
  mirror(
    envelope: Envelope,
    origin: { principal: string; cause: EntryId; mirrors: MirroredFrom; tokens: number },
  ): void {
    if (this.#ids.has(envelope.id)) return;
    this.#accept(envelope, {}, JSON.stringify(envelope), origin, this.services.clock(), origin);
  }

  /** A message that another process accepted and wrote. */
  applyStored({ envelope, seq, epoch, at, tokens }: EnvelopeAccepted): void {
    if (seq <= this.seq) return;
    this.durable = seq;
    const frame = new Frame(JSON.stringify({ ...envelope, seq, epoch }));
    const shown = this.#show(envelope, seq, epoch, frame, at);
    if (shown) shown.context.tokens += tokens;
    this.epoch = epoch;
  }

  /** A context that another process concluded. */
  conclude(context: LiveContext, summary: string | null): void {
    this.contexts.conclude(context);
    context.summary = summary ?? context.summary;
    this.announce('concluded', context);
  }

  announce(event: 'created' | 'concluded', live: LiveContext): void {
    const { id, type, parent } = live;
    const payload = contextPayload(event, live);
    const context = { id, ...(type === null ? {} : { type }), ...(parent === null ? {} : { parent }) };
    const message = { kind: 'system/context', to: undefined, context: id, type };
    this.receivers.deliver(message, this.#system('system/context', payload, { context }));
    // Nothing in memory asks for it any more.
    if (live.state === 'concluded') live.metadata = null;
  }
}
