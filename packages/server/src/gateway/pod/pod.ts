import {
  CLOSE_CODES,
  type EntryId,
  type Envelope,
  type EnvelopeInput,
  type GatewayFilter,
  type HistoryMode,
  type Participant,
  type StoredPayload,
  type WelcomePayload,
} from '@infold/protocol';
import type { Caller } from '../../trust/identity/caller.ts';
import { duplicate, type Position } from '../commands.ts';
import {
  ContextIndex,
  contextOf,
  contextPayload,
  type LiveContext,
  type StoredElsewhere,
} from '../contexts/context-index.ts';
import type { PodPolicy } from '../contexts/policy.ts';
import { ContextRules, type KnownContexts } from '../contexts/rules.ts';
import { notStored, Refusal } from '../errors.ts';
import type { EnvelopeAccepted, MirroredFrom } from '../events.ts';
import { newEpoch } from '../history/epochs.ts';
import { Recent } from '../history/recent.ts';
import {
  contextRow,
  openContexts,
  openCounts,
  type PodRow,
  podByName,
  podIdOf,
  readHistory,
  StoredContexts,
  type StoredEnvelope,
} from '../queries.ts';
import { readIncoming, splice, systemMessage } from '../wire/envelope.ts';
import { WireFrame } from '../wire/frame.ts';
import { catchUp } from './catch-up.ts';
import { control } from './control.ts';
import { isExpired, letGo } from './expired-tokens.ts';
import { KnownIds } from './known-ids.ts';
import { Member, TOO_SLOW, type Wire } from './member.ts';
import { Outbox } from './outbox.ts';
import { Receivers } from './receivers.ts';
import { checkSize, countLater, fill, isCountingTooMuch, isPermitted } from './send-checks.ts';
import type { LivePod, PodServices } from './state.ts';

export interface Join {
  caller: Caller;
  participant: string;
  wire: Wire;
  filter: GatewayFilter;
  /** Resume after this position; `epoch` is the life of the pod that it was seen in. */
  since: number | undefined;
  epoch: string | undefined;
}

const PAGE = 500;
const KNOWN_CONTEXTS = 10_000;
const CONTEXT_PAGE = 100;

/** Everyone who is connected to one pod, and what was said there lately. */
export class Pod implements LivePod {
  readonly org: string;
  readonly name: string;
  readonly mode: HistoryMode;
  readonly policy: PodPolicy;
  readonly services: PodServices;
  readonly rules: ContextRules;
  readonly contexts: ContextIndex;
  readonly recent: Recent;
  readonly receivers: Receivers;
  readonly members = new Map<string, Member>();
  /** Of the positions that this process gives out. */
  epoch = newEpoch(0);
  /** The newest position when that life began. */
  base = 0;
  seq = 0;
  /** Messages up to here are in the journal. */
  durable = 0;
  usedAt: number;
  /** The life in which the newest message got its position. */
  #newest: string | null = null;
  #isLoaded = false;
  /** Whether all contexts that are open are in memory. */
  #isComplete = true;
  /** Of the tables. */
  #id: number | undefined;
  readonly ids: KnownIds;
  readonly #outbox = new Outbox(this);

  constructor(org: string, name: string, mode: HistoryMode, policy: PodPolicy, services: PodServices) {
    this.org = org;
    this.name = name;
    this.mode = mode;
    this.policy = policy;
    this.services = services;
    const { limits } = services;
    this.rules = new ContextRules(limits, policy);
    const { budgets } = services;
    this.contexts = new ContextIndex(
      limits,
      policy,
      budgets.contexts,
      mode === 'durable' ? this.#storedContexts() : undefined,
    );
    this.recent = new Recent(limits.recentEnvelopes, limits.recentEnvelopeBytes, budgets.recent);
    this.receivers = new Receivers((id) => this.contexts.ancestors(id));
    this.ids = new KnownIds(services.journal.database, budgets.ids, this);
    this.usedAt = services.clock();
  }

