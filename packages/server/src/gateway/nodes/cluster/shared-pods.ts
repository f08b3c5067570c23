import type { EntryId, Envelope, HistoryMode } from '@infold/protocol';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Cluster } from '../../../journal/cluster/cluster.ts';
import type { Actor, Journal } from '../../../journal/journal.ts';
import { sleep } from '../../../kernel/clock.ts';
import { InfoldError } from '../../../kernel/errors.ts';
import type { Database } from '../../../kernel/sqlite.ts';
import { podStream } from '../../../trust/streams.ts';
import type { Position } from '../../commands.ts';
import { notStored, Refusal } from '../../errors.ts';
import type { MirroredFrom } from '../../events.ts';
import type { WireFrame } from '../../wire/frame.ts';
import type { Positions } from '../positions.ts';
import { Leases, type LeaseTimes } from './leases.ts';
import { Presence, type PresentPod } from './presence.ts';

/** What tells of a branch in the pod of its project. */
export interface MirrorOrigin {
  principal: string;
  cause: EntryId;
  mirrors: MirroredFrom;
  tokens: number;
  /** The branch has ended, and with it its context. */
  concludes: boolean;
}

/** How a message came to the owner of its pod. */
export interface Arrival {
  /** It may have been accepted already. */
  again: boolean;
  mirrored: MirrorOrigin | undefined;
}

/** A pod as the nodes of a cluster share it. */
export interface SharedPod extends PresentPod {
  readonly org: string;
  readonly name: string;
  readonly stream: string;
  readonly mode: HistoryMode;
  readonly epoch: string;
  readonly seq: number;
  load(): void;
  /** Fences out who gave out positions before; answers the fence that this one must be above, where it is not. */
  take(fence: number): Promise<number | undefined>;
  /** A message that the pod's owner accepted. */
  hear(text: string): void;
  /** A message that was heard and never will be stored. */
  hearLost(notice: LostNotice): void;
  /** Where the pod's owner is. */
  follow(seq: number, epoch: string): void;
  /** A message of another node's participant, whom that node has checked. */
  acceptFrom(actor: Actor, envelope: Envelope, text: string, arrival: Arrival): Promise<Position>;
}

export interface LostNotice {
  id: string;
  seq: number;
  epoch: string;
  payload: object;
}

export interface SharedPodsServices {
  cluster: Cluster;
  journal: Journal;
  /** How long a message waits for an owner of its pod. */
  patience: number;
  leaseTimes?: LeaseTimes | undefined;
  serves: boolean;
  /** Through the journal: for what no owner can be asked for. */
  handOver(pod: SharedPod, actor: Actor, envelope: Envelope, bytes: number): Promise<Position>;
  /** This process gives out the positions of a pod now, or does the work for all. */
  turned(pod: SharedPod | undefined): void;
  /** A branch has ended, and with it its context. */
  conclude(pod: SharedPod, context: string): void;
  /** A node died. */
  died(): void;
  onError(error: unknown): void;
}

/** A message on its way to the owner of its pod. */
interface Sent extends Arrival {
  order: number;
  pod: SharedPod;
  actor: Actor;
  envelope: Envelope;
  text: string;
  bytes: number;
  deadline: number;
  /** The process that was asked, while it is. */
  asked: string | undefined;
  /** Whether NATS was asked who owns the pod. */
  isLookedUp: boolean;
  resolve(position: Position): void;
  reject(error: unknown): void;
}

/** No actor: how far the pod is. */
type Asked = { org: string; name: string } & (({ actor: Actor } & Arrival) | { actor?: undefined });

/** How far the pod's owner is, and its journal. */
interface Place {
  seq: number;
  epoch: string;
  journal: number;
}

type Answered =
  | { position: Position }
  | { refusal: { code: Refusal['code']; message: string; details: Record<string, unknown> } }
  | Place
  /** Not the owner. */
  | { moved: true };

