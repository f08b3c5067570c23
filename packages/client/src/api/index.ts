import type { ActionShape, API, eventsInput, GivenTo, JournalEntry } from '@infold/protocol';
import { ROUTES, type Route, type ROUTES as Routes } from '@infold/protocol/routes';
import { eventsIn, type StreamState } from './server-events.ts';

export type { StreamState };

type Input<Schema extends { _zod: { input: unknown } }> = Schema['_zod']['input'];

export interface ApiOptions {
  /** Where Infold listens, such as `http://127.0.0.1:9090`. */
  url: string;
  token?: string;
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface EventOptions extends CallOptions {
  /** Told when the connection is up, when it is down, and of nothing twice. */
  onState?: (state: StreamState) => void;
}

/** What the server refused, or failed at. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Whether the same call can succeed later without being changed. */
  readonly retryable: boolean;
  /** Seconds to wait before that. */
  readonly retryAfter: number | undefined;
  /** The whole answer. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body.error === 'string' ? body.error : `The server answered ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'internal';
    this.retryable = body.retryable === true;
    this.retryAfter = typeof body.retryAfter === 'number' ? body.retryAfter : undefined;
    this.body = body;
  }
}

type Arguments<Given> =
  Record<string, never> extends Given
    ? [input?: Given, options?: CallOptions]
    : [input: Given, options?: CallOptions];

type Answer<Shape extends ActionShape> = Shape['output']['_zod']['output'];

type Item<Given, Name> = Name extends keyof Given ? (Given[Name] extends (infer One)[] ? One : never) : never;

type Method<Shape extends ActionShape, Served> = ((
  ...input: Arguments<GivenTo<Shape>>
) => Promise<Answer<Shape>>) &
  (Served extends { list: infer Name }
    ? {
        /** Every one of the list, page by page. */
        all(...input: Arguments<GivenTo<Shape>>): AsyncGenerator<Item<Answer<Shape>, Name>, void>;
      }
    : unknown);

/** A method for each action that is served over HTTP. */
export type Api = {
  [Name in keyof typeof Routes & keyof typeof API]: Method<(typeof API)[Name], (typeof Routes)[Name]>;
} & {
  /**
   * Entries of the journal as they come, as far as the caller may read them. Goes on where it was when the connection
   * breaks, until the signal ends it.
   */
  events(input?: Input<typeof eventsInput>, options?: EventOptions): AsyncGenerator<JournalEntry, void>;
};

type Given = Record<string, unknown>;

/** The server's API, typed. Works in browsers and in Node. */
export function createApi({ url, token, fetch: given }: ApiOptions): Api {
  const base = url.replace(/\/+$/, '');
  const send = given ?? globalThis.fetch.bind(globalThis);
  const authorization: Record<string, string> =
    token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await send(base + path, { ...init, headers: { ...authorization, ...init.headers } });
    if (response.ok) return response;
    throw new ApiError(response.status, (await response.json().catch(() => ({}))) as Given);
  };
  const methodOf = (route: Route) => {
    const call = async (input: Given = {}, { signal }: CallOptions = {}): Promise<Given> => {
      const { path, body } = requestFor(route, input);
      const response = await request(path, {
        method: route.method,
        ...(signal ? { signal } : {}),
        ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
      });
      return (await response.json()) as Given;
    };
    const { list } = route;
    if (list === undefined) return call;
    const all = async function* (input: Given = {}, options?: CallOptions) {
      for (let cursor: unknown; cursor !== null; ) {
        const page = await call(cursor === undefined ? input : { ...input, cursor }, options);
        yield* page[list] as unknown[];
        cursor = page.next ?? null;
      }
    };
    return Object.assign(call, { all });
  };
  const methods = Object.entries<Route>(ROUTES).map(([name, route]) => [name, methodOf(route)]);
  const events = (input: Given = {}, { signal, onState }: EventOptions = {}) =>
    eventsIn<JournalEntry>(
      (last) =>
        request(`/api/events${queryOf(input)}`, {
          headers: last === undefined ? {} : { 'Last-Event-ID': last },
          ...(signal ? { signal } : {}),
        }),
      { signal, onState },
    );
  return { ...Object.fromEntries(methods), events } as Api;
}

/** Path, address and body of a call: fields go where the route has a place for them. */
function requestFor(route: Route, input: Given): { path: string; body: string | undefined } {
  const rest = { ...input };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is required`);
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  if (route.method !== 'POST') return { path: path + queryOf(rest), body: undefined };
  const query: Given = {};
  for (const name of route.query ?? []) {
    query[name] = rest[name];
    delete rest[name];
  }
  return { path: path + queryOf(query), body: JSON.stringify(rest) };
}

function queryOf(input: Given): string {
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}