  /** What was said before, where somebody wants to hear or to be heard here; a pod that is only written to needs nothing. */
  load(): void {
    if (this.#isLoaded || this.mode !== 'durable') return;
    this.#isLoaded = true;
    const { database } = this.services.journal;
    const row = podByName(database, this.org, this.name);
    this.#begin(row);
    if (!row) return;
    this.seq = row.seq;
    this.durable = row.seq;
    this.#newest = row.epoch;
    this.contexts.countOpen(openCounts(database, row.id));
    this.#isComplete = false;
  }

  /** Contexts that were open when the pod was opened, for who looks for those that nobody uses. In small pieces. */
  async loadOpenContexts(): Promise<void> {
    if (!this.#isLoaded || this.#isComplete) return;
    this.#isComplete = true;
    const { database } = this.services.journal;
    const id = podIdOf(database, this.org, this.name)!;
    const hasRoom = () => this.contexts.size < KNOWN_CONTEXTS && !this.services.budgets.contexts.isFull;
    for (let after = { creator: '', id: '' }; hasRoom(); ) {
      const rows = openContexts(database, id, after, CONTEXT_PAGE);
      for (const row of rows) this.contexts.restore(contextOf(row));
      if (rows.length < CONTEXT_PAGE) return;
      after = rows.at(-1)!;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Where contexts are that memory has no room for. */
  #storedContexts(): StoredElsewhere {
    const { database } = this.services.journal;
    const podId = () => {
      this.#id ??= podIdOf(database, this.org, this.name);
      return this.#id;
    };
    return {
      get: (id) => {
        const pod = podId();
        const row = pod === undefined ? undefined : contextRow(database, pod, id);
        return row && contextOf(row);
      },
      children: (id) => new StoredContexts(database, podId()).children(id),
      onDropped: () => {
        this.#isComplete = false;
      },
    };
  }

  /** Nobody needs it any more. */
  forget(): void {
    const { recent, contexts, ids } = this.services.budgets;
    recent.remove(this.recent);
    contexts.remove(this.contexts);
    ids.remove(this.ids);
  }

  /** A life in which this process gives out positions, from the end of what is stored. */
  #begin(row: PodRow | undefined): void {
    this.base = row?.seq ?? 0;
    this.epoch = newEpoch(this.base);
    this.ids.restart(row);
  }

  /**
   * Positions go on from what is stored: after another process had them, or wrote between. What was heard and not stored
   * has no position any more, which those who heard it are told.
   */
  restart(): void {
    if (!this.#isLoaded) return;
    const { journal, limits } = this.services;
    const lost = this.seq > this.durable;
    if (lost) {
      this.tellAll('system/gap', { from: this.durable + 1, to: this.seq });
      this.seq = this.durable;
      this.recent.dropAfter(this.durable);
    }
    let row = podByName(journal.database, this.org, this.name);
    while (row && this.seq < row.seq) {
      const bytes = limits.historyPageBytes;
      const page = readHistory(journal, row.id, { since: this.seq, limit: PAGE, bytes });
      for (const stored of page.messages) this.#applyStored(stored);
      if (!page.more) break;
    }
    if (lost) {
      this.contexts.clear();
      this.#isLoaded = false;
      this.load();
    }
    row = podByName(journal.database, this.org, this.name);
    this.#begin(row);
  }

  /** What the rules of contexts are asked about. */
  get #known(): KnownContexts {
    if (this.#isLoaded || this.mode !== 'durable') return this.contexts;
    const { database } = this.services.journal;
    return new StoredContexts(database, podByName(database, this.org, this.name)?.id);
  }

  join({ caller, participant, wire, filter, since, epoch }: Join): Member {
    this.load();
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
      epoch: this.#newest ?? this.epoch,
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
    return epoch === undefined || epoch === (this.#newest ?? this.epoch);
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

  #system(kind: string, payload: object, more: Record<string, unknown> = {}): WireFrame {
    return new WireFrame(systemMessage(kind, payload, more, this.services.clock()));
  }

  tellAll(kind: string, payload: object, correlation?: string): void {
    const frame = this.#system(
      kind,
      payload,
      correlation === undefined ? {} : { correlation_id: correlation },
    );
    for (const member of this.members.values()) member.send(frame);
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
    if (isBinary) throw new Refusal('bad_json', 'Envelopes must be text frames; this one was binary');
    checkSize(data.length, limits.envelopeBytes);
    const { envelope, text } = readIncoming(data.toString('utf8'), limits);
    identifiers.check(envelope);
    if (late) throw new Refusal('rate_limit', late.message, envelope.id, late.details);
    if (envelope.kind.startsWith('gateway/')) {
      this.#checkSender(member, envelope);
      control(this, member, envelope);
      return;
    }
    const said = this.#say(member, envelope, text);
    if (typeof said === 'number') return;
    const { id } = envelope;
    said.then(
      ({ seq, epoch }) => this.acknowledge(member.id, { epoch, seq, messages: [{ id, seq }] }),
      (error) => {
        if (!(error instanceof Refusal)) this.services.failed(error);
        this.refuseTo(member.id, error instanceof Refusal ? error : notStored(id, 'internal'));
      },
    );
  }

  /** Told to whoever speaks as that participant now: a connection may have been replaced meanwhile. */
  acknowledge(participant: string, payload: StoredPayload): void {
    const member = this.members.get(participant);
    if (member) this.tell(member, 'system/stored', payload);
  }

  refuseTo(participant: string, refusal: Refusal): void {
    const member = this.members.get(participant);
    if (member) this.refuse(member, refusal);
  }

  /** A message of a participant, connected or not. Resolves when it is stored as this pod stores. Throws a `Refusal`. */
  async say(member: Member, envelope: EnvelopeInput): Promise<Position> {
    const { limits, throttle, identifiers } = this.services;
    const incoming = readIncoming(JSON.stringify(envelope), limits);
    identifiers.check(incoming.envelope);
    const bytes = Buffer.byteLength(incoming.text);
    checkSize(bytes, limits.envelopeBytes, envelope.id);
    const late = throttle.take(member.caller, bytes);
    if (late) throw new Refusal('rate_limit', late.message, envelope.id, late.details);
    if (envelope.kind.startsWith('gateway/')) {
      throw new Refusal(
        'bad_envelope',
        'Messages to the gateway itself (gateway/…) need a WebSocket connection',
        envelope.id,
      );
    }
    const repeated = this.#outbox.get(envelope.id) !== undefined;
    const said = this.#say(member, incoming.envelope, incoming.text);
    if (typeof said !== 'number') return said;
    if (this.mode !== 'durable') return { seq: said, epoch: this.epoch };
    const position = await this.#outbox.wait(envelope.id);
    if (repeated) throw duplicate(envelope.id, position.seq);
    return position;
  }

  /** Answers the position at which it was heard, or waits for one where another process may give those out. */
  #say(member: Member, envelope: EnvelopeInput, text: string): number | Promise<Position> {
    this.#checkSender(member, envelope);
    this.#checkCapability(member, envelope);
    const { clock, isOwner } = this.services;
    const now = clock();
    const filled = fill(envelope, member.id, now);
    const whole = { ...envelope, ...filled } as Envelope;
    if (!isOwner && this.mode === 'durable') {
      this.#throttle(envelope, member.caller, this.#isNewContext(envelope));
      return this.services.place(this, member.caller.actor, whole, text.length);
    }
    this.load();
    // Sent again by who has not heard yet that it is stored: they will.
    const pending = this.#outbox.get(envelope.id);
    if (pending?.envelope.from === member.id) return pending.seq;
    this.#checkNew(envelope, member.id, member.caller);
    return this.#accept(whole, filled, text, member.caller, now);
  }

  #isNewContext({ context }: EnvelopeInput): boolean {
    return context ? this.#known.get(context.id)?.state !== 'live' : false;
  }

  #throttle({ id, context }: EnvelopeInput, caller: Caller, begins: boolean): void {
    this.services.throttle.takeInContext(caller, this, context?.id ?? '', begins, id);
  }

