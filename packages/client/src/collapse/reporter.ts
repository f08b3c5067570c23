import type { CollapseReport, OperationReport } from '@infold/protocol';
import type { CollapseEvent, Collapser } from './collapser.ts';
import { contentTokens } from './content.ts';
import { estimateTokens, type TokenCounter } from './tokens.ts';

export interface Operation {
  /** The model's tool-call id: an operation with one counts once, here and at the server. */
  callId?: string;
  tool: string;
  input?: unknown;
  output?: unknown;
  /** Where they are known; otherwise the server counts input and output. */
  tokens?: number;
  /** Default: the active branch. */
  branchId?: string;
  at?: Date | number;
}

export interface ReporterOptions {
  /** Where Infold listens, such as `http://127.0.0.1:9090`. */
  url: string;
  /** The session's id. One that Infold does not know begins with the first report. */
  session: string;
  /** For a session that begins: the project's id, name or path. */
  project?: string;
  token?: string;
  /** What it collapses is told too: it leaves the figures, and its summary comes in. */
  collapser?: Collapser;
  fetch?: typeof fetch;
  /** Operations in one request (default 100), and how long they wait for more (default 1000 ms). */
  batchSize?: number;
  interval?: number;
  /** Tries of one request in a row (default 5), and the wait before the second one (default 250 ms; it doubles). */
  tries?: number;
  backoff?: number;
  /** Operations that are kept while the server is away (default 10,000); the oldest go first. */
  maxQueue?: number;
  /** False sends token counts only, no input or output. */
  content?: boolean;
  countTokens?: TokenCounter;
  /** Told about operations that were given up. */
  onError?: (error: Error, operations: readonly OperationReport[]) => void;
}

/** What waits for the server. Both kinds are in one queue, because a collapse comes after the operation it is about. */
type Report = { operation: OperationReport } | { collapsed: CollapseReport };

export interface Reporter {
  /** Queues an operation; false when its call id was reported before or it cannot be sent. Never throws. */
  report(operation: Operation): boolean;
  /** Tells what a collapser collapses from now on; `observed()` does so by itself. Twice is once. */
  follow(collapser: Collapser): void;
  /** Sends what is queued; resolves when nothing is left to try, never rejects. */
  flush(): Promise<void>;
  /** Flushes and stops. */
  close(): Promise<void>;
  /** Operations and collapsed results that are not at the server yet. */
  readonly queued: number;
}

/** Below the server's limit of 4 MiB for a request, with room for escapes and other fields. */
const REQUEST_CHARACTERS = 1_000_000;
const REMEMBERED_IDS = 100_000;
const LONGEST_WAIT = 30_000;

type Sent = 'done' | 'refused' | 'away';

