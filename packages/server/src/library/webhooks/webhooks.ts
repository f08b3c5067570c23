import { hostname } from 'node:os';
import type { WebhookStatus } from '@infold/protocol';
import type { Journal } from '../../journal/journal.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import { maskedUrl, type WebhookConfig, webhookSecret } from '../../kernel/webhook-config.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { webhookStream } from '../../trust/streams.ts';
import { configureWebhook, retryDeliveries } from '../commands/webhooks.ts';
import {
  allWebhooks,
  countGivenUp,
  countWaitingDeliveries,
  givenUpDeliveries,
  projectsMeant,
  type Webhook,
  webhookById,
} from '../queries/webhooks.ts';
import { WebhookLine } from './line.ts';
import { send } from './send.ts';

export interface WebhookParts {
  journal: Journal;
  clock: Clock;
  config: Config;
  log: Pick<Logger, 'warn' | 'info'>;
}

declare module '../../call/parts.ts' {
  interface Parts {
    webhooks: Webhooks;
  }
}

const MOST_SHOWN = 20;

/** Those who are told what happens in libraries: as they are configured, and what they have been told. */
export class Webhooks {
  readonly #parts: WebhookParts;
  readonly #counts = new Map<string, number>();
  #lines: WebhookLine[] = [];
  #unwatch: (() => void) | undefined;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /**
   * Puts on record what is configured: from here on, what happens is queued. A server also ends what is not configured any
   * more; a host's process does not, because it may have been started with another configuration.
   */
  async configure({ ends }: { ends: boolean }): Promise<void> {
    const { journal, config, log } = this.#parts;
    for (const { id, name, events, projects = null } of config.webhooks) {
      await journal.commit({
        stream: webhookStream(id),
        actor: localOwner.actor,
        decide: (database) => {
          const known = webhookById(database, id);
          const keep = projectsMeant(database, id, known?.projects);
          return configureWebhook(known, { id, name, events, projects }, keep);
        },
      });
    }
    const isConfigured = (id: string) => config.webhooks.some((webhook) => webhook.id === id);
    for (const { id, name } of allWebhooks(journal.database)) {
      if (!ends || isConfigured(id)) continue;
      const { all: waiting } = countWaitingDeliveries(journal.database, id, null);
      await journal.commit({
        stream: webhookStream(id),
        actor: localOwner.actor,
        decide: () => ({ events: [{ type: 'webhook.removed', data: { webhook_id: id } }], answer: null }),
      });
      log.warn(
        { webhook: name, waiting },
        'a webhook is not configured any more; what waited for it is dropped',
      );
    }
  }

  /** Refuses what could never be sent. */
  check(): void {
    for (const webhook of this.#parts.config.webhooks) webhookSecret(webhook);
  }

  /** Sends, as long as the process lives, what no other process sends. */
  start(): void {
    const { journal, clock, config, log } = this.#parts;
    if (config.webhooks.length === 0) return;
    const count = (name: string, outcome: string) => {
      const key = JSON.stringify([name, outcome]);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    };
    const parts = { journal, clock, log, count, data: config.data, console: consoleOf(config) };
    // Who cannot sign leaves it to a process that can.
    const usable = config.webhooks.filter((webhook) => {
      const problem = unusable(webhook);
      if (problem !== undefined)
        log.warn({ webhook: webhook.name, problem }, 'a webhook is not sent to from here');
      return problem === undefined;
    });
    this.#lines = usable.map((webhook) => new WebhookLine(webhook, parts));
    this.#unwatch = journal.watch(({ stream }) => {
      if (/^(library|webhook)\./.test(stream)) for (const line of this.#lines) line.wake();
    });
  }

  async close(): Promise<void> {
    this.#unwatch?.();
    this.#unwatch = undefined;
    await Promise.all(this.#lines.map((line) => line.stop()));
    this.#lines = [];
  }

  /** What this process sent, and what waits, for those who count. */
  figures() {
    const { config } = this.#parts;
    const sent = [...this.#counts].map(([key, count]) => {
      const [webhook, outcome] = JSON.parse(key) as [string, string];
      return { webhook, outcome, count };
    });
    const queued = config.webhooks.length === 0 ? [] : this.list();
    return {
      sent,
      queued: queued.map(({ name, waiting, given_up }) => ({ webhook: name, waiting, given_up })),
    };
  }

