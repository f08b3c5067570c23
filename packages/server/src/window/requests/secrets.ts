import { createHash } from 'node:crypto';
import { editJson, type JsonEdit } from '@infold/client/window';
import type { Scrubber } from '@infold/scrub';
import { Cache } from '../../kernel/cache.ts';
import type { GiveWay } from '../../kernel/give-way.ts';

type Path = JsonEdit['path'];
type Json = Record<string, unknown>;

/** Where what people, tools and the model said stands, in every dialect. */
const SAID = [
  'messages',
  'input',
  'contents',
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
];
/** What names something, or what a provider made and only it may change. */
const FIXED =
  /^(type|role|name|model|status|data|file_data|mime_?type|media_type|cache_control|.*signature|encrypted_.*|ids?|.*_ids?|.*Ids?)$/;
/** With one of these an object is signed as a whole. */
const SIGNS = ['signature', 'thoughtSignature', 'thought_signature', 'encrypted_content'];
/** Values of a tool's own shape, where names tell too what is secret. */
const STRUCTURES = ['input', 'args', 'response'];
/** What a text looks like that is no text. */
const BASE64_URL = /^data:[^,]{0,200};base64,/;

const REMEMBERED = 4 * 1024 * 1024;

export interface Secrets {
  /** Those that were not seen before, by kind. */
  fresh: string[];
  /** How many places of the request hold one. */
  count: number;
  /** The request without them; undefined where it holds none. */
  text: string | undefined;
}

interface Verdict {
  /** What changes in it; the path of a text as a whole is empty. */
  changes: readonly Change[];
  kinds: readonly string[];
}

type Change = { path: Path; json: string };

/**
 * Finds secrets in what is about to be sent to a model. The same text always becomes the same text, whatever stands around
 * it, so that a conversation that goes on begins with the bytes that it began with; and since its texts come again with every
 * request, what became of them is remembered.
 */
export class SecretFinder {
  readonly #scrubber: Scrubber;
  readonly #known = new Cache<Verdict>(REMEMBERED);

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** `text` is the JSON of a request. Throws where it is none. */
  async find(text: string, giveWay: GiveWay): Promise<Secrets> {
    const body = JSON.parse(text) as Json;
    const edits: JsonEdit[] = [];
    const fresh: string[] = [];
    for (const { value, path, isStructure } of saidIn(body)) {
      await giveWay();
      const serial = isStructure ? JSON.stringify(value) : (value as string);
      const { verdict, isNew } = this.#judge(serial, isStructure);
      for (const { path: inside, json } of verdict.changes) {
        edits.push({ kind: 'set', path: [...path, ...inside], json });
      }
      if (isNew) fresh.push(...verdict.kinds);
    }
    return { fresh, count: edits.length, text: edits.length === 0 ? undefined : editJson(text, edits) };
  }

  #judge(text: string, isStructure: boolean): { verdict: Verdict; isNew: boolean } {
    const key = createHash('sha256')
      .update(text)
      .update(isStructure ? '1' : '0')
      .digest('base64');
    const known = this.#known.get(key);
    if (known) return { verdict: known, isNew: false };
    const verdict = isStructure ? this.#scrubStructure(text) : this.#scrubText(text);
    this.#known.set(key, verdict, sizeOf(verdict));
    return { verdict, isNew: true };
  }

  #scrubText(text: string): Verdict {
    const { text: scrubbed, kinds } = this.#scrubber.scrub(text);
    if (scrubbed === text) return { changes: [], kinds: [] };
    const told = (json: string): Verdict => ({ changes: [{ path: [], json: JSON.stringify(json) }], kinds });
    if (!isJson(text) || isJson(scrubbed)) return told(scrubbed);
    // Arguments of calls are JSON in a string, and have to stay that.
    const { changes } = this.#scrubStructure(text);
    return told(
      editJson(
        text,
        changes.map((change) => ({ kind: 'set', ...change })),
      ),
    );
  }

  #scrubStructure(json: string): Verdict {
    const before = JSON.parse(json) as unknown;
    const { value, kinds } = this.#scrubber.scrubValue(before);
    return { changes: [...changesOf(before, value, [])], kinds };
  }
}

/** Only what differs, so that everything else stays as it was written. */
function* changesOf(before: unknown, after: unknown, path: Path): Generator<Change> {
  if (before === after) return;
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) {
    yield { path, json: JSON.stringify(after) };
    return;
  }
  for (const [key, value] of Object.entries(before)) {
    // A name with a secret in it stays: nothing would know it any more.
    if (!Object.hasOwn(after, key)) continue;
    const place = [...path, Array.isArray(before) ? Number(key) : key];
    yield* changesOf(value, (after as Json)[key], place);
  }
}

function sizeOf({ changes }: Verdict): number {
  return changes.reduce((sum, { json, path }) => sum + 2 * json.length + 32 * path.length, 0);
}

interface Said {
  value: unknown;
  path: Path;
  isStructure: boolean;
}

function* saidIn(body: Json): Generator<Said> {
  for (const name of SAID) {
    if (typeof body[name] === 'string') yield { value: body[name], path: [name], isStructure: false };
    else yield* walk(body[name], [name]);
  }
}

function* walk(value: unknown, path: Path): Generator<Said> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      if (typeof one === 'string') yield { value: one, path: [...path, index], isStructure: false };
      else yield* walk(one, [...path, index]);
    }
    return;
  }
  if (typeof value !== 'object' || value === null || SIGNS.some((name) => Object.hasOwn(value, name))) return;
  for (const [key, inner] of Object.entries(value)) {
    if (FIXED.test(key)) continue;
    const place = [...path, key];
    if (typeof inner === 'string') {
      if (!BASE64_URL.test(inner)) yield { value: inner, path: place, isStructure: false };
    } else if (STRUCTURES.includes(key) && typeof inner === 'object' && inner !== null) {
      yield { value: inner, path: place, isStructure: true };
    } else yield* walk(inner, place);
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
