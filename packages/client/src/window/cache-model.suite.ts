import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Dialect } from './types.ts';

/**
 * What providers charge for a request, given those that came before: their prompt caches, simulated from what they
 * document. Tokens are counted by a real vocabulary, so that our own estimates are not judged by themselves.
 */
export interface Provider {
  /** Takes a request and says what its answer's `usage` would. */
  ask(request: Asked): Usage;
}

export interface Asked {
  model: string;
  body: Record<string, unknown>;
  /** Milliseconds. */
  at: number;
  /** What the model answers. */
  answer?: string;
}

/** As the protocol's `WindowUsage`: `input` is what was neither read from the cache nor written to it. */
export interface Usage {
  input: number;
  cache_read: number;
  cache_write: number;
  cache_write_long: number;
  output: number;
}

/** In units of an input token. */
export interface Prices {
  read: number;
  write: number;
  writeLong: number;
  output: number;
}

export const PRICES: Record<Dialect, Prices> = {
  anthropic: { read: 0.1, write: 1.25, writeLong: 2, output: 5 },
  'openai-chat': { read: 0.1, write: 1, writeLong: 1, output: 8 },
  'openai-responses': { read: 0.1, write: 1, writeLong: 1, output: 8 },
  gemini: { read: 0.1, write: 1, writeLong: 1, output: 6 },
};

export function billed(
  { input, cache_read, cache_write, cache_write_long, output }: Usage,
  prices: Prices,
): number {
  const short = cache_write - cache_write_long;
  return (
    input +
    cache_read * prices.read +
    short * prices.write +
    cache_write_long * prices.writeLong +
    output * prices.output
  );
}

export const promptTokens = ({ input, cache_read, cache_write }: Usage) => input + cache_read + cache_write;

const MINUTE = 60_000;

export interface CacheOptions {
  /** What is kept without being used, where the request does not say it. */
  lifetime?: number;
  /** Prefixes below this are not kept. */
  leastTokens?: number;
}

export function createProvider(dialect: Dialect, options: CacheOptions = {}): Provider {
  return dialect === 'anthropic' ? markedCache(options) : automaticCache(dialect, options);
}

type Json = Record<string, unknown>;

interface Text {
  text: string;
  tokens: number;
}

/** A piece of a prompt that is the same or not as a whole. */
interface Block {
  text: Text;
  tokens: number;
  mark?: { ttl?: string };
}

/** How far before a mark the provider looks for something that it kept. */
const LOOK_BACK = 20;

/**
 * Anthropic: kept is what ends in a mark, for five minutes or an hour from its last use. A use refreshes what it
 * found, and what the request itself marks before that; nothing that lies in between.
 */
function markedCache({ lifetime = 5 * MINUTE, leastTokens = 1024 }: CacheOptions): Provider {
  const prefixes = new Prefixes();
  const kept = new Map<number, { until: number; lifetime: number }>();
  return {
    ask({ model, body, at, answer = '' }) {
      const blocks = anthropicBlocks(body);
      const ids: number[] = [];
      const sums: number[] = [];
      for (const [index, block] of blocks.entries()) {
        ids.push(prefixes.extend(ids[index - 1] ?? prefixes.begin(model), block.text));
        sums.push((sums[index - 1] ?? 0) + block.tokens);
      }
      const isKept = (index: number) => (kept.get(ids[index]!)?.until ?? 0) > at;
      const marks = blocks.flatMap(({ mark }, index) => (mark ? [index] : []));
      let hit = -1;
      for (const mark of marks)
        for (let index = mark; index > hit && index > mark - LOOK_BACK; index--)
          if (isKept(index)) hit = index;
      const usage = {
        input: 0,
        cache_read: sums[hit] ?? 0,
        cache_write: 0,
        cache_write_long: 0,
        output: tokensOf(answer),
      };
      const refresh = (index: number) => {
        const entry = kept.get(ids[index]!)!;
        entry.until = at + entry.lifetime;
      };
      if (hit >= 0) refresh(hit);
      let written = usage.cache_read;
      for (const index of marks) {
        if (index <= hit) {
          if (isKept(index)) refresh(index);
          continue;
        }
        if (sums[index]! < leastTokens) continue;
        const isLong = blocks[index]!.mark?.ttl === '1h';
        const keeps = isLong ? 60 * MINUTE : lifetime;
        kept.set(ids[index]!, { until: at + keeps, lifetime: keeps });
        usage.cache_write += sums[index]! - written;
        if (isLong) usage.cache_write_long += sums[index]! - written;
        written = sums[index]!;
      }
      usage.input = (sums.at(-1) ?? 0) - written;
      return usage;
    },
  };
}

const STEP = 128;

