import type {
  ContextPayload,
  Envelope,
  GapPayload,
  GatewayErrorPayload,
  GatewayFilter,
  Participant,
  PresencePayload,
  ReplayEndPayload,
  ReplayRequest,
  ResolvePayload,
  StoredPayload,
  WelcomePayload,
} from '@infold/protocol';
import { CLOSE_CODES, ENVELOPE_PROTOCOL, GATEWAY_SENDER } from '@infold/protocol/gateway-wire';
import { type ContextOptions, PodContext, type SendOptions } from './context.ts';
import { Emitter, type PodEvents } from './events.ts';
import { matchesFilter } from './filters.ts';
import { newId } from './ids.ts';
import { OPEN, podAddress, type WebSocketConstructor, type WebSocketLike, webSocketOf } from './socket.ts';
import { PodError, type PodOptions, type Replayed } from './types.ts';

interface Waiting {
  envelope: Envelope;
  /** As everyone got it. */
  heard?: Envelope;
  /** Sent on an earlier connection too: the gateway may have taken it then. */
  resent: boolean;
  resolve: (envelope: Envelope) => void;
  reject: (error: Error) => void;
}

interface Question<Answer> {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

const LONGEST_PAUSE = 30_000;
const KNOWN_PARENTS = 10_000;
/** After these there is nothing to come back to. */
const FINAL_CODES: readonly number[] = [CLOSE_CODES.tokenRevoked, CLOSE_CODES.replaced];

/** Joins a pod; resolves when the gateway has said welcome. */
export async function connectPod(options: PodOptions): Promise<PodConnection> {
  const connection = new PodConnection(options);
  await connection.joined;
  return connection;
}

/**
 * A participant's place in a pod. A lost connection comes back by itself and goes on after the last message; what
 * was sent meanwhile is sent then, and taken once.
 */
export class PodConnection {
  readonly #options: PodOptions;
  readonly #emitter = new Emitter();
  readonly #waiting = new Map<string, Waiting>();
  readonly #filters = new Map<string, Question<void>>();
  readonly #replays = new Map<string, Question<Replayed> & { messages: Envelope[] }>();
  readonly #resolutions = new Map<string, Question<ResolvePayload>>();
  readonly #participants = new Map<string, Participant>();
  readonly #parents = new Map<string, string>();
  readonly joined: Promise<void>;
  #settle: Question<void> | undefined;
  #socket: WebSocketLike | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #filter: GatewayFilter | undefined;
  #me: Participant | undefined;
  #position: { seq: number; epoch: string | undefined } | undefined;
  #held: Envelope[] | undefined;
  #closed = false;
  /** Whether the pod stores what is said, and so will say when it has. */
  #isDurable = true;

  constructor(options: PodOptions) {
    this.#options = options;
    this.#filter = options.filter;
    if (options.since !== undefined) this.#position = { seq: options.since, epoch: options.epoch };
    this.joined = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#connect(webSocketOf(options.WebSocket));
  }

