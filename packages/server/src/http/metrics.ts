import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallObserver } from '../call/services.ts';
import type { Cluster } from '../journal/cluster/cluster.ts';
import type { Journal } from '../journal/journal.ts';
import type { Turns } from '../trust/limits/fair-scheduler.ts';
import type { Traffic } from '../window/requests/traffic.ts';

/** Milliseconds. Finer would wake an idle server more often than it is worth. */
const STALL_RESOLUTION = 20;

interface WebhookFigures {
  sent: { webhook: string; outcome: string; count: number }[];
  queued: { webhook: string; waiting: number; given_up: number }[];
}

/** Prometheus metrics of this process. */
export class Metrics implements CallObserver {
  readonly #registry = new Registry();
  readonly #calls: Counter<'tool' | 'outcome'>;
  readonly #seconds: Histogram<'tool'>;
  readonly #times: CallObserver | undefined;

  /** `times` is told of every call too. */
  constructor(journal: Journal, turns?: Turns, traffic?: Traffic, times?: CallObserver) {
    this.#times = times;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 100 });
    this.#calls = new Counter({
      name: 'infold_tool_calls_total',
      help: 'Tool calls by tool and outcome',
      labelNames: ['tool', 'outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'infold_tool_call_seconds',
      help: 'Time of tool calls in seconds',
      labelNames: ['tool'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    });
    const stalls = monitorEventLoopDelay({ resolution: STALL_RESOLUTION });
    stalls.enable();
    new Gauge({
      name: 'infold_event_loop_stall_seconds',
      help: 'Longest time since the last scrape for which the event loop was blocked, in seconds',
      registers,
      collect() {
        // A timer that comes on time is late by its own interval.
        this.set(Math.max(0, stalls.max / 1e9 - STALL_RESOLUTION / 1000));
        stalls.reset();
      },
    });
    if (turns) {
      new Gauge({
        name: 'infold_calls_waiting',
        help: 'Calls that are waiting to run',
        registers,
        collect() {
          this.set(turns.waiting);
        },
      });
    }
    if (traffic) addTraffic(registers, traffic);
    new Gauge({
      name: 'infold_journal_head',
      help: 'Position of the newest journal entry',
      registers,
      collect() {
        this.set(journal.head().seq);
      },
    });
    if (journal.cluster) addNode(registers, journal.cluster);
  }

  called(tool: string, outcome: 'ok' | 'error', seconds: number, isOfModel: boolean): void {
    this.#calls.inc({ tool, outcome });
    this.#seconds.observe({ tool }, seconds);
    this.#times?.called(tool, outcome, seconds, isOfModel);
  }

  /** Told from then on: the streams belong to who serves them, and who serves needs the metrics. */
  countStreams(open: () => number): void {
    new Gauge({
      name: 'infold_streams_open',
      help: 'Open streaming responses: events, notifications, calls that stream',
      registers: [this.#registry],
      collect() {
        this.set(open());
      },
    });
  }

  /** What was sent to receivers of webhooks by this process, and what waits for them. */
  countWebhooks(read: () => WebhookFigures): void {
    const registers = [this.#registry];
    const gauge = (name: string, help: string, field: 'waiting' | 'given_up') =>
      new Gauge({
        ...{ name, help, labelNames: ['webhook'], registers },
        collect() {
          this.reset();
          for (const { webhook, ...figures } of read().queued) this.set({ webhook }, figures[field]);
        },
      });
    gauge('infold_webhook_waiting', 'Deliveries that wait, by webhook', 'waiting');
    gauge('infold_webhook_given_up', 'Deliveries that were given up, by webhook', 'given_up');
    new Counter({
      name: 'infold_webhook_deliveries_total',
      help: 'Deliveries of this process by webhook and outcome: delivered, failed, given_up',
      labelNames: ['webhook', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const { webhook, outcome, count } of read().sent) this.inc({ webhook, outcome }, count);
      },
    });
  }

  async response(): Promise<Response> {
    return new Response(await this.#registry.metrics(), {
      headers: { 'Content-Type': this.#registry.contentType },
    });
  }
}

/** How far this node is behind the journal that it shares. */
function addNode(registers: Registry[], cluster: Cluster): void {
  new Gauge({
    name: 'infold_node_ready',
    help: '1 if this node follows the journal of its cluster, and is near its end',
    registers,
    collect() {
      this.set(cluster.state().ready ? 1 : 0);
    },
  });
  new Gauge({
    name: 'infold_node_lag',
    help: 'Messages of the journal that this node has not applied yet',
    registers,
    collect() {
      this.set(cluster.state().lag);
    },
  });
}

/** What passed to the models. It is counted where it passes, and told when somebody asks. */
function addTraffic(registers: Registry[], traffic: Traffic): void {
  type Labelled = [labels: Record<string, string>, value: number];
  const count = (name: string, help: string, labelNames: string[], read: () => Labelled[]) => {
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  };
  count(
    'infold_model_answers_total',
    'Answers of models by status; 0 if there was none',
    ['upstream', 'status'],
    () =>
      traffic
        .report()
        .answers.map(({ upstream, status, count }) => [{ upstream, status: String(status) }, count]),
  );
  count('infold_model_unread_total', 'Requests whose body was passed on unread', ['why'], () =>
    traffic.report().unread.map(({ why, count }) => [{ why }, count]),
  );
  count('infold_model_unread_bytes_total', 'Bytes that were passed on unread', ['why'], () =>
    traffic.report().unread.map(({ why, bytes }) => [{ why }, bytes]),
  );
  count(
    'infold_model_failed_open_total',
    'Failures after which the original request was sent',
    ['what'],
    () => traffic.report().failed_open.map(({ what, count }) => [{ what }, count]),
  );
  count('infold_model_secrets_total', 'Secrets that were about to leave the machine', ['kind'], () =>
    traffic.report().secrets.map(({ kind, count }) => [{ kind }, count]),
  );
}