/** OpenAI and Gemini: the longest beginning that a recent request had too, in steps, from a least length on. */
function automaticCache(
  dialect: Dialect,
  { lifetime = 10 * MINUTE, leastTokens = 1024 }: CacheOptions,
): Provider {
  let recent: { model: string; at: number; blocks: readonly Block[] }[] = [];
  return {
    ask({ model, body, at, answer = '' }) {
      const blocks = dialect === 'gemini' ? geminiBlocks(body) : openaiBlocks(body);
      recent = recent.filter((request) => at - request.at < lifetime);
      const total = blocks.reduce((sum, { tokens }) => sum + tokens, 0);
      let shared = 0;
      for (const request of recent)
        if (request.model === model) shared = Math.max(shared, sharedTokens(request.blocks, blocks));
      const whole = Math.floor(shared / STEP) * STEP;
      const cache_read = whole >= leastTokens ? Math.min(whole, total) : 0;
      recent.push({ model, at, blocks });
      return {
        input: total - cache_read,
        cache_read,
        cache_write: 0,
        cache_write_long: 0,
        output: tokensOf(answer),
      };
    },
  };
}

function sharedTokens(one: readonly Block[], other: readonly Block[]): number {
  let tokens = 0;
  for (const [index, block] of one.entries()) {
    const beside = other[index];
    if (!beside) return tokens;
    if (beside.text !== block.text)
      return tokens + Math.floor(sharedShare(block.text.text, beside.text.text) * block.tokens);
    tokens += block.tokens;
  }
  return tokens;
}

function sharedShare(one: string, other: string): number {
  let place = 0;
  while (place < one.length && one.charCodeAt(place) === other.charCodeAt(place)) place++;
  return place / one.length;
}

/** Every beginning gets a number, the same for the same texts. */
class Prefixes {
  readonly #begun = new Map<string, number>();
  readonly #longer = new Map<number, Map<Text, number>>();
  #count = 0;

  begin(model: string): number {
    return this.#numberIn(this.#begun, model);
  }

  extend(before: number, text: Text): number {
    const longer = this.#longer.get(before) ?? new Map<Text, number>();
    this.#longer.set(before, longer);
    return this.#numberIn(longer, text);
  }

  #numberIn<Key>(numbers: Map<Key, number>, key: Key): number {
    const number = numbers.get(key) ?? ++this.#count;
    numbers.set(key, number);
    return number;
  }
}

const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Tools, then the system prompt, then the messages: the order in which the provider reads them. */
function anthropicBlocks(body: Json): Block[] {
  const tools = objects(body.tools);
  const definitions = new Map(tools.map((tool) => [tool.name, tool]));
  const blocks = tools
    // What is deferred enters the prompt where a search refers to it.
    .filter(({ defer_loading }) => defer_loading !== true)
    .map((tool) => blockOf('tool', tool));
  const content = (value: unknown) =>
    typeof value === 'string' ? [{ type: 'text', text: value }] : objects(value);
  for (const part of content(body.system)) blocks.push(blockOf('system', part));
  for (const message of objects(body.messages))
    for (const part of content(message.content)) {
      const parts = objects(part.content);
      const loaded = parts.flatMap(({ tool_name }) =>
        tool_name === undefined ? [] : [definitions.get(tool_name)],
      );
      blocks.push(blockOf(String(message.role), part, loaded));
    }
  return blocks;
}

function openaiBlocks(body: Json): Block[] {
  const before = [
    ...objects(body.tools),
    ...(body.instructions ? [{ instructions: body.instructions }] : []),
  ];
  return [...before, ...objects(body.messages ?? body.input)].map((item) => blockOf('', item));
}

function geminiBlocks(body: Json): Block[] {
  const parts = objects(body.contents).flatMap(({ role, parts }) =>
    objects(parts).map((part) => blockOf(String(role), part)),
  );
  return [
    blockOf('system', body.systemInstruction as Json),
    ...objects(body.tools).map((tool) => blockOf('tool', tool)),
    ...parts,
  ];
}

/** The same text is the same object: comparing a long history is comparing references. */
const known = new Map<string, Text>();

function blockOf(role: string, block: Json, loaded: readonly unknown[] = []): Block {
  const { cache_control: mark, ...plain } = block;
  const json = JSON.stringify(plain);
  const isMarkedWithin = json.includes('"cache_control"');
  const own = `${role} ${isMarkedWithin ? JSON.stringify(plain, (key, value) => (key === 'cache_control' ? undefined : value)) : json}`;
  let text = known.get(own);
  if (!text) {
    const tokens = 4 + weigh(block) + loaded.reduce((sum: number, tool) => sum + weigh(tool), 0);
    text = { text: own, tokens };
    known.set(own, text);
  }
  return { text, tokens: text.tokens, ...(mark ? { mark: mark as { ttl?: string } } : {}) };
}

/** What a picture costs, more or less. */
const PICTURE_TOKENS = 1200;
/** Not part of what the model reads. */
const SILENT = [
  'signature',
  'thoughtSignature',
  'encrypted_content',
  'cache_control',
  'id',
  'tool_use_id',
  'call_id',
];

function weigh(value: unknown): number {
  if (typeof value === 'string') return tokensOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, member) => sum + weigh(member), 0);
  const { type, inlineData } = value as Json;
  if (type === 'image' || type === 'input_image' || type === 'image_url' || inlineData) return PICTURE_TOKENS;
  return Object.entries(value).reduce(
    (sum, [key, member]) => (SILENT.includes(key) || key === 'type' ? sum : sum + 2 + weigh(member)),
    0,
  );
}

function tokensOf(text: string): number {
  return text === '' ? 0 : countTokens(text);
}