/** Tells Infold what the host's other tools used, so that its figures include them. */
export function createReporter(options: ReporterOptions): Reporter {
  const { session, project, token, onError, content = true, countTokens = estimateTokens } = options;
  const { batchSize = 100, interval = 1000, tries = 5, backoff = 250, maxQueue = 10_000 } = options;
  const send = options.fetch ?? fetch;
  const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`;
  const path = `api/sessions/${encodeURIComponent(session)}/operations${query}`;
  const address = new URL(path, options.url.endsWith('/') ? options.url : `${options.url}/`);
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };

  const queue: Report[] = [];
  const seen = new Set<string>();
  const followed = new WeakSet<Collapser>();
  const unsubscribe: (() => void)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let closed = false;

  const giveUp = (message: string, reports: readonly Report[]) => {
    try {
      const operations = reports.flatMap((report) => ('operation' in report ? [report.operation] : []));
      onError?.(new Error(message), operations);
    } catch {
      // A listener's own failure must not stop the reports.
    }
  };

  function report(operation: Operation): boolean {
    const { callId } = operation;
    if (callId !== undefined && seen.has(callId)) return false;
    try {
      if (closed) throw new Error('The reporter is closed');
      enqueue({ operation: asReport(operation) });
    } catch (error) {
      // A tool call has succeeded whether or not it can be reported.
      giveUp(`An operation of ${operation.tool} cannot be reported: ${String(error)}`, []);
      return false;
    }
    if (callId !== undefined) remember(callId);
    return true;
  }

  function enqueue(report: Report): void {
    queue.push(report);
    if (queue.length > maxQueue) {
      giveUp('Too many operations are waiting for the server', queue.splice(0, queue.length - maxQueue));
    }
    if (queue.length >= batchSize) void flush();
    else schedule(interval);
  }

  function follow(collapser: Collapser): void {
    if (followed.has(collapser)) return;
    followed.add(collapser);
    unsubscribe.push(collapser.subscribe(collapsed));
  }

  function collapsed({ results }: CollapseEvent): void {
    for (const { callId, handle, tokens, text, textTokens } of results) {
      // Counts of the two sides are not the same; the text lets the server use its own.
      const summary = content ? { summary: text } : { summary_tokens: textTokens };
      enqueue({
        collapsed: { call_id: callId, ...(handle !== undefined && { handle }), tokens, ...summary },
      });
    }
  }

  function remember(callId: string): void {
    // A set keeps the order of insertion: the oldest id is the first.
    if (seen.size >= REMEMBERED_IDS) seen.delete(seen.values().next().value!);
    seen.add(callId);
  }

  function asReport(operation: Operation): OperationReport {
    const { callId = ownId(), tool, input, output, tokens, branchId, at = Date.now() } = operation;
    const size = jsonLength(input) + jsonLength(output);
    const withContent = content && size <= REQUEST_CHARACTERS / 2;
    const counted = tokens ?? (withContent ? undefined : sum(input, output));
    return {
      call_id: callId,
      tool,
      at: new Date(at).toISOString(),
      ...(branchId !== undefined && { branch_id: branchId }),
      ...(counted !== undefined && { tokens: counted }),
      ...(withContent && input !== undefined && { input }),
      ...(withContent && output !== undefined && { output }),
    };
  }

  const sum = (...values: unknown[]) =>
    values.reduce<number>(
      (total, value) =>
        total + (value === undefined ? 0 : contentTokens({ content: value, isData: true }, countTokens)),
      0,
    );

  function schedule(milliseconds: number): void {
    if (timer !== undefined || closed) return;
    timer = setTimeout(() => void flush(), milliseconds);
    // In Node, waiting reports do not keep a program alive; close() sends them.
    (timer as { unref?: () => void }).unref?.();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running ??= drain().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = nextBatch();
      if ((await deliver(batch)) !== 'away') continue;
      queue.unshift(...batch);
      schedule(LONGEST_WAIT);
      return;
    }
  }

  function nextBatch(): Report[] {
    let count = 0;
    let size = 0;
    while (count < Math.min(batchSize, queue.length)) {
      size += jsonLength(queue[count]);
      if (count > 0 && size > REQUEST_CHARACTERS) break;
      count++;
    }
    return queue.splice(0, count);
  }

  /** Sends a batch. One that is refused is halved until the operation that is at fault stands alone. */
  async function deliver(batch: readonly Report[]): Promise<Sent> {
    const { sent, reason } = await post(batch);
    if (sent === 'done') return sent;
    if (sent === 'away') {
      giveUp(`Infold cannot be reached, reports are waiting: ${reason}`, []);
      return sent;
    }
    if (batch.length === 1) {
      giveUp(`Infold refused an operation: ${reason}`, batch);
      return sent;
    }
    const half = Math.ceil(batch.length / 2);
    for (const part of [batch.slice(0, half), batch.slice(half)]) {
      // Ids make a part that was delivered before harmless to send again.
      if ((await deliver(part)) === 'away') return 'away';
    }
    return 'refused';
  }

  async function post(reports: readonly Report[]): Promise<{ sent: Sent; reason: string }> {
    const operations = reports.flatMap((report) => ('operation' in report ? [report.operation] : []));
    const collapses = reports.flatMap((report) => ('collapsed' in report ? [report.collapsed] : []));
    // A server of an earlier version knows operations alone.
    const body = JSON.stringify({ operations, ...(collapses.length > 0 && { collapsed: collapses }) });
    let reason = '';
    for (let attempt = 1; attempt <= tries; attempt++) {
      let wait = backoff * 2 ** (attempt - 1);
      try {
        const response = await send(address, { method: 'POST', headers, body });
        if (response.ok) {
          await response.body?.cancel();
          return { sent: 'done', reason };
        }
        const answer = (await response.json().catch(() => ({}))) as { error?: unknown; retryable?: unknown };
        reason = `${response.status} ${String(answer.error ?? response.statusText)}`;
        // Without the right to write no operation is at fault, and a new token may come.
        if (response.status === 401 || response.status === 403) return { sent: 'away', reason };
        const again = response.status >= 500 || response.status === 429 || answer.retryable === true;
        if (!again) return { sent: 'refused', reason };
        const asked = Number(response.headers.get('retry-after')) * 1000;
        if (asked > 0) wait = asked;
      } catch (error) {
        reason = String(error);
      }
      if (attempt < tries) await pause(Math.min(wait, LONGEST_WAIT));
    }
    return { sent: 'away', reason };
  }

  if (options.collapser) follow(options.collapser);

  return {
    report,
    follow,
    flush,
    async close() {
      closed = true;
      for (const stop of unsubscribe) stop();
      await flush();
    },
    get queued() {
      return queue.length;
    },
  };
}

/** So that trying again cannot count an operation twice. */
const ownId = () => `report_${Date.now().toString(36)}_${Math.random().toString(36).slice(2)}`;

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** 0 for what JSON has no words for. */
function jsonLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value === undefined ? 0 : (JSON.stringify(value)?.length ?? 0);
}