  /** What is configured, and what was and is still on record. */
  list(): WebhookStatus[] {
    const { journal, config } = this.#parts;
    const known = new Map(allWebhooks(journal.database).map((webhook) => [webhook.id, webhook]));
    const configured = config.webhooks.map((webhook) => this.#status(webhook, known.get(webhook.id)));
    const others = [...known.values()].filter(({ id }) => !config.webhooks.some((one) => one.id === id));
    return [...configured, ...others.map((webhook) => this.#status(undefined, webhook))];
  }

  /** Sends a ping now, whatever waits. It is not on record. */
  async test(name: string) {
    const { clock } = this.#parts;
    const webhook = this.#configured(name);
    const id = randomId('ping');
    const now = clock();
    const payload = { id, event: 'ping', at: isoTime(now), webhook: webhook.name };
    const began = performance.now();
    const signal = new AbortController().signal;
    const { status, problem } = await send(webhook, { id, event: 'ping', payload }, { now, signal });
    const milliseconds = Math.round(performance.now() - began);
    return { webhook: webhook.name, delivery: id, ok: problem === null, status, problem, milliseconds };
  }

  async retry(name: string, deliveryId: string | null) {
    const { journal } = this.#parts;
    const known = allWebhooks(journal.database).find((one) => one.name === name || one.id === name);
    const { id } = known ?? this.#configured(name);
    const { answer: retried } = await journal.commit({
      stream: webhookStream(id),
      actor: localOwner.actor,
      decide: (database) => {
        const webhook = webhookById(database, id);
        const count = countGivenUp(database, id, deliveryId);
        if (deliveryId !== null && count === 0) {
          throw new InfoldError('not_found', `No delivery "${deliveryId}" of this webhook was given up`);
        }
        return webhook ? retryDeliveries(webhook, deliveryId, count) : { events: [], answer: 0 };
      },
    });
    const waiting = this.#waiting(id, webhookById(journal.database, id)?.projects);
    return { webhook: known?.name ?? name, retried, waiting };
  }

  #configured(name: string): WebhookConfig {
    const { webhooks } = this.#parts.config;
    const found = webhooks.find((webhook) => webhook.name === name || webhook.id === name);
    if (found) return found;
    const names = webhooks.map((webhook) => webhook.name);
    const options = names.length === 0 ? 'none is configured' : `there are ${names.join(', ')}`;
    throw new InfoldError('not_found', `There is no webhook "${name}": ${options}`);
  }

  #waiting(id: string, projects: readonly string[] | null | undefined): number {
    const { database } = this.#parts.journal;
    return countWaitingDeliveries(database, id, projectsMeant(database, id, projects)).meant;
  }

  #status(configured: WebhookConfig | undefined, known: Webhook | undefined): WebhookStatus {
    const { database } = this.#parts.journal;
    const { id, name, events } = (configured ?? known)!;
    const projects = (configured ? configured.projects : known?.projects) ?? null;
    const state = configured ? (known ? (known.failures > 0 ? 'failing' : 'ready') : 'new') : 'removed';
    const time = (at: number | null | undefined) => (at === null || at === undefined ? null : isoTime(at));
    return {
      ...{ id, name, url: configured ? maskedUrl(configured.url) : null, events, projects, state },
      since: time(known?.since),
      waiting: this.#waiting(id, projects),
      delivered: known?.delivered ?? 0,
      given_up: countGivenUp(database, id),
      last_delivery:
        known?.last_id && known.last_event
          ? { id: known.last_id, event: known.last_event, at: isoTime(known.last_at!) }
          : null,
      failing_since: time(known?.failing_since),
      failures: known?.failures ?? 0,
      problem: (configured && unusable(configured)) ?? known?.problem ?? null,
      next_attempt: time(known?.next_at),
      failed: givenUpDeliveries(database, id, MOST_SHOWN).map(({ id, event, at, attempts, problem }) => ({
        ...{ id, event, at: isoTime(at), attempts, problem: problem ?? '' },
      })),
    };
  }
}

/** What keeps it from being sent anything at all. */
function unusable(webhook: WebhookConfig): string | undefined {
  try {
    webhookSecret(webhook);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function consoleOf({ host, port }: Config): string {
  const name = ['0.0.0.0', '::'].includes(host) ? hostname() : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
