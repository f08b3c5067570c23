import { setTimeout as wait } from 'node:timers/promises';
import type { LogInput, LogOperation } from '../history/log.ts';
import { randomOf } from '../support.ts';
import { Refusal, type TestNode } from './node.ts';

const CLIENTS = 4;
const STREAMS = 3;
/** Enough that histories overlap, few enough that they can be checked. */
const PAUSE = 8;
/** Every so many appends one is not tried again when it fails: nobody knows what became of it. */
const GIVES_UP_EVERY = 4;
const RETRY_AFTER = 100;

export interface Acknowledged {
  stream: string;
  item: string;
  seq: number;
}

/**
 * Four clients that append to and read from the same few logs, each now on one node and now on the other. What fails is tried again
 * with the same id, on the other node too, until it is answered. Each read asks for what its client has seen.
 */
export class Load {
  readonly history: LogOperation[] = [];
  readonly acknowledged: Acknowledged[] = [];
  /** Every refusal on the way, of one attempt each. */
  readonly refusals: { to: 'append' | 'read'; at: number; refusal: Refusal }[] = [];
  /** When each read was answered. */
  readonly reads: number[] = [];
  readonly streams: string[];
  #isOver = false;
  readonly #clients: Promise<void>[];
  readonly #nodes: () => readonly TestNode[];

  /** @param nodes the nodes that run now: one that was started again is another one. */
  constructor(name: string, nodes: () => readonly TestNode[], seed: number) {
    this.#nodes = nodes;
    this.streams = Array.from({ length: STREAMS }, (_, index) => `${name}.${index}`);
    this.#clients = Array.from({ length: CLIENTS }, (_, index) =>
      this.#client(`c${index}`, seed * 100 + index),
    );
    // What a client cannot go on after is told by `stop`.
    for (const client of this.#clients) client.catch(() => {});
  }

  /** Resolves when so many more operations were answered. */
  async progress(operations: number): Promise<void> {
    const enough = this.history.length + operations;
    const deadline = performance.now() + 120_000;
    while (this.history.length < enough) {
      if (performance.now() > deadline) {
        throw new Error(
          `Only ${this.history.length} of ${enough} operations were answered: ${this.#lastRefusal()}`,
        );
      }
      await wait(10);
    }
  }

  #lastRefusal(): string {
    return this.refusals.at(-1)?.refusal.message ?? 'none was refused';
  }

  /** Lets what is under way come to its end. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #client(client: string, seed: number): Promise<void> {
    const random = randomOf(seed);
    let seen = 0;
    for (let number = 1; !this.#isOver; number++) {
      const stream = this.streams[random(STREAMS)]!;
      const mayGiveUp = number % GIVES_UP_EVERY === 0;
      const input: LogInput =
        random(10) < 3 ? { stream, read: true } : { stream, append: `${client}-${number}` };
      const start = performance.now();
      const reached = 'read' in input ? { atLeast: seen } : {};
      const answered = await this.#ask(input, seen, random, mayGiveUp);
      this.history.push(
        answered
          ? { client, input, start, end: performance.now(), ...answered, ...reached }
          : { client, input, start, ...reached },
      );
      if (answered) seen = Math.max(seen, answered.seq);
      if (answered && 'append' in input) {
        this.acknowledged.push({ stream, item: input.append, seq: answered.seq });
      }
      await wait(random(PAUSE));
    }
  }

  async #ask(
    input: LogInput,
    seen: number,
    random: (limit: number) => number,
    mayGiveUp: boolean,
  ): Promise<{ answer: number | string[]; seq: number } | undefined> {
    const deadline = performance.now() + 120_000;
    for (;;) {
      const nodes = this.#nodes();
      const node = nodes[random(nodes.length)];
      const to = 'read' in input ? 'read' : 'append';
      try {
        if (!node) throw new Refusal('gone', true, 'No node is running');
        if ('read' in input) {
          const { answer, seq } = await node.ask('read', { stream: input.stream, atLeast: seen });
          this.reads.push(performance.now());
          return { answer, seq };
        }
        // Some are large.
        const bytes = random(20) === 0 ? 60_000 : 10 + random(200);
        const { answer, seq } = await node.ask('append', { stream: input.stream, item: input.append, bytes });
        return { answer, seq };
      } catch (error) {
        const refusal = error as Refusal;
        this.refusals.push({ to, at: performance.now(), refusal });
        if (!refusal.retryable || performance.now() > deadline) throw error;
        if (mayGiveUp || this.#isOver) return undefined;
        await wait(RETRY_AFTER);
      }
    }
  }
}
