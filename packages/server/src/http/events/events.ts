import { eventsInput } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { badArguments, parseArguments } from '../../call/arguments.ts';
import type { CallServices } from '../../call/services.ts';
import { fromText } from '../../call/text-arguments.ts';
import type { Visible } from '../../call/visible.ts';
import type { Telling } from '../../call/visible-entries.ts';
import type { Entry, Journal } from '../../journal/journal.ts';
import { requireScope } from '../../trust/access/rule.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { type ResolvedProject, resolveProject } from '../../trust/identity/projects.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { findSession, type Session } from '../../trust/sessions/queries.ts';
import { libraryStream, podStream } from '../../trust/streams.ts';
import { waitsForReader } from '../connections/streams.ts';
import { accepts } from '../requests.ts';
import { type Audience, Audiences, type Batch, ENOUGH, type EventFrame, type Listener } from './audience.ts';

const NAME = 'watchEvents';
/** Entries that are looked at before the event loop has its turn. */
const PAGE = 100;
/** Proxies close what is silent. */
const HEARTBEAT = 15_000;

/** `GET /api/events`: entries of the journal as they come, as far as the caller may read them. */
export function eventRoutes(services: CallServices, callerOf: (context: Context) => Caller): Hono {
  const app = new Hono();
  const audiences = new Audiences(services);
  app.get('/api/events', accepts(...Object.keys(eventsInput.shape)), (context) => {
    const caller = callerOf(context);
    requireScope(caller, 'read');
    const { journal } = services;
    const input = inputOf(context);
    const since = input.since ?? journal.head().seq;
    const { session, project, pod } = wantedOf(services, caller, input);
    const wanted = wantedBy(caller, { session, project, pod });
    const audience = audiences.of({ caller, isBrief: input.brief ?? false, wanted }, [
      ...[session?.stream, project?.id, pod],
    ]);
    const stream = new EntryStream(journal, audience, since);
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

interface Wanted {
  session: Session | undefined;
  project: ResolvedProject | undefined;
  pod: string | undefined;
}

/** The session, project and pod that somebody asked for alone. */
function wantedOf(
  { journal: { database } }: CallServices,
  caller: Caller,
  { session: id, project: spec, pod }: z.output<typeof eventsInput>,
): Wanted {
  const session = id === undefined ? undefined : findSession(database, caller, id, undefined);
  if (id !== undefined && !session) throw sessionNotFound(id);
  return { session, project: spec === undefined ? undefined : resolveProject(database, caller, spec), pod };
}

/** What is left of an entry for who asked for them. */
function wantedBy(caller: Caller, { session, project, pod }: Wanted): NonNullable<Telling['wanted']> {
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
 * caught up, it is handed what its audience is told, and reads nothing.
 */
class EntryStream implements Listener {
  readonly body: ReadableStream<Uint8Array>;
  readonly #journal: Journal;
  readonly #audience: Audience;
  readonly #encoder = new TextEncoder();
  #at: number;
  /** Its reader has room and waits: for what comes, for a reason to read again (empty), or for the end. */
  #wake: ((bytes: Uint8Array | undefined) => void) | undefined;
  #isEnded = false;

  constructor(journal: Journal, audience: Audience, since: number) {
    this.#journal = journal;
    this.#audience = audience;
    this.#at = since;
    let stop = () => {};
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const leave = audience.join(this);
          const heartbeat = setInterval(() => {
            if ((controller.desiredSize ?? 0) > 0) controller.enqueue(this.#encoder.encode(':\n\n'));
          }, HEARTBEAT).unref();
          stop = () => {
            this.#isEnded = true;
            leave();
            clearInterval(heartbeat);
            this.#hand(undefined);
          };
          // Who loses the connection before anything came goes on from here, too.
          controller.enqueue(this.#encoder.encode(`retry: 1000\nid: ${since}\n\n`));
        },
        pull: async (controller) => {
          const bytes = await this.#next();
          if (bytes) controller.enqueue(bytes);
        },
        cancel: () => stop(),
      },
      { highWaterMark: 1 },
    );
  }

  hear({ after, until, frames, bytes }: Batch): void {
    if (this.#at >= until) return;
    // What it missed it reads when its reader has room.
    if (this.#at < after) this.#hand(NO_BYTES);
    else {
      const unseen = this.#at === after ? frames : frames.filter(({ seq }) => seq > this.#at);
      if (unseen.length > 0 && !this.#wake) return;
      this.#at = until;
      if (unseen.length > 0) this.#hand(unseen === frames ? bytes : this.#encoder.encode(textOf(unseen)));
    }
  }

  /** Once: what comes before it waits again is not for now. */
  #hand(bytes: Uint8Array | undefined): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.(bytes);
  }

  /** The next entries that the caller sees; undefined when the stream was ended. */
  async #next(): Promise<Uint8Array | undefined> {
    while (!this.#isEnded) {
      const isLive = this.#at === this.#audience.told;
      const page = isLive ? [] : this.#journal.entriesAfter(this.#at, PAGE);
      const read = this.#read(page);
      if (read !== '') return this.#encoder.encode(read);
      if (page.length === PAGE) {
        await new Promise(setImmediate);
        continue;
      }
      const bytes = await new Promise<Uint8Array | undefined>((resolve) => {
        this.#wake = resolve;
      });
      if (bytes?.length !== 0) return bytes;
    }
    return undefined;
  }

  #read(page: readonly Entry[]): string {
    let text = '';
    for (const entry of page) {
      text += this.#audience.frameOf(entry);
      this.#at = entry.seq;
      if (text.length > ENOUGH) break;
    }
    return text;
  }
}

const NO_BYTES = new Uint8Array();
const textOf = (frames: readonly EventFrame[]) => frames.map(({ text }) => text).join('');
