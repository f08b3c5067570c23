import { join } from 'node:path';
import { alone } from '../../journal/cluster/lease.ts';
import { withFileLock } from '../../journal/file-lock.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { WebhookConfig } from '../../kernel/webhook-config.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { webhookStream } from '../../trust/streams.ts';
import { configureWebhook, dueAt, type ReceiverAnswer, settleDelivery } from '../commands/webhooks.ts';
import {
  countWaitingDeliveries,
  nextDelivery,
  projectsMeant,
  type WebhookDelivery,
  waitingDelivery,
  webhookById,
} from '../queries/webhooks.ts';
import { payloadOf } from './payload.ts';
import { send } from './send.ts';

export interface LineParts {
  journal: Journal;
  clock: Clock;
  data: string;
  /** Where the console is. */
  console: string;
  log: Pick<Logger, 'warn' | 'info'>;
  /** Told of everything that was sent. */
  count: (name: string, outcome: 'delivered' | 'failed' | 'given_up') => void;
}

/** Milliseconds after which it looks again, whatever it was told: clocks are set, and other processes end. */
const LOOK = 60_000;
/** … at whether who sends has gone. */
const TURN = 3000;
/** What waits for projects that are not meant goes when it is so much. */
const MOST_UNMEANT = 1000;
/** A commit that failed is tried again after so long; sending again would say the same twice. */
const COMMIT_AGAIN = 1000;
/** What is on its way when the process stops may still be answered. */
const GRACE = 2000;

/** Everything for one webhook, in the order in which it happened, one after the other. Lines know nothing of each other. */
export class WebhookLine {
  readonly #webhook: WebhookConfig;
  readonly #parts: LineParts;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #sending: AbortController | undefined;
  #ring: () => void = () => {};
  /** Something came since it was looked for. */
  #isRung = false;
  #isFailing = false;

  constructor(webhook: WebhookConfig, parts: LineParts) {
    this.#webhook = webhook;
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** Something may be there to send. */
  wake(): void {
    this.#isRung = true;
    this.#ring();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    const timer = setTimeout(() => this.#sending?.abort(), GRACE);
    await this.#running;
    clearTimeout(timer);
  }

  /** Of the processes of a data folder, and of the nodes of a cluster, one sends. */
  async #run(): Promise<void> {
    const { journal, data, log } = this.#parts;
    const { id, name } = this.#webhook;
    const { cluster } = journal;
    while (!this.#stopping.signal.aborted) {
      try {
        if (cluster) await alone(cluster, `webhook-${id}`, cluster.node, (lost) => this.#lead(lost));
        else {
          const path = join(data, 'webhooks', `${id}.lock`);
          await withFileLock(path, 0, () => this.#lead(new AbortController().signal));
        }
      } catch (error) {
        log.warn({ webhook: name, problem: messageOf(error) }, 'a webhook');
      }
      this.#isRung = this.#stopping.signal.aborted;
      await this.#pause(TURN);
    }
  }

  async #lead(lost: AbortSignal): Promise<void> {
    lost.addEventListener('abort', () => {
      this.#sending?.abort();
      this.wake();
    });
    while (!lost.aborted && !this.#stopping.signal.aborted) {
      this.#isRung = false;
      const delivery = await this.#next();
      if (typeof delivery === 'number') await this.#pause(delivery);
      else await this.#deliver(delivery, lost);
    }
  }

  /** What is to be sent now, or how long there is nothing to do. */
  async #next(): Promise<WebhookDelivery | number> {
    const { journal, clock } = this.#parts;
    const { database } = journal;
    const { id, projects } = this.#webhook;
    const known = webhookById(database, id);
    if (!known) return LOOK;
    const meant = projectsMeant(database, id, projects);
    const delivery = nextDelivery(database, id, meant);
    if (!delivery) {
      await this.#sweep();
      return LOOK;
    }
    const now = clock();
    const wait = dueAt(known, now) - now;
    return wait > 0 ? Math.min(wait, LOOK) : delivery;
  }

  async #sweep(): Promise<void> {
    const { journal } = this.#parts;
    const { id, name, events, projects = null } = this.#webhook;
    if (countWaitingDeliveries(journal.database, id, null).all < MOST_UNMEANT) return;
    await journal.commit({
      stream: webhookStream(id),
      actor: localOwner.actor,
      decide: (database) => {
        const keep = projectsMeant(database, id, projects);
        return configureWebhook(webhookById(database, id), { id, name, events, projects }, keep, true);
      },
    });
  }

  async #deliver(delivery: WebhookDelivery, lost: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const sending = new AbortController();
    this.#sending = sending;
    const outcome = await this.#send(delivery, { now: clock(), signal: sending.signal });
    this.#sending = undefined;
    // Nothing is known of it: it is sent again, under the same id.
    if (sending.signal.aborted && outcome.status === null) return;
    await this.#settle(delivery, outcome, lost);
  }

  async #send(
    delivery: WebhookDelivery,
    options: { now: number; signal: AbortSignal },
  ): Promise<ReceiverAnswer> {
    const { journal, console } = this.#parts;
    try {
      const payload = payloadOf(
        { journal, console: this.#webhook.console ?? console },
        this.#webhook,
        delivery,
      );
      return await send(this.#webhook, { id: delivery.id, event: delivery.event, payload }, options);
    } catch (error) {
      return { status: null, problem: messageOf(error) };
    }
  }

  async #settle(delivery: WebhookDelivery, outcome: ReceiverAnswer, lost: AbortSignal): Promise<void> {
    const { journal, clock, log } = this.#parts;
    const { id, name } = this.#webhook;
    const chance = Math.random();
    while (!lost.aborted) {
      try {
        const { answer } = await journal.commit({
          stream: webhookStream(id),
          actor: localOwner.actor,
          decide: (database) => {
            const webhook = webhookById(database, id);
            const waiting = waitingDelivery(database, delivery);
            // Another one sent it, or it is not wanted any more.
            if (!webhook || !waiting) return { events: [], answer: undefined };
            return settleDelivery(webhook, waiting, outcome, { now: clock(), chance });
          },
        });
        if (answer) this.#tell(delivery, outcome, answer.givenUp);
        return;
      } catch (error) {
        log.warn({ webhook: name, problem: messageOf(error) }, 'a delivery could not be recorded');
        if (this.#stopping.signal.aborted) return;
        this.#isRung = false;
        await this.#pause(COMMIT_AGAIN);
      }
    }
  }

  #tell({ id, event }: WebhookDelivery, { problem }: ReceiverAnswer, isGivenUp: boolean): void {
    const { log, count } = this.#parts;
    const { name } = this.#webhook;
    count(name, problem === null ? 'delivered' : 'failed');
    if (isGivenUp) count(name, 'given_up');
    const about = { webhook: name, delivery: id, event, ...(problem !== null && { problem }) };
    if (isGivenUp) log.warn(about, 'a delivery was given up; "infold webhook retry" sends it again');
    else if (problem !== null && !this.#isFailing) log.warn(about, 'a webhook fails; it is tried again');
    else if (problem === null && this.#isFailing) log.info(about, 'a webhook is back');
    this.#isFailing = problem !== null;
  }

  #pause(milliseconds: number): Promise<void> {
    if (this.#isRung) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#ring = () => {};
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      timer.unref();
      this.#ring = done;
    });
  }
}
