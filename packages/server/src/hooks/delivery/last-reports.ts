import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOST_NAMES, type HostName } from '@infold/protocol';
import { z } from 'zod';

const moment = z.object({ at: z.number(), event: z.string() });
const hostSchema = z.object({
  /** When it last told something that was understood. */
  at: z.number().optional(),
  /** When it last told what, by the host's own names. */
  events: z.record(z.string(), z.number()),
  /** The last payload that was not understood, by the names of its fields alone. */
  unknown: moment.extend({ fields: z.array(z.string()) }).optional(),
  /** When it was last run without a payload, or with one that says nothing, as people do to try it. */
  empty: moment.optional(),
  /** When another host last ran the hooks of this one. */
  foreign: moment.optional(),
});
const fileSchema = z.partialRecord(z.enum(HOST_NAMES), hostSchema);

export type HostReports = z.infer<typeof hostSchema>;
export type LastReports = z.infer<typeof fileSchema>;

const nameOf = (folder: string) => join(folder, 'hooks-heard.json');

/** What hosts told by their hooks, for `doctor`. Nothing where there is nothing to read. */
export function readLastReports(folder: string): LastReports {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(nameOf(folder), 'utf8')));
  } catch {
    return {};
  }
}

const PAUSE = 1000;
const EVENTS = 50;
const FIELDS = 40;
const NAME = 60;

/** Notes what hosts tell. Written now and then: a figure for people, which may be a second old. */
export class LastReportsWriter {
  readonly #folder: string;
  #news: LastReports = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  understood(host: HostName, event: string, at: number): void {
    const news = this.#of(host);
    news.at = at;
    news.events[event.slice(0, NAME)] = at;
  }

  unknown(host: HostName, event: string, at: number, payload: unknown): void {
    const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
    const fields = isObject ? Object.keys(payload) : [];
    const shown = fields.slice(0, FIELDS).map((field) => field.slice(0, NAME));
    const told = { at, event: event.slice(0, NAME) };
    // Without any field it is no new shape of the host's.
    if (fields.length === 0) this.#of(host).empty = told;
    else this.#of(host).unknown = { ...told, fields: shown };
  }

  foreign(host: HostName, event: string, at: number): void {
    this.#of(host).foreign = { at, event: event.slice(0, NAME) };
  }

  /** Several processes may note something: what others wrote stays. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const news = Object.entries(this.#news) as [HostName, HostReports][];
    if (news.length === 0) return;
    this.#news = {};
    const known = readLastReports(this.#folder);
    for (const [host, heard] of news) {
      const events = Object.entries({ ...known[host]?.events, ...heard.events });
      const newest = events.sort(([, one], [, other]) => other - one).slice(0, EVENTS);
      known[host] = { ...known[host], ...heard, events: Object.fromEntries(newest) };
    }
    const path = nameOf(this.#folder);
    const part = `${path}.${process.pid}${randomBytes(4).toString('hex')}`;
    try {
      writeFileSync(part, JSON.stringify(known), { mode: 0o600 });
      renameSync(part, path);
    } catch {
      // The folder has gone, or the disk is full. Nothing depends on it.
    }
  }

  #of(host: HostName): HostReports {
    this.#timer ??= setTimeout(() => this.flush(), PAUSE).unref();
    const heard = this.#news[host] ?? { events: {} };
    this.#news[host] = heard;
    return heard;
  }
}