  #checkSender(member: Member, { id, from }: EnvelopeInput): void {
    if (from === undefined || from === member.id) return;
    throw new Refusal('forged_sender', `You are "${member.id}"; omit "from", or set it to this name`, id);
  }

  #checkCapability(member: Member, { id, kind, context }: EnvelopeInput): void {
    const verdict = this.policy.verdict(kind, member.id, () =>
      context ? this.rules.placeOf(this.#known, context) : null,
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
    const { limits, writer } = this.services;
    const { id, context } = envelope;
    const earlier = this.#outbox.get(id) ? null : this.ids.positionOf(id);
    if (earlier !== undefined) throw duplicate(id, earlier);
    const [most, name] =
      this.#outbox.bytes > limits.podBufferBytes
        ? [limits.podBufferBytes, 'of this pod ']
        : [limits.historyBufferBytes, ''];
    if (name !== '' || writer.bytes > most || isCountingTooMuch()) {
      const problem = isCountingTooMuch()
        ? 'Token counting cannot keep up'
        : `History cannot keep up: over ${most} bytes ${name}are waiting to be written`;
      throw new Refusal('rate_limit', `${problem}; try again in 1 s`, id, { retry_after: 1 });
    }
    const begins = context ? this.rules.check(this.contexts, envelope, context, participant) : false;
    if (begins && !this.contexts.hasRoom) {
      const problem = `The contexts of this pod fill ${limits.contextBytes} bytes; conclude some of them first`;
      throw new Refusal('context_limit', problem, id, { limit: limits.contextBytes });
    }
    this.#throttle(envelope, caller, begins);
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
    const frame = new WireFrame(splice(text, { ...added, seq, epoch: this.epoch }));
    const shown = this.#show(envelope, seq, this.epoch, frame, now);
    const context = shown?.context;
    if (this.mode !== 'durable') {
      if (context && origin.tokens !== undefined) context.tokens += origin.tokens;
      else if (context) countLater(context, envelope.payload);
      return seq;
    }
    const defaults = shown?.created ? this.policy.template(shown.context.type)?.metadata : undefined;
    this.#outbox.add({
      ...{ principal, seq, epoch: this.epoch, at: now, envelope, context, defaults },
      type: context?.type ?? null,
      bytes: frame.bytes,
      cause: origin.cause,
      mirrors: origin.mirrors,
      tokens: origin.tokens,
    });
    return seq;
  }

  /** Broadcasts an accepted message and counts it. */
  #show(
    envelope: Envelope,
    seq: number,
    epoch: string,
    frame: WireFrame,
    now: number,
  ): { context: LiveContext; created: boolean } | undefined {
    this.seq = seq;
    this.#newest = epoch;
    this.ids.add(envelope.id);
    const said = { from: envelope.from, seq, at: now };
    const applied = envelope.context && this.contexts.apply(envelope, envelope.context, said);
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

  /** A message that another process handed in through the journal. */
  acceptSubmitted(envelope: Envelope, caller: Caller, cause: EntryId): void {
    this.load();
    this.#checkNew(envelope, envelope.from, caller);
    this.#accept(envelope, {}, JSON.stringify(envelope), caller, this.services.clock(), { cause });
  }

  /** SUB-13: what an agent did in a branch. It happened, so no limit holds it back; telling it twice would be wrong. */
  mirror(
    envelope: Envelope,
    origin: { principal: string; cause: EntryId; mirrors: MirroredFrom; tokens: number },
  ): void {
    this.load();
    if (this.ids.positionOf(envelope.id) !== undefined) return;
    this.#accept(envelope, {}, JSON.stringify(envelope), origin, this.services.clock(), origin);
  }

  /** A message that another process accepted and wrote. */
  applyStored(accepted: EnvelopeAccepted): void {
    if (this.#isLoaded && accepted.seq > this.seq) this.#applyStored(accepted);
  }

  #applyStored({ envelope, seq, epoch, at, tokens = 0 }: StoredEnvelope & { tokens?: number }): void {
    this.durable = seq;
    const frame = new WireFrame(JSON.stringify({ ...envelope, seq, epoch }));
    const shown = this.#show(envelope, seq, epoch, frame, at);
    if (shown) shown.context.tokens += tokens;
  }

  /** A context that another process concluded. */
  conclude(context: LiveContext, summary: string | null): void {
    this.contexts.conclude(context);
    this.contexts.summarise(context, summary);
    this.announce('concluded', context);
  }

  announce(event: 'created' | 'concluded', live: LiveContext): void {
    const { id, type, parent } = live;
    const payload = contextPayload(event, live);
    const context = { id, ...(type === null ? {} : { type }), ...(parent === null ? {} : { parent }) };
    const message = { kind: 'system/context', to: undefined, context: id, type };
    this.receivers.deliver(message, this.#system('system/context', payload, { context }));
    if (live.state === 'concluded') this.contexts.dropMetadata(live);
  }
}
