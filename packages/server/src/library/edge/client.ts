import {
  type HubManifest,
  hubApi,
  type Limits,
  libraryApi,
  memoryApi,
  systemApi,
  type UploadedBatch,
} from '@infold/protocol';
import type { z } from 'zod';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/formats/json.ts';
import type { Credentials } from './credentials.ts';

const PATIENCE = 30_000;
const MOST_SAID = 300;

interface Request {
  query?: Record<string, string | number | undefined>;
  body?: unknown;
}

/** Asks a hub. Nothing that it answers is believed before it was checked. */
export class HubClient {
  readonly #credentials: Credentials;
  readonly #limits: Limits;
  readonly #signal: AbortSignal;
  /** Of all its answers. */
  bytes = 0;
  /** How far the hub's journal was in its newest answer: where several nodes are the hub, the next one to be asked may be behind. */
  #seq = 0;

  constructor(credentials: Credentials, limits: Limits, signal: AbortSignal) {
    this.#credentials = credentials;
    this.#limits = limits;
    this.#signal = signal;
  }

  projects() {
    return this.#ask(systemApi.listProjects.output, 'GET', '/api/projects');
  }

  manifest(query: {
    project: string;
    since: number;
    edge?: string;
    seen?: number | undefined;
    cursor?: string;
    limit?: number;
  }): Promise<HubManifest> {
    return this.#ask(hubApi.readHubManifest.output, 'GET', '/api/hub/manifest', { query });
  }

  texts(project: string, hashes: readonly string[]) {
    const path = `/api/hub/files/${hashes.join(',')}`;
    return this.#ask(hubApi.readHubFiles.output, 'GET', path, { query: { project } });
  }

  send(batch: UploadedBatch) {
    return this.#ask(hubApi.receiveEvents.output, 'POST', '/api/hub/events', { body: batch });
  }

  sendDraft(body: z.input<typeof hubApi.receiveDraft.input>) {
    return this.#ask(hubApi.receiveDraft.output, 'POST', '/api/hub/drafts', { body });
  }

  draft(id: string) {
    return this.#ask(libraryApi.readDraft.output, 'GET', `/api/library/drafts/${encodeURIComponent(id)}`);
  }

  remember(project: string, items: readonly object[]) {
    const request = { query: { project }, body: { items } };
    return this.#ask(memoryApi.importMemory.output, 'POST', '/api/memory/import', request);
  }

  async #ask<Schema extends z.ZodType>(
    schema: Schema,
    method: 'GET' | 'POST',
    path: string,
    { query = {}, body }: Request = {},
  ): Promise<z.output<Schema>> {
    const { url, token } = this.#credentials;
    const address = new URL(`${url}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) address.searchParams.set(name, String(value));
    }
    const ask = () =>
      fetch(address, {
        method,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(this.#seq > 0 && { 'X-Infold-Min-Seq': String(this.#seq) }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // The token is for this hub, and for nobody whom it points to.
        redirect: 'error',
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(PATIENCE)]),
      });
    const response = await ask()
      // A connection that was kept open may have ended with the server that it led to. A hub takes nothing twice.
      .catch((error: unknown) => (isCut(error) ? ask() : Promise.reject(error)))
      .catch((error: unknown) => {
        throw unreachable(url, error);
      });
    const text = await this.#read(response);
    const seq = Number(response.headers.get('X-Infold-Seq'));
    if (response.ok && Number.isSafeInteger(seq)) this.#seq = Math.max(this.#seq, seq);
    if (!response.ok) throw this.#refusal(response, text);
    const parsed = schema.safeParse(this.#json(text, path));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw hubInvalid(
      `its answer to ${path.slice(0, 40)} is wrong at "${issue?.path.join('.')}": ${issue?.message}`,
    );
  }

  #json(text: string, path: string): unknown {
    try {
      return parseJson(text, this.#limits);
    } catch (error) {
      throw hubInvalid(
        `its answer to ${path.slice(0, 40)} is no JSON that could be read (${messageOf(error)})`,
      );
    }
  }

  /** No more than a page of texts can be: who sends on and on is not listened to. */
  async #read(response: Response): Promise<string> {
    const { hubTextsPerAnswer, libraryFileBytes } = this.#limits;
    const most = Math.min(2 * hubTextsPerAnswer * libraryFileBytes, MOST_ANSWER);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        this.bytes += chunk.length;
        if (bytes > most) throw hubInvalid(`an answer has more than ${most} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw InfoldError.isInstance(error) ? error : unreachable(this.#credentials.url, error);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  #refusal({ status, headers }: Response, text: string): InfoldError {
    const { url } = this.#credentials;
    const { error, code, ...details } = said(text);
    const after = Number(headers.get('retry-after'));
    if (status === 401) {
      const { token, isKeptBack } = this.#credentials;
      const none = isKeptBack
        ? 'INFOLD_HUB_TOKEN is not sent where only the configuration of the working folder points: join it once'
        : 'no token was given';
      const why = token === undefined ? none : error;
      return new InfoldError(
        'hub_refused',
        `The hub ${url} refuses the token (${why}): the copy stays in use, and nothing is sent. "infold hub join ${url} --token …" gives another one`,
      );
    }
    if (status === 429 || status >= 500) {
      return new InfoldError('hub_unreachable', `The hub ${url} answered ${status}: ${error}`, {
        retryable: true,
        ...(after > 0 && { retryAfter: after }),
      });
    }
    // By the hub, or by what is in front of it.
    if (status === 413) return new InfoldError('too_large', `The hub ${url} answered: ${error}`);
    if (status === 403) {
      // What one project is refused, another one may not be.
      const refused = code === 'project_denied' ? code : 'hub_refused';
      return new InfoldError(refused, `The hub ${url} refuses this: ${error}`, { details });
    }
    return new InfoldError(code, `The hub ${url} answered: ${error}`, { details });
  }
}

const MOST_ANSWER = 64 * 1024 * 1024;

/** What somebody else's server says is shown in a log and a terminal: one short line of it. */
function said(text: string): { error: string; code: string; [more: string]: unknown } {
  let value: Record<string, unknown> = {};
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A proxy answers with a page.
  }
  const error = typeof value?.error === 'string' ? value.error : 'nothing that could be read';
  const code =
    typeof value?.code === 'string' && /^[a-z_]{1,40}$/.test(value.code) ? value.code : 'hub_invalid';
  return { ...value, error: oneLine(error), code };
}

export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, MOST_SAID);
}

export function hubInvalid(problem: string): InfoldError {
  return new InfoldError(
    'hub_invalid',
    `What the hub sent is refused, and nothing of it was kept: ${problem}`,
  );
}

function isCut(error: unknown): boolean {
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
}

function unreachable(url: string, error: unknown): InfoldError {
  const cause = (error as { cause?: unknown }).cause ?? error;
  const why = (cause as { code?: string }).code ?? messageOf(cause);
  return new InfoldError('hub_unreachable', `The hub ${url} cannot be reached (${why})`, {
    retryable: true,
    cause: error,
  });
}
