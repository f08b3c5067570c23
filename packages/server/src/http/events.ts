import { eventsInput } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { badArguments, parseArguments } from '../call/arguments.ts';
import { type Telling, tellEntry } from '../call/entries.ts';
import { fromText } from '../call/from-text.ts';
import type { CallServices } from '../call/services.ts';
import type { Visible } from '../call/visible.ts';
import type { Entry } from '../journal/journal.ts';
import { requireScope } from '../trust/access.ts';
import type { Caller } from '../trust/caller.ts';
import { resolveProject } from '../trust/projects.ts';
import { sessionNotFound } from '../trust/sessions/errors.ts';
import { findSession } from '../trust/sessions/queries.ts';
import { libraryStream, podStream } from '../trust/streams.ts';
import { accepts } from './requests.ts';
import { waitsForReader } from './streams.ts';

const NAME = 'watchEvents';
/** Entries that are looked at before the event loop has its turn. */
const PAGE = 100;
/** Characters that are sent at once, and the rest of the last entry. */
const ENOUGH = 65_536;
/** Proxies close what is silent. */
const HEARTBEAT = 15_000;

/** `GET /api/events`: entries of the journal as they come, as far as the caller may read them. */
export function eventRoutes(services: CallServices, callerOf: (context: Context) => Caller): Hono {
  const app = new Hono();
  app.get('/api/events', accepts(...Object.keys(eventsInput.shape)), (context) => {
    const caller = callerOf(context);
    requireScope(caller, 'read');
    const { journal } = services;
    const input = inputOf(context);
    const since = input.since ?? journal.head().seq;
    const telling = { caller, isBrief: input.brief ?? false, wanted: wantedBy(services, caller, input) };
    const stream = new EntryStream(services, telling, since);
    return new Response(waitsForReader(stream.body), {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
    });
  });
  return app;
}

function inputOf({ req }: Context): z.output<typeof eventsInput> {
  const { shape } = eventsInput;
  const given = Object.fromEntries(
    Object.entries(req.query()).map(([name, text]) => [
      name,
      fromText(shape[name as keyof typeof shape], text),
    ]),
  );
  const input = parseArguments({ name: NAME, input: eventsInput }, given) as z.output<typeof eventsInput>;
  const last = req.header('last-event-id');
  if (last === undefined) return input;
  if (!/^\d{1,15}$/.test(last)) throw badArguments(NAME, ['Last-Event-ID: must be a position'], 'since');
  return { ...input, since: Number(last) };
}

/** What is left of an entry for who asked for a session, a project or a pod alone. */
function wantedBy(
  { journal: { database } }: CallServices,
  caller: Caller,
  { session: sessionId, project: spec, pod }: z.output<typeof eventsInput>,
): NonNullable<Telling['wanted']> {
  const session = sessionId === undefined ? undefined : findSession(database, caller, sessionId, undefined);
  if (sessionId !== undefined && !session) throw sessionNotFound(sessionId);
  const project = spec === undefined ? undefined : resolveProject(database, caller, spec);
  const own = project && [libraryStream(project.workspace_id), podStream(caller.org, project.id)];
  return ({ stream }, visible) => {
    if (session && stream !== session.stream) return NOTHING;
    if (pod !== undefined && stream !== podStream(caller.org, pod)) return NOTHING;
    if (!project || own!.includes(stream)) return visible;
    const [kind, , ofProject] = stream.split('.');
    if (kind === 'session') return ofProject === project.id ? visible : NOTHING;
    const isIn = ({ data }: { data: object }) =>
      (data as { place?: { project_id: string } }).place?.project_id === project.id;
    return { ...visible, events: visible.events.filter(isIn) };
  };
}

const NOTHING: Visible = { events: [] };

/**
 * Reads on from where it stands whenever its reader has room: a slow reader costs a position, not a buffer. While it has
 * caught up, entries come from the watch and are not read again.
 */
class EntryStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #services: CallServices;
  readonly #telling: Telling;
  readonly #encoder = new TextEncoder();
  #at: number;
  #wake: ((entry?: Entry) => void) | undefined;

  constructor(services: CallServices, telling: Telling, since: number) {
    this.#services = services;
    this.#telling = telling;
    this.#at = since;
    let stop = () => {};
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const unwatch = services.journal.watch((entry) => this.#wake?.(entry));
          const heartbeat = setInterval(() => {
            if ((controller.desiredSize ?? 0) > 0) controller.enqueue(this.#encoder.encode(':\n\n'));
          }, HEARTBEAT).unref();
          stop = () => {
            unwatch();
            clearInterval(heartbeat);
            this.#wake?.();
          };
          controller.enqueue(this.#encoder.encode('retry: 1000\n\n'));
        },
        pull: async (controller) => {
          const text = await this.#next();
          if (text !== undefined) controller.enqueue(this.#encoder.encode(text));
        },
        cancel: () => stop(),
      },
      { highWaterMark: 1 },
    );
  }

  /** The next entries that the caller sees, as text; undefined when the stream was ended. */
  async #next(): Promise<string | undefined> {
    for (;;) {
      const page = this.#services.journal.entriesAfter(this.#at, PAGE);
      let text = '';
      for (const entry of page) {
        text += this.#frame(entry);
        this.#at = entry.seq;
        if (text.length > ENOUGH) break;
      }
      if (text !== '') return text;
      if (page.length === PAGE) {
        await new Promise(setImmediate);
        continue;
      }
      const woken = await new Promise<{ entry: Entry | undefined }>((resolve) => {
        this.#wake = (entry) => resolve({ entry });
      });
      this.#wake = undefined;
      if (!woken.entry) return undefined;
      if (woken.entry.seq !== this.#at + 1) continue;
      this.#at = woken.entry.seq;
      const live = this.#frame(woken.entry);
      if (live !== '') return live;
    }
  }

  #frame(entry: Entry): string {
    const { parts, journal } = this.#services;
    const told = tellEntry({ parts, database: journal.database }, entry, this.#telling);
    return told ? `id: ${told.seq}\ndata: ${JSON.stringify(told)}\n\n` : '';
  }
}
