import { HOST_NAMES } from '@infold/protocol';
import { z } from 'zod';
import type { CallServices } from '../../call/services.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import { type Caller, isLocalOwner } from '../../trust/identity/caller.ts';
import type { ReadPayload } from '../dialects/dialect.ts';
import { fieldsOf, textIn } from '../dialects/fields.ts';
import { DIALECTS } from '../dialects/index.ts';
import { handleEvent } from '../handlers.ts';
import type { EventKind, HookAnswer, HookCall } from '../hook-call.ts';
import { HookContext } from '../hook-context.ts';
import { STATUS_LINE, statusFigures } from '../status-line.ts';
import { LastReportsWriter } from './last-reports.ts';

/** What a hook says, as it comes over the socket, out of the spool or by HTTP. */
const reportSchema = z.object({
  id: z.string().min(1).max(100).optional(),
  host: z.enum(HOST_NAMES),
  event: z.string().max(200).default(''),
  /** When it happened; now, where it is not said. */
  at: z.number().int().positive().optional(),
  /** How long the hook waits for an answer. */
  until: z.number().int().positive().optional(),
  env: z.record(z.string(), z.string()).default({}),
  ancestors: z.array(z.number().int()).max(20).default([]),
  /** What the host wrote. */
  payload: z.string(),
});
export type HookReport = z.input<typeof reportSchema>;

/** A host that asked is not kept waiting: what takes longer goes on, and its answer is given to nobody. */
const PATIENCE: Partial<Record<EventKind, number>> = { tool: 1200, 'session-start': 3500 };
const OTHERWISE = 2200;
/** What an answer needs to get there. */
const WAY = 150;
/** Reports whose ids are remembered. */
const REMEMBERED = 5000;

/** What is to be done with a report. */
export interface Received {
  /** What the host is told; empty for nothing. */
  text: string;
  /** False where it could not be kept just now, and should be brought again. */
  isTaken: boolean;
}

const NOTHING: Received = { text: '', isTaken: true };

/** Raw payloads in, what the host is told out. It never throws: a host should not notice that anything went wrong here. */
export class HookReceiver {
  readonly #services: CallServices;
  readonly #handle: typeof handleEvent;
  readonly #heard: LastReportsWriter;
  readonly #known = new Set<string>();

  constructor(services: CallServices, handle = handleEvent) {
    this.#services = services;
    this.#handle = handle;
    this.#heard = new LastReportsWriter(services.config.data);
  }

  /** A report as `bin/hook.mjs` writes it. */
  async receiveLine(line: string, caller: Caller, gone?: AbortSignal): Promise<Received> {
    const parsed = reportSchema.safeParse(jsonOf(line));
    if (!parsed.success) {
      this.#services.log.debug('a hook sent something that is not a report');
      return NOTHING;
    }
    return this.receive(parsed.data, caller, gone);
  }

  /** `gone` says when nobody waits for the answer any more. Without it nobody does: the report was spooled. */
  async receive(report: HookReport, caller: Caller, gone?: AbortSignal): Promise<Received> {
    try {
      return await this.#receive(report, caller, gone);
    } catch (error) {
      this.#services.log.warn(
        { err: error, host: report.host, event: report.event },
        'a hook could not be answered',
      );
      const isTaken = !(InfoldError.isInstance(error) && error.retryable);
      if (!isTaken && report.id !== undefined) this.#known.delete(report.id);
      return { text: '', isTaken };
    }
  }

  close(): void {
    this.#heard.flush();
  }

  async #receive(report: HookReport, caller: Caller, gone: AbortSignal | undefined): Promise<Received> {
    const { host, env = {} } = report;
    const now = this.#services.clock();
    if (report.event === STATUS_LINE) {
      const figures = statusFigures(this.#services, caller, jsonOf(report.payload));
      return { text: JSON.stringify(figures), isTaken: true };
    }
    const dialect = DIALECTS[host];
    if (!dialect || this.#isKnown(report.id)) return NOTHING;
    const payload = jsonOf(report.payload);
    const event = ownName(payload) ?? report.event ?? '';
    const told = dialect.read(payload, report.event ?? '', env);
    if (told === 'foreign') this.#heard.foreign(host, event, now);
    if (told === 'unknown') this.#heard.unknown(host, event, now, payload);
    if (typeof told === 'string') return NOTHING;
    this.#heard.understood(host, event, now);
    const wait = gone && new Wait(gone, patienceFor(told.event.kind, report.until, now));
    const call: HookCall = {
      ...(isLocalOwner(caller) ? told : withoutFiles(told)),
      id: report.id ?? randomId('hook'),
      host,
      ...(report.ancestors?.length ? { ancestors: report.ancestors } : {}),
      // A clock that was wrong must not date anything in the future.
      at: Math.min(report.at ?? now, now),
      isLate: gone === undefined,
      ...(wait && { gone: wait.signal }),
    };
    // Files of whoever sent it are not here.
    if (call.event.kind === 'instructions-loaded' && !isLocalOwner(caller)) return NOTHING;
    const answering = this.#handle(call, new HookContext(this.#services, caller, call));
    if (!wait) {
      await answering;
      return NOTHING;
    }
    const answer = await wait.for(answering, (error) =>
      this.#services.log.warn({ err: error, host, event }, 'a hook failed after its time limit'),
    );
    return { text: answer ? dialect.write(call, answer, payload) : '', isTaken: true };
  }

  /** What was told twice, once by the host and once out of the spool, is done once. */
  #isKnown(id: string | undefined): boolean {
    if (id === undefined) return false;
    if (this.#known.has(id)) return true;
    this.#known.add(id);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.values().next().value!);
    return false;
  }
}

/** Paths are followed only for who may read this machine's files anyway. */
function withoutFiles({ transcript: _, ...told }: ReadPayload): ReadPayload {
  const { event } = told;
  if (event.kind !== 'subagent-stop') return told;
  const { transcript: _of, ...rest } = event;
  return { ...told, event: rest };
}

/** An event's name as the host itself says it: that in the hook's command may be wrong. */
function ownName(payload: unknown): string | undefined {
  const { hook_event_name, hookEventName, agent_action_name } = fieldsOf(payload) ?? {};
  return textIn(hook_event_name, hookEventName, agent_action_name);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A hook says itself how long it waits. */
function patienceFor(kind: EventKind, until: number | undefined, now: number): number {
  return until === undefined ? (PATIENCE[kind] ?? OTHERWISE) : Math.max(0, until - WAY - now);
}

/** How long somebody waits for an answer: until they go, or their time is over. */
class Wait {
  readonly #over = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(gone: AbortSignal, milliseconds: number) {
    const end = () => this.#over.abort();
    this.#timer = setTimeout(end, milliseconds);
    if (gone.aborted) end();
    else gone.addEventListener('abort', end, { once: true });
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Undefined where it took longer; how it ended then is told to `late` if that was badly. */
  async for(answering: Promise<HookAnswer>, late: (error: unknown) => void): Promise<HookAnswer | undefined> {
    const over = new Promise<undefined>((resolve) => {
      const leave = () => {
        answering.catch(late);
        resolve(undefined);
      };
      if (this.signal.aborted) leave();
      else this.signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([over, answering]);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
