import { consumerName, toolName } from './names.ts';
import type { Warn } from './warnings.ts';

/** What a tool result says about the conversation, read from a `_meta` that nobody vouches for. */
export interface Signals {
  hints: readonly Pair[];
  transient: boolean;
  /** Only for transient results; undefined where it cannot be used. */
  summary: string | undefined;
  handle: string | undefined;
  consumed: boolean;
  /** Undefined when the consumer named no sources; an empty list says that it used up nothing. */
  consumes: readonly string[] | undefined;
}

export interface Pair {
  tool: string;
  consumer: string;
}

const HANDLE = /^[\w.:-]{1,128}$/;
const NAME_CHARACTERS = 256;
const SUMMARY_CHARACTERS = 4096;
const HINTS = 256;
const HANDLES = 1024;

const NOTHING: Signals = {
  hints: [],
  transient: false,
  summary: undefined,
  handle: undefined,
  consumed: false,
  consumes: undefined,
};

/** Own properties only: a polluted prototype must not speak for a server. */
function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= NAME_CHARACTERS;
}

export function readSignals(result: unknown, server: string, warn: Warn): Signals {
  const meta = own(result, '_meta');
  if (meta === undefined || meta === null) return NOTHING;
  if (typeof meta !== 'object' || Array.isArray(meta)) {
    warn('bad_meta', '_meta is not an object');
    return NOTHING;
  }
  const context = own(meta, 'context');
  if (context !== undefined && (typeof context !== 'object' || context === null)) {
    warn('bad_meta', '_meta.context is not an object');
  }
  const transient = own(context, 'lifecycle') === 'transient';
  const consumes = readConsumes(own(meta, 'infold/consumes'), warn);
  const consumed = own(context, 'consumed');
  if (consumed !== undefined && typeof consumed !== 'boolean') {
    warn('bad_meta', '_meta.context.consumed must be true or false');
  }
  return {
    hints: readHints(own(meta, 'contextHints'), server, warn),
    transient,
    summary: transient ? readSummary(own(context, 'summary'), warn) : undefined,
    handle: readHandle(own(meta, 'infold/handle'), warn),
    // A list of sources is itself a statement that they were used, unless the server denies it.
    consumed: consumed === true || (consumes !== undefined && consumed !== false),
    consumes,
  };
}

function readSummary(value: unknown, warn: Warn): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') {
    warn('bad_summary', 'a transient result has no summary; it will not collapse');
    return undefined;
  }
  if (value.length > SUMMARY_CHARACTERS) {
    warn(
      'bad_summary',
      `a summary is longer than ${SUMMARY_CHARACTERS} characters; its result will not collapse`,
    );
    return undefined;
  }
  return value;
}

function readHandle(value: unknown, warn: Warn): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && HANDLE.test(value)) return value;
  warn('bad_handle', 'infold/handle is not a handle (1 to 128 letters, digits, "_", ".", ":", "-")');
  return undefined;
}

function readConsumes(value: unknown, warn: Warn): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const given = Array.isArray(value) ? value.slice(0, HANDLES) : [];
  const handles = given.filter((item): item is string => typeof item === 'string' && HANDLE.test(item));
  if (!Array.isArray(value) || handles.length < value.length) {
    warn('bad_handle', `infold/consumes is not a list of at most ${HANDLES} handles`);
  }
  // Who names sources means those: where none of them can be read, nothing else was meant instead.
  return Array.isArray(value) ? handles : undefined;
}

function readHints(value: unknown, server: string, warn: Warn): Pair[] {
  if (value === undefined) return [];
  const given = Array.isArray(value) ? value.slice(0, HINTS) : [];
  const pairs = given.flatMap((hint: unknown): Pair[] => {
    const [tool, consumer] = [own(hint, 'tool'), own(hint, 'consumedBy')];
    if (own(hint, 'lifecycle') !== 'transient' || !isName(tool) || !isName(consumer)) return [];
    return [{ tool: toolName(tool, server), consumer: consumerName(consumer, server) }];
  });
  if (!Array.isArray(value) || pairs.length < value.length) {
    warn(
      'bad_hint',
      'contextHints has entries that pair no transient tool with a consumer; they were ignored',
    );
  }
  return pairs;
}
