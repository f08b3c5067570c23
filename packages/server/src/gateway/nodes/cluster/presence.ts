import type { Participant } from '@infold/protocol';
import type { NatsConnection } from '@nats-io/transport-node';

/** A participant's connection to some node. Of two, the one with the higher stamp is the newer. */
interface Connected {
  process: string;
  stamp: number;
  participant: Participant;
  /** When its node last said so. */
  heardAt?: number;
}

/** What the nodes tell each other. */
type News =
  | { process: string; event: 'join'; pod: string; stamp: number; participant: Participant }
  | { process: string; event: 'leave'; pod: string; stamp: number; id: string }
  /** Everybody who is connected there, again: for who has come since, or has missed something. */
  | { process: string; event: 'all'; pod: string; members: Omit<Connected, 'process'>[] }
  | { process: string; event: 'ask' };

export interface PresenceServices {
  connection: NatsConnection;
  process: string;
  isAlive(process: string): boolean;
  /** The pod, where it is open here. */
  pod(stream: string): PresentPod | undefined;
  onError(error: unknown): void;
}

/** What a pod does for those who are connected to it here. */
export interface PresentPod {
  presence(event: 'join' | 'leave', participant: Participant): void;
  /** The participant has a newer connection elsewhere. */
  replaced(participant: string): void;
}

const SUBJECT = 'infold-gateway.presence';
const AGAIN = 5000;
/** Members in one message, which has to stay below a megabyte. */
const PORTION = 1000;

/** Who is connected to which pod, on whichever node. What a node says of it ends with the node. */
export class Presence {
  readonly #services: PresenceServices;
  /** By pod and participant: here, and elsewhere. */
  readonly #here = new Map<string, Map<string, Connected>>();
  readonly #elsewhere = new Map<string, Map<string, Connected>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;

  constructor(services: PresenceServices) {
    this.#services = services;
    const { connection } = services;
    const subscription = connection.subscribe(SUBJECT, {
      callback: (error, message) => {
        try {
          if (error) throw error;
          this.#hear(message.json<News>());
        } catch (failure) {
          services.onError(failure);
        }
      },
    });
    this.#stop = () => subscription.unsubscribe();
    this.#timer = setInterval(() => {
      this.expire();
      this.#tellAll();
    }, AGAIN).unref();
    this.#tell({ event: 'ask', process: services.process });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stop();
  }

  /** Everybody who is connected to the pod on another node, and not here. */
  elsewhere(pod: string): Participant[] {
    const here = this.#here.get(pod);
    const others = this.#elsewhere.get(pod)?.values() ?? [];
    return [...others].flatMap(({ participant }) => (here?.has(participant.id) ? [] : [participant]));
  }

  isElsewhere(pod: string, id: string): boolean {
    return this.#elsewhere.get(pod)?.has(id) ?? false;
  }

  joined(pod: string, participant: Participant): void {
    const { process } = this.#services;
    // Newer than what it replaces, whatever the nodes' clocks say.
    const earlier = this.#elsewhere.get(pod)?.get(participant.id);
    const stamp = Math.max(Date.now(), (earlier?.stamp ?? 0) + 1);
    put(this.#here, pod, { process, stamp, participant });
    remove(this.#elsewhere, pod, participant.id);
    this.#tell({ event: 'join', process, pod, stamp, participant });
  }

  left(pod: string, id: string): void {
    const { process } = this.#services;
    const stamp = this.#here.get(pod)?.get(id)?.stamp;
    if (stamp === undefined) return;
    remove(this.#here, pod, id);
    this.#tell({ event: 'leave', process, pod, stamp, id });
  }

  /** Those whose node died, or does not name them any more. */
  expire(): void {
    const oldest = performance.now() - 3 * AGAIN;
    for (const [pod, others] of this.#elsewhere) {
      for (const { process, participant, heardAt } of [...others.values()]) {
        if (heardAt! < oldest || !this.#services.isAlive(process)) this.#gone(pod, participant);
      }
    }
  }

  #tell(news: News): void {
    const { connection, onError } = this.#services;
    try {
      connection.publish(SUBJECT, JSON.stringify(news));
    } catch (error) {
      if (!connection.isClosed()) onError(error);
    }
  }

  #tellAll(): void {
    const { process } = this.#services;
    for (const [pod, here] of this.#here) {
      const members = [...here.values()].map(({ stamp, participant }) => ({ stamp, participant }));
      for (let from = 0; from < members.length; from += PORTION) {
        this.#tell({ event: 'all', process, pod, members: members.slice(from, from + PORTION) });
      }
    }
  }

  #hear(news: News): void {
    const { process } = news;
    if (process === this.#services.process) return;
    if (news.event === 'ask') this.#tellAll();
    else if (news.event === 'join') this.#joined(news.pod, news);
    else if (news.event === 'all') {
      for (const member of news.members) this.#joined(news.pod, { ...member, process });
    } else {
      const known = this.#elsewhere.get(news.pod)?.get(news.id);
      if (known?.process === process && known.stamp <= news.stamp) this.#gone(news.pod, known.participant);
    }
  }

  #joined(pod: string, { process, stamp, participant }: Connected): void {
    const { id } = participant;
    const here = this.#here.get(pod)?.get(id);
    const known = this.#elsewhere.get(pod)?.get(id);
    const earlier = here ?? known;
    if (known?.process === process && known.stamp === stamp) known.heardAt = performance.now();
    if (earlier && !isNewer({ stamp, process }, earlier)) return;
    put(this.#elsewhere, pod, { process, stamp, participant, heardAt: performance.now() });
    const local = this.#services.pod(pod);
    if (here) {
      remove(this.#here, pod, id);
      local?.replaced(id);
    }
    if (!earlier) local?.presence('join', participant);
  }

  #gone(pod: string, participant: Participant): void {
    remove(this.#elsewhere, pod, participant.id);
    if (!this.#here.get(pod)?.has(participant.id)) this.#services.pod(pod)?.presence('leave', participant);
  }
}

type Stamped = Pick<Connected, 'stamp' | 'process'>;

/** The same for everybody who compares the two. */
function isNewer(one: Stamped, other: Stamped): boolean {
  return one.stamp === other.stamp ? one.process > other.process : one.stamp > other.stamp;
}

function put(pods: Map<string, Map<string, Connected>>, pod: string, connected: Connected): void {
  const known = pods.get(pod);
  if (known) known.set(connected.participant.id, connected);
  else pods.set(pod, new Map([[connected.participant.id, connected]]));
}

function remove(pods: Map<string, Map<string, Connected>>, pod: string, id: string): void {
  const known = pods.get(pod);
  if (known?.delete(id) && known.size === 0) pods.delete(pod);
}
