import {
  ENVELOPE_PROTOCOL,
  type EnvelopeInput,
  envelopeInput,
  GATEWAY_SENDER,
  type Limits,
} from '@infold/protocol';
import { endOfString } from '../../kernel/formats/json.ts';
import { Refusal } from '../errors.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN = [91, 123];

/** Fields that only the gateway sets. */
const OWNED = ['seq', 'epoch', 'replay'];

/** A message as a participant sent it: read once, and kept as text so that nothing in it is lost. */
export interface Incoming {
  envelope: EnvelopeInput;
  /** One JSON object, without fields that only the gateway sets. */
  text: string;
}

/**
 * Looks at the JSON before it is parsed: its depth, its number of keys, and the keys of the outermost object. A key
 * that stands there twice would show different senders to different readers.
 */
function outerKeys(text: string, { jsonDepth, jsonKeys }: Pick<Limits, 'jsonDepth' | 'jsonKeys'>): string[] {
  const keys: string[] = [];
  let depth = 0;
  let colons = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(text, index);
      if (depth === 1 && isKey(text, end)) keys.push(text.slice(index + 1, end));
      index = end;
    } else if (code === COLON) colons++;
    else if (code === OPEN[0] || code === OPEN[1]) {
      if (++depth > jsonDepth)
        throw new Refusal('bad_json', `The JSON is nested deeper than ${jsonDepth} levels`);
    } else if (code === 93 || code === 125) depth--;
  }
  if (colons > jsonKeys) throw new Refusal('bad_json', `The JSON has more than ${jsonKeys} keys`);
  return keys;
}

function isKey(text: string, end: number): boolean {
  for (let index = end + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COLON) return true;
    if (code === COMMA || code > 32) return false;
  }
  return false;
}

/** Reads a message, or refuses it with the code that says why. */
export function readIncoming(raw: string, limits: Limits): Incoming {
  const text = raw.trim();
  const keys = outerKeys(text, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal('bad_json', 'The message is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('bad_envelope', 'An envelope must be a JSON object');
  }
  const id = idOf(value);
  if (text.includes('__proto__') || text.includes('\\u005f') || text.includes('\\u005F')) {
    refuseProto(value, id);
  }
  const names = keys.map((key) => (key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key));
  if (new Set(names).size !== names.length) {
    throw new Refusal('bad_envelope', 'A field appears twice in the envelope', id);
  }
  const parsed = envelopeInput.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new Refusal('bad_envelope', `${issue.path.join('.') || 'envelope'}: ${issue.message}`, id);
  }
  const envelope = value as EnvelopeInput;
  const isNull = envelope.context === null;
  if (isNull) delete envelope.context;
  checkMeaning(envelope);
  const metadata = envelope.context?.metadata;
  if (metadata && text.length > limits.contextMetadataBytes) {
    const bytes = Buffer.byteLength(JSON.stringify(metadata));
    if (bytes > limits.contextMetadataBytes) {
      const most = limits.contextMetadataBytes;
      throw new Refusal(
        'metadata_limit',
        `The metadata has ${bytes} bytes; at most ${most} are allowed`,
        id,
        {
          limit: most,
        },
      );
    }
  }
  if (!isNull && !names.some((name) => OWNED.includes(name))) return { envelope, text };
  for (const name of OWNED) delete envelope[name];
  return { envelope, text: JSON.stringify(envelope) };
}

/** What the draft says beyond shapes. Kinds that nobody has heard of pass. */
function checkMeaning({ id, kind, protocol, correlation_id }: EnvelopeInput): void {
  if (protocol !== undefined && protocol !== ENVELOPE_PROTOCOL) {
    throw new Refusal('bad_protocol', `protocol must be "${ENVELOPE_PROTOCOL}"`, id, {
      supported: [ENVELOPE_PROTOCOL],
    });
  }
  if (kind.startsWith('mcp/proposal') && correlation_id !== undefined) {
    throw new Refusal('bad_envelope', 'A proposal answers nothing, so it must not have a correlation_id', id);
  }
  if (kind.startsWith('mcp/response') && correlation_id === undefined) {
    throw new Refusal('bad_envelope', 'A response needs the correlation_id of what it answers', id);
  }
}

function idOf(value: object): string | undefined {
  const { id } = value as { id?: unknown };
  return typeof id === 'string' && id.length > 0 && id.length <= 256 ? id : undefined;
}

/** `__proto__` is plain data to JSON.parse, but a trap for any receiver that merges objects. */
function refuseProto(value: unknown, id: string | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') throw new Refusal('bad_envelope', 'The key "__proto__" is not allowed', id);
    refuseProto(inner, id);
  }
}

/** Adds fields to the end of a JSON object that is kept as text. Everything else stays byte for byte. */
export function splice(text: string, fields: Record<string, unknown>): string {
  const added = JSON.stringify(fields).slice(1);
  return `${text.slice(0, text.lastIndexOf('}'))},${added}`;
}

export function systemMessage(
  kind: string,
  payload: object,
  more: Record<string, unknown> = {},
  now = Date.now(),
): string {
  return JSON.stringify({
    protocol: ENVELOPE_PROTOCOL,
    id: systemId(),
    ts: new Date(now).toISOString(),
    from: GATEWAY_SENDER,
    kind,
    ...more,
    payload,
  });
}

let counter = 0;
const life = Math.random().toString(36).slice(2, 10);
/** Unique, and nobody's business to guess: these ids open nothing. */
function systemId(): string {
  return `system-${life}-${++counter}`;
}
