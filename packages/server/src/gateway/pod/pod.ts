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
import type { Actor } from '../../journal/journal.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { podStream } from '../../trust/streams.ts';
import { duplicate, type Position, takePod } from '../commands.ts';
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
import { Ahead } from '../history/ahead.ts';
import { beginningOf, fenceOf, newEpoch } from '../history/epochs.ts';
import { Recent } from '../history/recent.ts';
import type { Arrival, LostNotice, MirrorOrigin } from '../nodes/cluster/shared-pods.ts';
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
import { checkSize, countLater, fill, isCountingTooMuch } from './send-checks.ts';
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

type Who = Pick<Caller, 'org' | 'principal'>;

const PAGE = 500;
const KNOWN_CONTEXTS = 10_000;
const CONTEXT_PAGE = 100;
const REPLACED = [CLOSE_CODES.replaced, 'replaced by a newer connection'] as const;

/** Everyone who is connected to one pod, and what was said there lately. */
export class Pod implements LivePod {
  readonly org: string;
  readonly name: string;
  readonly stream: string;
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
  /** The life in which the newest message got its position, or in a cluster the one that began since. */
  #newest: string | null = null;
  /** Of a pod that another node owns: heard before what stands between. */
  readonly #ahead = new Ahead();
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
    this.stream = podStream(org, name);
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
  #begin(row: PodRow | undefined, epoch = newEpoch(row?.seq ?? 0)): void {
    this.base = row?.seq ?? 0;
    this.epoch = epoch;
    this.ids.restart(row);
  }

  /** Positions go on from what is stored: after another process had them, or wrote between. */
  restart(): void {
    if (!this.#isLoaded) return;
    this.#goBack(this.durable);
    this.#begin(podByName(this.services.journal.database, this.org, this.name));
    this.services.shared?.retake(this.stream);
  }

  /**
   * What is stored after this position is heard. What was heard after it and not stored has no position any more, which
   * those who heard it are told.
   */
  #goBack(to: number): void {
    const { journal, limits } = this.services;
    const lost = this.seq > to;
    if (lost) {
      this.tellAll('system/gap', { from: to + 1, to: this.seq });
      this.seq = to;
      this.recent.dropAfter(to);
      this.#ahead.clear();
    }
    if (this.mode !== 'durable') return;
    const row = podByName(journal.database, this.org, this.name);
    while (row && this.seq < row.seq) {
      const bytes = limits.historyPageBytes;
      const page = readHistory(journal, row.id, { since: this.seq, limit: PAGE, bytes });
      for (const stored of page.messages) this.#applyStored(stored);
      if (!page.more) break;
    }
    if (!lost) return;
    this.contexts.clear();
    this.#isLoaded = false;
    this.load();
  }

  /** CLU-05: another node owned the pod, or nobody did. From here on nothing that was promised before is written. */
  async take(fence: number): Promise<number | undefined> {
    const { journal, clock } = this.services;
    const { org, name } = this;
    this.load();
    if (this.mode !== 'durable') {
      this.base = this.seq;
      this.epoch = newEpoch(this.seq, fence);
      this.#newest = this.epoch;
      return undefined;
    }
    const { answer } = await journal.commit({
      stream: this.stream,
      actor: { org, principal: 'system:gateway' },
      decide: (database) => {
        const { seq = 0, epoch = null } = podByName(database, org, name) ?? {};
        return takePod({ org, name, fence, at: clock() }, { seq, epoch });
      },
    });
    if ('higher' in answer) return answer.higher;
    const row = podByName(journal.database, org, name);
    // The next one was faster.
    if (row?.epoch !== answer.epoch) return fenceOf(row?.epoch ?? null);
    this.#enter(answer.epoch);
    this.#begin(row, answer.epoch);
    this.durable = row.seq;
    return undefined;
  }

  /** A life of the pod that begins with its owner: of what was heard before, only what is stored holds. */
  #enter(epoch: string): void {
    if (epoch === this.#newest) return;
    const base = beginningOf(epoch) ?? this.durable;
    // Before it is entered: what is stored already is of that life.
    this.#goBack(Math.min(this.seq, base));
    this.#newest = epoch;
  }

  /** Another node owns the pod now. */
  taken(epoch: string): void {
    if (this.#isLoaded && fenceOf(epoch) > fenceOf(this.#newest)) this.#enter(epoch);
  }

  /** A message that the pod's owner accepted. What is stored already was heard; what is missing before it is heard first. */
  hear(text: string): void {
    if (!this.#isLoaded && this.mode === 'durable') return;
    const { seq, epoch, ...envelope } = JSON.parse(text) as Envelope & { seq: number; epoch: string };
    if (epoch !== this.#newest) {
      if (fenceOf(epoch) <= fenceOf(this.#newest)) return;
      this.#enter(epoch);
    }
    if (seq <= this.seq) return;
    if (seq > this.seq + 1) {
      if (this.mode === 'durable') {
        this.#ahead.add({ seq, epoch, text });
        return;
      }
      // Nothing is stored, so nothing of it comes later.
      this.tellAll('system/gap', { from: this.seq + 1, to: seq - 1 });
    }
    this.#show(envelope, seq, epoch, new WireFrame(text), this.services.clock());
    this.#hearAhead();
  }

  /** How far the pod's owner is, where that is not stored: what is said from there on is heard here. */
  follow(seq: number, epoch: string): void {
    if (this.mode === 'durable' || seq <= this.seq) return;
    this.seq = seq;
    this.#newest = epoch;
  }

  /** What was heard too early, as far as nothing is missing before it any more. */
  #hearAhead(): void {
    for (let next = this.#ahead.after(this.seq); next; next = this.#ahead.after(this.seq)) {
      if (next.epoch !== this.#newest) continue;
      const { seq: _seq, epoch: _epoch, ...envelope } = JSON.parse(next.text) as Envelope;
      this.#show(envelope, next.seq, next.epoch, new WireFrame(next.text), this.services.clock());
    }
  }

  hearLost({ id, seq, epoch, payload }: LostNotice): void {
    if (epoch !== this.#newest) return;
    this.recent.drop(seq);
    this.tellAll('system/error', payload, id);
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
      earlier.close(...REPLACED);
    }
    const bufferLimit = this.services.limits.readerBufferBytes;
    const onSlow = (slow: Member) => this.leave(slow, ...TOO_SLOW);
    const member = new Member({ id: participant, caller, wire, filter, bufferLimit, onSlow });
    const participants = this.participants().filter(({ id }) => id !== participant);
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
    const { shared } = this.services;
    const isHere = earlier !== undefined || shared?.presence.isElsewhere(this.stream, participant) === true;
    shared?.presence.joined(this.stream, member.participant);
    if (!isHere) this.presence('join', member.participant);
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
    this.services.shared?.presence.left(this.stream, member.id);
    this.presence('leave', member.participant);
    this.usedAt = this.services.clock();
  }

  #detach(member: Member): void {
    this.members.delete(member.id);
    this.receivers.remove(member);
  }

  /** Everybody who is connected, in a cluster to any node. */
  participants(): Participant[] {
    const here = [...this.members.values()].map((member) => member.participant);
    const { shared } = this.services;
    return shared ? [...here, ...shared.presence.elsewhere(this.stream)] : here;
  }

  presence(event: 'join' | 'leave', participant: Participant): void {
    if (this.members.size === 0) return;
    const frame = this.#system('system/presence', { event, participant });
    for (const other of this.members.values()) if (other.id !== participant.id) other.send(frame);
  }

  replaced(participant: string): void {
    const member = this.members.get(participant);
    if (!member) return;
    this.#detach(member);
    member.close(...REPLACED);
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
    const { clock, positions, shared } = this.services;
    const now = clock();
    const filled = fill(envelope, member.id, now);
    const whole = { ...envelope, ...filled } as Envelope;
    if (!positions.isOwner(this.stream) && (this.mode === 'durable' || shared)) {
      // The owner of a shared pod counts for all nodes.
      if (!shared) this.#throttle(envelope, member.caller, this.#isNewContext(envelope));
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

  #throttle({ id, context }: EnvelopeInput, caller: Who, begins: boolean): void {
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
    if (member.permits(kind, verdict)) return;
    this.services.denied(this, member);
    const where = verdict?.effect === 'deny' ? ` here (${verdict.rule})` : '';
    throw new Refusal('capability_violation', `You may not send "${kind}"${where}`, id, {
      attempted_kind: kind,
      your_capabilities: member.capabilities,
      ...(verdict?.effect === 'deny' ? { rule: verdict.rule } : {}),
    });
  }

  #checkKnown(id: string): void {
    const earlier = this.#outbox.get(id) ? null : this.ids.positionOf(id);
    if (earlier !== undefined) throw duplicate(id, earlier);
  }

  /** Refuses what was said already, what passes a limit of the contexts, and what history could not take. */
  #checkNew(envelope: EnvelopeInput, participant: string, caller: Who): void {
    const { limits, writer } = this.services;
    const { id, context } = envelope;
    this.#checkKnown(id);
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
    origin: { cause?: EntryId; mirrors?: MirroredFrom; tokens?: number; isAwaited?: boolean } = {},
  ): number {
    const seq = this.seq + 1;
    const frame = new WireFrame(splice(text, { ...added, seq, epoch: this.epoch }));
    this.services.shared?.publish(this, frame);
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
      isAwaited: origin.isAwaited ?? false,
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
    // What an earlier owner wrote may come after what the next one said.
    const isOld = this.services.shared && epoch !== this.#newest && fenceOf(epoch) < fenceOf(this.#newest);
    if (!isOld) this.#newest = epoch;
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

  /** A message of a participant of another node. */
  async acceptFrom(
    { org, principal }: Actor,
    envelope: Envelope,
    text: string,
    { again, mirrored }: Arrival,
  ): Promise<Position> {
    this.load();
    const pending = this.#outbox.get(envelope.id);
    if (pending?.envelope.from !== envelope.from) {
      try {
        if (mirrored) this.#checkKnown(envelope.id);
        else this.#checkNew(envelope, envelope.from, { org, principal });
      } catch (error) {
        const stored = again || mirrored ? this.#storedAt(error) : undefined;
        if (stored) return stored;
        throw error;
      }
      const origin = { ...mirrored, isAwaited: true };
      const seq = this.#accept(envelope, {}, text, { principal }, this.services.clock(), origin);
      if (this.mode !== 'durable') return { seq, epoch: this.epoch };
    }
    return this.#outbox.wait(envelope.id);
  }

  /** Where the message stands that is refused because it was said already. */
  #storedAt(refusal: unknown): Position | undefined {
    if (!(refusal instanceof Refusal) || refusal.code !== 'duplicate_id') return undefined;
    const { seq } = refusal.details;
    const { journal } = this.services;
    const row = podByName(journal.database, this.org, this.name);
    if (typeof seq !== 'number' || !row) return undefined;
    const [stored] = readHistory(journal, row.id, { since: seq - 1, limit: 1, bytes: 0 }).messages;
    return stored?.seq === seq ? { seq, epoch: stored.epoch } : undefined;
  }

  /** SUB-13: what an agent did in a branch. It happened, so no limit holds it back; telling it twice would be wrong. */
  mirror(envelope: Envelope, origin: MirrorOrigin): void {
    const { shared, positions, untold } = this.services;
    if (shared && !positions.isOwner(this.stream)) {
      const { org } = this;
      const { principal, mirrors } = origin;
      shared.place(this, { org, principal }, envelope, 0, origin).catch(() => untold(mirrors.session_id));
      return;
    }
    this.load();
    if (this.ids.positionOf(envelope.id) !== undefined) return;
    this.#accept(envelope, {}, JSON.stringify(envelope), origin, this.services.clock(), origin);
  }

  /** A message that another process accepted and wrote. */
  applyStored(accepted: EnvelopeAccepted): void {
    if (!this.#isLoaded) return;
    if (accepted.seq > this.seq) {
      this.#applyStored(accepted);
      if (this.services.shared) this.#hearAhead();
    } else if (this.services.shared) this.#storedAfterAll(accepted);
  }

  /** What was heard of the pod's owner is stored now, or something else is in its place. */
  #storedAfterAll({ seq, epoch, envelope, tokens }: EnvelopeAccepted): void {
    if (seq <= this.durable) return;
    if (epoch !== this.#newest && seq > (beginningOf(this.#newest ?? '') ?? 0)) {
      if (this.services.positions.isOwner(this.stream)) this.restart();
      else this.#goBack(seq - 1);
      return;
    }
    this.durable = seq;
    const context = envelope.context && this.contexts.get(envelope.context.id);
    if (context) context.tokens += tokens;
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