  /** Who one is here, and what one may send. */
  get me(): Participant {
    if (!this.#me) throw new Error('Not connected yet: wait for connectPod');
    return this.#me;
  }

  /** The others who are connected. */
  get participants(): Participant[] {
    return [...this.#participants.values()];
  }

  /** The position and epoch of the last message: what to resume from in another process. */
  get position(): { seq: number; epoch: string | undefined } | undefined {
    return this.#position;
  }

  on<Name extends keyof PodEvents>(name: Name, listener: (event: PodEvents[Name]) => void): () => void {
    return this.#emitter.on(name, listener);
  }

  /**
   * Resolves with the message as everyone got it, when it is stored; in a pod without durable history, when it was sent to
   * everyone. Rejects with what the gateway had against it, or `not_stored`.
   */
  readonly send = (kind: string, payload: unknown, options: SendOptions = {}): Promise<Envelope> => {
    if (this.#closed) return Promise.reject(new Error('The connection is closed'));
    const { id = newId(), ...more } = options;
    const envelope = {
      protocol: ENVELOPE_PROTOCOL,
      id,
      ts: new Date().toISOString(),
      from: this.me.id,
      kind,
      ...more,
      payload,
    } as Envelope;
    this.#noteParent(envelope);
    return new Promise((resolve, reject) => {
      const waiting = { envelope, resolve, reject, resent: false };
      this.#waiting.set(id, waiting);
      this.#deliver(waiting);
    });
  };

  chat(text: string, options: SendOptions = {}): Promise<Envelope> {
    return this.send('chat', { text }, options);
  }

  /** Work in a new sub-context; contexts nest by calling `inContext` of the one that the work is given. */
  async inContext<Result>(
    type: string,
    work: (context: PodContext) => Result | Promise<Result>,
    options: ContextOptions = {},
  ): Promise<Result> {
    return work(new PodContext(this.send, type, undefined, options));
  }

  /** What to hear from now on. */
  setFilter(filter: GatewayFilter): Promise<void> {
    this.#filter = filter;
    return this.#ask(this.#filters, 'gateway/filter', filter);
  }

  /** Messages from history, oldest first. */
  replay(request: ReplayRequest = {}): Promise<Replayed> {
    return this.#ask(this.#replays, 'gateway/replay', request, { messages: [] as Envelope[] });
  }

  /** Where a correlation id leads to, in any pod of the organisation that is open to one. */
  resolve(id: string): Promise<ResolvePayload> {
    return this.#ask(this.#resolutions, 'gateway/resolve', { id });
  }

  /** Messages as they come, until the connection is closed. */
  async *messages(): AsyncGenerator<Envelope, void, void> {
    const queue: Envelope[] = [];
    let wake = () => {};
    const stop = [
      this.on('message', (message) => {
        queue.push(message);
        wake();
      }),
      this.on('closed', () => wake()),
    ];
    try {
      for (;;) {
        while (queue.length > 0) yield queue.shift()!;
        if (this.#closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      for (const end of stop) end();
    }
  }

  close(): void {
    this.#end(1000, 'closed');
  }

  #ask<Answer, More extends object>(
    questions: Map<string, Question<Answer> & More>,
    kind: string,
    payload: object,
    more: More = {} as More,
  ): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error('The connection is closed'));
    const id = newId();
    return new Promise((resolve, reject) => {
      questions.set(id, { resolve, reject, ...more });
      if (!this.#write({ id, kind, payload })) {
        questions.delete(id);
        reject(new Error('Not connected at the moment; try again'));
      }
    });
  }

  #deliver({ envelope, resolve }: Waiting): void {
    if (!this.#write(envelope) || this.#isDurable) return;
    const { id: me } = this.me;
    if (!this.#filter || matchesFilter(envelope, this.#filter, { parents: this.#parents, me })) return;
    // The filter keeps the echo away too. The gateway answers in order: what it has not refused by its next answer, it
    // has taken.
    const taken = () => this.#settleSent(envelope.id, () => resolve(envelope));
    this.#ask(this.#filters, 'gateway/filter', this.#filter).then(taken, () => {});
  }

  #noteParent({ context }: Envelope): void {
    if (context?.parent === undefined || this.#parents.has(context.id)) return;
    this.#parents.set(context.id, context.parent);
    if (this.#parents.size > KNOWN_PARENTS) this.#parents.delete(this.#parents.keys().next().value!);
  }

  #write(message: object): boolean {
    if (this.#socket?.readyState !== OPEN || !this.#me) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #connect(Constructor: WebSocketConstructor): void {
    const { url, pod, token, participant } = this.#options;
    const { seq: since, epoch } = this.#position ?? {};
    const address = podAddress({ url, pod, token, participant, filter: this.#filter, since, epoch });
    const socket = new Constructor(address);
    this.#socket = socket;
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (this.#socket === socket && typeof data === 'string') this.#take(JSON.parse(data) as Envelope);
    };
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
      if (this.#socket === socket) this.#lost(code, reason, Constructor);
    };
    // Every error is followed by a close, which says more.
    socket.onerror = () => {};
  }

  #lost(code: number, reason: string, Constructor: WebSocketConstructor): void {
    this.#socket = undefined;
    const lost = new Error(`The connection was lost (${code}${reason ? `, ${reason}` : ''})`);
    for (const questions of [this.#filters, this.#replays, this.#resolutions]) {
      for (const { reject } of questions.values()) reject(lost);
      questions.clear();
    }
    const never = this.#settle !== undefined;
    if (never || FINAL_CODES.includes(code) || this.#options.reconnect === false) {
      this.#end(code, reason, lost);
      return;
    }
    // A little by chance: not everyone should come back in the same moment.
    const pause = Math.min(LONGEST_PAUSE, (this.#options.retryAfter ?? 250) * 2 ** this.#tries++);
    const retryIn = Math.round(pause * (0.5 + Math.random() / 2));
    this.#emitter.emit('disconnected', { code, reason, retryIn });
    for (const waiting of this.#waiting.values()) waiting.resent = true;
    this.#retry = setTimeout(() => this.#connect(Constructor), retryIn);
  }

  #end(code: number, reason: string, error = new Error('The connection is closed')): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000);
    this.#settle?.reject(error);
    this.#settle = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const questions of [this.#filters, this.#replays, this.#resolutions]) {
      for (const { reject } of questions.values()) reject(error);
      questions.clear();
    }
    this.#emitter.emit('closed', { code, reason });
  }

  /** What comes right behind the welcome waits until who joined could say what to do with it. */
  #take(envelope: Envelope): void {
    if (this.#held) {
      this.#held.push(envelope);
      return;
    }
    const wasJoining = this.#settle !== undefined;
    this.#receive(envelope);
    if (!wasJoining || this.#settle !== undefined || this.#closed) return;
    this.#held = [];
    setTimeout(() => {
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const one of held) this.#receive(one);
    });
  }

  #receive(envelope: Envelope): void {
    if (envelope.replay) {
      this.#emitter.emit('replayed', envelope);
      // Replays are answered one after the other, in the order in which they were asked for.
      this.#replays.values().next().value?.messages.push(envelope);
      return;
    }
    if (envelope.from === GATEWAY_SENDER && envelope.kind.startsWith('system/')) {
      this.#heed(envelope);
      return;
    }
    if (envelope.seq !== undefined) this.#position = { seq: envelope.seq, epoch: envelope.epoch };
    this.#noteParent(envelope);
    const own = this.#waiting.get(envelope.id);
    if (own && this.#isDurable) own.heard = envelope;
    else this.#settleSent(envelope.id, (waiting) => waiting.resolve(envelope));
    this.#emitter.emit('message', envelope);
  }

  #settleSent(id: string | undefined, work: (waiting: Waiting) => void): boolean {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (!waiting) return false;
    this.#waiting.delete(id!);
    work(waiting);
    return true;
  }

  /** What the gateway itself says. */
  #heed({ kind, payload, correlation_id: id }: Envelope): void {
    switch (kind) {
      case 'system/welcome':
        this.#welcome(payload as WelcomePayload);
        break;
      case 'system/presence': {
        const presence = payload as PresencePayload;
        if (presence.event === 'join') this.#participants.set(presence.participant.id, presence.participant);
        else this.#participants.delete(presence.participant.id);
        this.#emitter.emit('presence', presence);
        break;
      }
      case 'system/context':
        this.#emitter.emit('context', payload as ContextPayload);
        break;
      case 'system/gap': {
        const gap = payload as GapPayload;
        const seen = this.#position?.seq ?? 0;
        // Behind what was seen here: positions begin again there.
        this.#position = { seq: gap.from <= seen ? gap.from - 1 : gap.to, epoch: undefined };
        this.#emitter.emit('gap', gap);
        break;
      }
      case 'system/stored':
        this.#stored(payload as StoredPayload);
        break;
      case 'system/filter':
        this.#filters.get(id ?? '')?.resolve();
        this.#filters.delete(id ?? '');
        break;
      case 'system/resolve':
        this.#resolutions.get(id ?? '')?.resolve(payload as ResolvePayload);
        this.#resolutions.delete(id ?? '');
        break;
      case 'system/replay': {
        const replay = this.#replays.get(id ?? '');
        this.#replays.delete(id ?? '');
        replay?.resolve({ messages: replay.messages, next: (payload as ReplayEndPayload).next });
        break;
      }
      case 'system/error':
        this.#refused(payload as GatewayErrorPayload, id);
        break;
    }
  }

  #stored(stored: StoredPayload): void {
    const { epoch } = stored;
    for (const { id, seq } of stored.messages) {
      this.#settleSent(id, ({ envelope, heard, resolve }) =>
        resolve(heard?.seq === seq && heard.epoch === epoch ? heard : { ...envelope, seq, epoch }),
      );
    }
    this.#emitter.emit('stored', stored);
  }

  #welcome(welcome: WelcomePayload): void {
    this.#me = welcome.you;
    this.#isDurable = welcome.history === 'durable';
    this.#tries = 0;
    this.#participants.clear();
    for (const participant of welcome.participants) this.#participants.set(participant.id, participant);
    this.#position ??= { seq: welcome.seq, epoch: welcome.epoch };
    this.#emitter.emit('welcome', welcome);
    for (const waiting of [...this.#waiting.values()]) this.#deliver(waiting);
    this.#settle?.resolve();
    this.#settle = undefined;
  }

  #refused(payload: GatewayErrorPayload, id: string | undefined): void {
    const sent = this.#settleSent(id, (waiting) => {
      // The first sending was stored, and only the word of it was lost.
      if (payload.error === 'duplicate_id' && waiting.resent) {
        const { seq } = payload;
        waiting.resolve({ ...waiting.envelope, ...(typeof seq === 'number' ? { seq } : {}) });
      } else waiting.reject(new PodError(payload));
    });
    if (sent) return;
    const asked = [this.#filters, this.#replays, this.#resolutions] as Map<string, Question<never>>[];
    for (const questions of asked) {
      const question = questions.get(id ?? '');
      questions.delete(id ?? '');
      if (question) {
        question.reject(new PodError(payload));
        return;
      }
    }
    this.#emitter.emit('refused', payload);
  }
}
