import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Embedder, MOST_CHARACTERS, normalise } from './embedder.ts';
import { noVectors, unusableModel } from './errors.ts';
import type { EndpointSettings } from './settings.ts';

const BATCH = 64;
const BATCH_CHARACTERS = 60_000;
const TIMEOUT = 30_000;
const PAUSES = [500, 1000, 2000, 4000];
const LONGEST_PAUSE = 60_000;
const REFUSED_TEXT = new Set([400, 413, 422]);
const REFUSED_KEY = new Set([401, 403]);

/** Of a pair of surrogates, which a cut may leave alone. */
const HALF_CHARACTER = /\p{Cs}/gu;

/** Takes secrets out of a text. */
export type Scrub = (text: string) => string;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()).min(1) })),
});

/**
 * An endpoint that speaks as OpenAI's does. No text leaves before secrets were taken out of it: goals come as their caller wrote
 * them. What it answers besides vectors is not passed on: some endpoints repeat the key.
 */
export class EmbeddingEndpoint implements Embedder {
  readonly model: string;
  readonly dimensions: number;
  readonly readsSentences = true;
  readonly batch = BATCH;
  readonly #settings: EndpointSettings;
  readonly #scrub: Scrub;

  private constructor(settings: EndpointSettings, dimensions: number, scrub: Scrub) {
    this.model = settings.model;
    this.dimensions = dimensions;
    this.#settings = settings;
    this.#scrub = scrub;
  }

  /** Asks for one vector where nothing says how long they are. */
  static async open(
    settings: EndpointSettings,
    scrub: Scrub,
    signal: AbortSignal,
  ): Promise<EmbeddingEndpoint> {
    if (settings.dimensions !== undefined) return new EmbeddingEndpoint(settings, settings.dimensions, scrub);
    const [vector] = await askPatiently(settings, ['memory'], signal);
    return new EmbeddingEndpoint(settings, vector!.length, scrub);
  }

  /** An endpoint does not say when its model changes under the same name. */
  get version(): string {
    return String(this.dimensions);
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const batch of batchesOf(texts.map(this.#scrub))) {
      for (const vector of await askPatiently(this.#settings, batch, signal)) {
        if (vector.length !== this.dimensions) {
          throw unusableModel(
            `the endpoint answers with vectors of ${vector.length} numbers instead of ${this.dimensions}; set embeddings.dimensions`,
          );
        }
        vectors.push(normalise(Float32Array.from(vector)));
      }
    }
    return vectors;
  }
}

function* batchesOf(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    const sent = text.slice(0, MOST_CHARACTERS).replaceAll(HALF_CHARACTER, '\ufffd');
    if (batch.length === BATCH || (batch.length > 0 && characters + sent.length > BATCH_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    // Endpoints refuse what is empty.
    batch.push(sent.trim() === '' ? '-' : sent);
    characters += sent.length;
  }
  if (batch.length > 0) yield batch;
}

/** Tries again, after longer and longer pauses, what may go better later. */
async function askPatiently(
  settings: EndpointSettings,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[][]> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask(settings, texts, signal);
    if (Array.isArray(answer)) return answer;
    const wait = Math.max(PAUSES[attempt] ?? 0, answer.after);
    if (attempt >= PAUSES.length || wait > LONGEST_PAUSE) throw noVectors(answer.why, true);
    await pause(wait, undefined, { signal, ref: false }).catch(() => {
      throw noVectors(answer.why, true);
    });
  }
}

interface Later {
  why: string;
  /** Milliseconds to wait, where the endpoint says so. */
  after: number;
}

async function ask(
  { url, model, key, dimensions }: EndpointSettings,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[][] | Later> {
  let response: Response;
  let content: unknown;
  try {
    response = await fetch(addressOf(url), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(dimensions === undefined ? {} : { dimensions }),
      }),
      // The key is for this address alone.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    });
    if (response.ok) content = await response.json();
    else await response.body?.cancel();
  } catch (error) {
    if (signal.aborted) throw noVectors('did not answer in time', true);
    if (error instanceof SyntaxError) return { why: 'answered with what is no JSON', after: 0 };
    return { why: `does not answer (${causeOf(error)})`, after: 0 };
  }
  if (response.ok) return vectorsIn(content, texts.length);
  const { status } = response;
  if (status === 429 || status >= 500)
    return { why: `answered with status ${status}`, after: afterOf(response) };
  if (REFUSED_TEXT.has(status)) throw unusableModel(`the endpoint answered with status ${status}`);
  if (REFUSED_KEY.has(status)) throw noVectors(`refused the key (status ${status})`, false);
  throw noVectors(`answered with status ${status}`, false);
}

function vectorsIn(content: unknown, wanted: number): number[][] {
  const parsed = answerSchema.safeParse(content);
  const sorted = parsed.success ? parsed.data.data.sort((one, other) => one.index - other.index) : [];
  if (sorted.length !== wanted) throw noVectors('did not answer with one vector for each text', false);
  return sorted.map(({ embedding }) => embedding);
}

function addressOf(url: string): URL {
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, '');
  address.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`;
  return address;
}

/** Seconds, or a date. */
function afterOf({ headers }: Response): number {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  const seconds = Number(text);
  const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}

/** Without addresses: the code of the system tells enough. */
function causeOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: unknown }; name?: string };
  return typeof cause?.code === 'string' ? cause.code : (name ?? 'error');
}