/** The lease on what one process does for all. */
const WORK = 'work';
const LIVE = 'infold-live.';
const OWNER = 'infold-gateway.owner.';
/** What is no message begins with this. */
const NOTICE = '!';
/** In patiences: what an owner accepted is stored or lost by then, however its commits fail. To say earlier that it is lost might be wrong. */
const ANSWER = 5;
const LOOK = 50;
/** How long who opens a pod waits for what its owner has accepted and not stored. */
const CATCH_UP = 2000;
/** Beside the message: who asks for what. */
const HEAD_BYTES = 4096;

/**
 * The pods of this process as nodes of a cluster share them. The owner of a pod publishes each message once, as it goes over
 * the wire, to every node that has the pod open; the others send it theirs, and are answered when they are stored.
 */
export class SharedPods implements Positions {
  readonly presence: Presence;
  readonly #services: SharedPodsServices;
  readonly #connection: NatsConnection;
  readonly #leases: Leases;
  readonly #pods = new Map<string, { pod: SharedPod; live: Subscription; isCaughtUp: boolean }>();
  /** In the order in which they were said, by pod. */
  readonly #waiting = new Map<string, Sent[]>();
  readonly #asked = new Map<string, Set<Sent>>();
  readonly #answers: Subscription;
  #order = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(services: SharedPodsServices) {
    this.#services = services;
    const { cluster, onError, serves, died } = services;
    this.#connection = cluster.connection;
    this.#leases = new Leases({
      cluster,
      fence: async (key, fence) => this.#pods.get(key)?.pod.take(fence),
      changed: (key) => this.#changed(key),
      died: () => {
        this.presence.expire();
        died();
      },
      times: services.leaseTimes,
      onError,
    });
    const { process } = this.#leases;
    this.#answers = this.#connection.subscribe(OWNER + process, {
      callback: (error, message) => (error ? onError(error) : void this.#answer(message)),
    });
    this.presence = new Presence({
      connection: this.#connection,
      process,
      isAlive: (other) => this.#leases.isAlive(other),
      pod: (stream) => this.#pods.get(stream)?.pod,
      onError,
    });
    if (serves) this.#leases.want(WORK);
  }

  readonly isWanted = true;

  isOwner(pod = WORK): boolean {
    return this.#leases.isOwner(pod);
  }

  /** By the journal: the life that promised them must still be the pod's newest. */
  isOthers(_database: Database, _now: number, newest: string | null, promised: string): boolean {
    return newest !== promised;
  }

  isServed(_database: Database, _now: number, pod: string): boolean {
    return this.#leases.holderOf(pod) !== undefined;
  }

  begin(pod?: string): void {
    if (pod !== undefined && this.#services.serves) this.#leases.want(pod);
  }

  /** Leases are renewed by themselves. */
  renew(): void {}
  rest(): void {}

  retake(pod: string): void {
    this.#leases.retake(pod);
  }

  /** From here on this process hears what is said in the pod. */
  opened(pod: SharedPod): void {
    const live = this.#connection.subscribe(LIVE + pod.stream, {
      callback: (error, message) => (error ? this.#services.onError(error) : this.#hear(pod, message)),
    });
    this.#pods.set(pod.stream, { pod, live, isCaughtUp: false });
    this.begin(pod.stream);
  }

  closed({ stream }: SharedPod): void {
    this.#pods.get(stream)?.live.unsubscribe();
    this.#pods.delete(stream);
    this.#leases.release(stream);
  }

  /** Nobody may ask this process any more. */
  end(): void {
    this.#answers.unsubscribe();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.presence.stop();
    for (const { live } of this.#pods.values()) live.unsubscribe();
    await this.#leases.stop();
  }

  /** What is too large is heard when it is stored. */
  publish({ stream }: { stream: string }, { body }: WireFrame): void {
    if (body.length <= this.#most && !this.#connection.isClosed()) {
      this.#connection.publish(LIVE + stream, body);
    }
  }

  publishLost({ stream }: { stream: string }, notice: LostNotice): void {
    if (!this.#connection.isClosed()) {
      this.#connection.publish(LIVE + stream, NOTICE + JSON.stringify(notice));
    }
  }

  get #most(): number {
    return (this.#connection.info?.max_payload ?? 1024 * 1024) - HEAD_BYTES;
  }

  #hear(pod: SharedPod, message: Msg): void {
    // What the owner sends comes back to it.
    if (this.isOwner(pod.stream)) return;
    const text = message.string();
    try {
      if (text.startsWith(NOTICE)) pod.hearLost(JSON.parse(text.slice(NOTICE.length)) as LostNotice);
      else pod.hear(text);
    } catch (error) {
      this.#services.onError(error);
    }
  }

  /**
   * Resolves when what is said in the pod is heard here, and everything that was said before is known here: for who saw it on
   * another node up to a position.
   */
  async caughtUp(pod: SharedPod, since = 0): Promise<void> {
    const known = this.#pods.get(pod.stream);
    if (!known || (known.isCaughtUp && since <= pod.seq)) return;
    pod.load();
    await this.#connection.flush();
    const deadline = performance.now() + this.#services.patience;
    while (!this.isOwner(pod.stream)) {
      const place = await this.#whereIs(pod);
      if (place) {
        await this.#services.journal.reached(place.journal);
        pod.follow(place.seq, place.epoch);
        const patience = performance.now() + CATCH_UP;
        while (pod.seq < place.seq && performance.now() < patience) await sleep(5);
        break;
      }
      if (performance.now() > deadline) {
        const problem = 'No node gives out the positions of this pod just now; try again in 1 s';
        throw new InfoldError('unavailable', problem, { retryable: true, retryAfter: 1 });
      }
      await sleep(LOOK);
    }
    known.isCaughtUp = true;
  }

  async #whereIs({ stream, org, name }: SharedPod): Promise<Place | undefined> {
    const holder = this.#leases.holderOf(stream);
    if (holder === undefined || holder === this.#leases.process) return undefined;
    try {
      const answer = await this.#request(holder, { org, name }, '', 1000);
      return 'seq' in answer ? answer : undefined;
    } catch {
      return undefined;
    }
  }

  async #request(process: string, head: Asked, text: string, timeout: number): Promise<Answered> {
    const answer = await this.#connection.request(OWNER + process, `${JSON.stringify(head)}\n${text}`, {
      timeout: Math.max(1, timeout),
    });
    return answer.json<Answered>();
  }

  /** Resolves when the message is stored as its pod stores; throws the `Refusal` of the pod's owner. */
  place(
    pod: SharedPod,
    actor: Actor,
    envelope: Envelope,
    bytes: number,
    mirrored?: MirrorOrigin,
  ): Promise<Position> {
    const text = JSON.stringify(envelope);
    const deadline = performance.now() + this.#services.patience;
    return new Promise((resolve, reject) => {
      const order = this.#order++;
      const sent = { order, pod, actor, envelope, text, bytes, deadline, mirrored, resolve, reject };
      this.#queue({ ...sent, asked: undefined, again: false, isLookedUp: false });
      this.#flush(pod.stream);
    });
  }

  /** Who was asked before, and has to ask again, comes before those who spoke later. */
  #queue(sent: Sent): void {
    const { stream } = sent.pod;
    const waiting = this.#waiting.get(stream) ?? [];
    const place = waiting.findLastIndex(({ order }) => order < sent.order) + 1;
    waiting.splice(place, 0, sent);
    this.#waiting.set(stream, waiting);
    this.#timer ??= setTimeout(() => this.#flushAll(), LOOK);
  }

  #flushAll(): void {
    this.#timer = undefined;
    for (const stream of [...this.#waiting.keys()]) this.#flush(stream);
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.#flushAll(), LOOK);
  }

  /** Everything that waits in the pod goes to its owner, in its order. */
  #flush(stream: string): void {
    const waiting = this.#waiting.get(stream);
    if (!waiting) return;
    const isOwner = this.isOwner(stream);
    const holder = this.#leases.holderOf(stream);
    const owner = holder === this.#leases.process ? undefined : holder;
    const left: Sent[] = [];
    this.#waiting.delete(stream);
    for (const sent of waiting) {
      const { pod, actor, envelope, text, bytes, resolve, reject } = sent;
      if (isOwner) this.#accept(pod, actor, envelope, text, sent).then(resolve, reject);
      else if (owner !== undefined && text.length <= this.#most) void this.#ask(sent, owner);
      else if (pod.mode === 'durable' && !sent.mirrored && (owner !== undefined || !this.#services.serves)) {
        if (owner === undefined && !sent.isLookedUp) void this.#lookUp(sent);
        else this.#services.handOver(pod, actor, envelope, bytes).then(resolve, reject);
      } else if (performance.now() > sent.deadline) reject(notStored(envelope.id, 'unanswered'));
      else left.push(sent);
    }
    if (left.length > 0) this.#waiting.set(stream, left);
  }

  /** A process that has just begun may not have heard yet that somebody owns the pod. */
  async #lookUp(sent: Sent): Promise<void> {
    const { stream } = sent.pod;
    await this.#leases.lookUp(stream).catch((error) => this.#services.onError(error));
    sent.isLookedUp = true;
    this.#queue(sent);
    this.#flush(stream);
  }

  async #ask(sent: Sent, owner: string): Promise<void> {
    const { pod, actor, envelope, text, again, mirrored } = sent;
    const { org, name, stream } = pod;
    sent.asked = owner;
    const asked = this.#asked.get(stream) ?? new Set();
    this.#asked.set(stream, asked.add(sent));
    const head: Asked = { org, name, actor, again, mirrored };
    let settle: () => void;
    try {
      const answer = await this.#request(owner, head, text, ANSWER * this.#services.patience);
      if ('position' in answer) settle = () => sent.resolve(answer.position);
      else if ('refusal' in answer) {
        const { code, message, details } = answer.refusal;
        settle = () => sent.reject(new Refusal(code, message, envelope.id, details));
      } else settle = () => this.#queue(sent);
    } catch (error) {
      const isUnheard = (error as { isNoResponders?(): boolean }).isNoResponders?.() === true;
      settle = isUnheard ? () => this.#queue(sent) : () => sent.reject(notStored(envelope.id, 'unanswered'));
    }
    // Somebody else was asked meanwhile.
    if (sent.asked !== owner) return;
    sent.asked = undefined;
    asked.delete(sent);
    if (asked.size === 0) this.#asked.delete(stream);
    settle();
  }

  /** Another owner: who waits for an answer of the one before asks this one. */
  #changed(key: string): void {
    const holder = this.#leases.holderOf(key);
    for (const sent of [...(this.#asked.get(key) ?? [])]) {
      if (sent.asked === holder) continue;
      this.#asked.get(key)?.delete(sent);
      this.#queue(Object.assign(sent, { asked: undefined, again: true }));
    }
    if (this.#asked.get(key)?.size === 0) this.#asked.delete(key);
    if (this.isOwner(key)) this.#services.turned(this.#pods.get(key)?.pod);
    this.#flush(key);
  }

  async #answer(message: Msg): Promise<void> {
    let answer: Answered;
    try {
      answer = await this.#carryOut(message.string());
    } catch (error) {
      if (!(error instanceof Refusal)) this.#services.onError(error);
      const { code, message, details } = error instanceof Refusal ? error : notStored('', 'internal');
      answer = { refusal: { code, message, details } };
    }
    message.respond(JSON.stringify(answer));
  }

  async #carryOut(request: string): Promise<Answered> {
    const end = request.indexOf('\n');
    const asked = JSON.parse(request.slice(0, end)) as Asked;
    const pod = this.#pods.get(podStream(asked.org, asked.name))?.pod;
    if (!pod || !this.isOwner(pod.stream)) return { moved: true };
    if (!asked.actor) return { seq: pod.seq, epoch: pod.epoch, journal: this.#services.journal.head().seq };
    const text = request.slice(end + 1);
    const envelope = JSON.parse(text) as Envelope;
    return { position: await this.#accept(pod, asked.actor, envelope, text, asked) };
  }

  #accept(
    pod: SharedPod,
    actor: Actor,
    envelope: Envelope,
    text: string,
    { again, mirrored }: Arrival,
  ): Promise<Position> {
    const stored = pod.acceptFrom(actor, envelope, text, { again, mirrored });
    if (mirrored?.concludes) this.#services.conclude(pod, mirrored.mirrors.branch_id);
    return stored;
  }
}
