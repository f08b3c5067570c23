import { wildcard } from '@infold/protocol';
import type { ModelPrice as ConfiguredPrice } from '../../kernel/window-config.ts';
import type { WindowAsked, WindowUsage } from '../events.ts';
import { promptTokens } from '../queries.ts';

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWriteLong: number;
  /** Tokens of a prompt from which on the whole request costs so many times as much. */
  long: LongPrompts | null;
  /** In tokens; null where it is not known. */
  contextWindow: number | null;
}

interface LongPrompts {
  above: number;
  input: number;
  output: number;
}

/** As multiples of what input costs. */
interface CacheRatios {
  read: number;
  write: number;
  writeLong: number;
}

interface Listed extends CacheRatios {
  models: readonly string[];
  input: number;
  output: number;
  long?: LongPrompts;
  contextWindow: number;
}

const K = 1000;
const MILLION = 1_000_000;

const ANTHROPIC: CacheRatios = { read: 0.1, write: 1.25, writeLong: 2 };
/** Models of OpenAI that bill what they write to the cache, and earlier ones that do not. */
const OPENAI: CacheRatios = { read: 0.1, write: 1.25, writeLong: 1.25 };
const OPENAI_EARLIER: CacheRatios = { read: 0.1, write: 1, writeLong: 1 };
const GEMINI: CacheRatios = { read: 0.1, write: 1, writeLong: 1 };
const NO_CACHE: CacheRatios = { read: 1, write: 1, writeLong: 1 };

const LONG_OPENAI: LongPrompts = { above: 272 * K, input: 2, output: 1.5 };
const LONG_200K: LongPrompts = { above: 200 * K, input: 2, output: 1.5 };

const claude = { ...ANTHROPIC, contextWindow: 200 * K };
const claudeMillion = { ...ANTHROPIC, contextWindow: MILLION };
const gpt6 = { ...OPENAI, long: LONG_OPENAI, contextWindow: 1050 * K };
const gpt54 = { ...OPENAI_EARLIER, long: LONG_OPENAI, contextWindow: 1050 * K };
const gpt5 = { ...OPENAI_EARLIER, contextWindow: 400 * K };
const gpt41 = { ...OPENAI_EARLIER, read: 0.25, contextWindow: 1_047_576 };
const gpt4o = { ...OPENAI_EARLIER, read: 0.5, contextWindow: 128 * K };
const reasoning = { ...OPENAI_EARLIER, contextWindow: 200 * K };
const gemini = { ...GEMINI, contextWindow: 1_048_576 };

/**
 * Standard rates of the providers' own APIs, collected in November 2026: from their pages where those were at hand, else from
 * what others wrote of them. They change, and some may be out of date: `window.prices` overrides single models. What is sold
 * faster, in batches or by others costs something else.
 */
const LISTED: readonly Listed[] = [
  { models: ['claude-fable-5-1'], input: 10, output: 50, ...claudeMillion, read: 0.025 },
  { models: ['claude-fable-5'], input: 10, output: 50, ...claudeMillion },
  { models: ['claude-opus-5-5'], input: 4, output: 20, ...claudeMillion, read: 0.05 },
  { models: ['claude-opus-5'], input: 5, output: 25, ...claudeMillion },
  {
    models: ['claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
    ...{ input: 5, output: 25, ...claude },
  },
  {
    models: ['claude-opus-4-1', 'claude-opus-4', 'claude-opus-4-0', 'claude-3-opus'],
    ...{ input: 15, output: 75, ...claude },
  },
  { models: ['claude-sonnet-5-5', 'claude-sonnet-5'], input: 2, output: 10, ...claudeMillion },
  {
    models: ['claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0'],
    ...{ input: 3, output: 15, long: LONG_200K, ...claude },
  },
  {
    models: ['claude-sonnet-4-6', 'claude-3-7-sonnet', 'claude-3-5-sonnet'],
    ...{ input: 3, output: 15, ...claude },
  },
  {
    models: ['claude-haiku-5-5'],
    ...{ input: 0.1, output: 0.5, long: { above: 100 * K, input: 5, output: 5 }, ...claudeMillion },
  },
  { models: ['claude-haiku-4-5'], input: 1, output: 5, ...claude },
  { models: ['claude-3-5-haiku'], input: 0.8, output: 4, ...claude },
  { models: ['claude-3-haiku'], input: 0.25, output: 1.25, ...claude, read: 0.12, write: 1.2 },

  { models: ['gpt-6-astra'], input: 10, output: 50, ...gpt6 },
  { models: ['gpt-6.1-sol'], input: 2, output: 10, ...gpt6, read: 0.05 },
  { models: ['gpt-6-sol'], input: 2, output: 10, ...gpt6 },
  { models: ['gpt-6.1-terra'], input: 1, output: 5, ...gpt6, read: 0.05 },
  { models: ['gpt-6-luna'], input: 0.1, output: 0.5, ...gpt6 },
  { models: ['gpt-5.6-sol', 'gpt-5.6'], input: 4, output: 20, ...gpt6 },
  { models: ['gpt-5.6-terra'], input: 2, output: 12, ...gpt6 },
  { models: ['gpt-5.6-luna'], input: 0.2, output: 1.2, ...gpt6 },
  { models: ['gpt-5.5'], input: 5, output: 30, ...gpt54 },
  { models: ['gpt-5.4'], input: 2.5, output: 15, ...gpt54 },
  { models: ['gpt-5.4-mini'], input: 0.75, output: 4.5, ...gpt5 },
  { models: ['gpt-5.4-nano'], input: 0.2, output: 1.25, ...gpt5 },
  { models: ['gpt-5.3-codex', 'gpt-5.2-codex', 'gpt-5.2'], input: 1.75, output: 14, ...gpt5 },
  {
    models: ['gpt-5.1-codex-max', 'gpt-5.1-codex', 'gpt-5.1', 'gpt-5-codex', 'gpt-5'],
    ...{ input: 1.25, output: 10, ...gpt5 },
  },
  { models: ['gpt-5.1-codex-mini', 'gpt-5-mini'], input: 0.25, output: 2, ...gpt5 },
  { models: ['gpt-5-nano'], input: 0.05, output: 0.4, ...gpt5 },
  { models: ['gpt-4.1'], input: 2, output: 8, ...gpt41 },
  { models: ['gpt-4.1-mini'], input: 0.4, output: 1.6, ...gpt41 },
  { models: ['gpt-4.1-nano'], input: 0.1, output: 0.4, ...gpt41 },
  { models: ['gpt-4o'], input: 2.5, output: 10, ...gpt4o },
  { models: ['gpt-4o-mini'], input: 0.15, output: 0.6, ...gpt4o },
  { models: ['o3'], input: 2, output: 8, ...reasoning, read: 0.25 },
  { models: ['o4-mini'], input: 1.1, output: 4.4, ...reasoning, read: 0.25 },

  { models: ['gemini-3.1-pro', 'gemini-3-pro'], input: 2, output: 12, ...gemini, long: LONG_200K },
  // Until the end of 2026; then twice as much.
  {
    models: ['gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash'],
    ...{ input: 0.75, output: 3.75, ...gemini },
  },
  { models: ['gemini-3.5-flash'], input: 1.5, output: 9, ...gemini },
  { models: ['gemini-3-flash'], input: 0.5, output: 3, ...gemini },
  { models: ['gemini-2.5-pro'], input: 1.25, output: 10, ...gemini, long: LONG_200K },
  { models: ['gemini-2.5-flash'], input: 0.3, output: 2.5, ...gemini },
  { models: ['gemini-2.5-flash-lite'], input: 0.1, output: 0.4, ...gemini },
  { models: ['gemini-2.0-flash'], input: 0.1, output: 0.4, ...gemini, read: 0.25 },
];

const BY_MODEL = new Map(LISTED.flatMap((listed) => listed.models.map((model) => [model, listed] as const)));

/** What providers, clouds and routers write around a model's name. What else a name ends with is another model. */
const AROUND = {
  before: /^(?:.*\/|(?:[a-z]+\.)*anthropic\.)/,
  after: /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{3}|latest|preview(?:-\d{2}-\d{2,4})?|v\d+(?::\d+)?))+$/,
};

function plainName(model: string): string {
  const name = model.toLowerCase().replace(AROUND.before, '').replace(AROUND.after, '');
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name;
}

/** Null for a model that nobody told the price of: none is made up. */
export function priceOf(
  model: string | null,
  overrides: Readonly<Record<string, ConfiguredPrice>> = {},
): Price | null {
  if (model === null) return null;
  const listed = BY_MODEL.get(plainName(model));
  const configured = overrideOf(model, overrides);
  if (configured) return priceFrom(configured, listed ?? ratiosOf(model), listed);
  return listed ? priceFrom(listed, listed, listed) : null;
}

/** The longest pattern that fits says most about it. */
function overrideOf(
  model: string,
  overrides: Readonly<Record<string, ConfiguredPrice>>,
): ConfiguredPrice | undefined {
  const patterns = Object.keys(overrides).sort((one, other) => other.length - one.length);
  const names = [model, plainName(model)];
  const found = patterns.find((pattern) => names.some((name) => wildcard(pattern)(name)));
  return found === undefined ? undefined : overrides[found];
}

function priceFrom(
  { input, output, cacheRead, cacheWrite, cacheWriteLong }: ConfiguredPrice,
  { read, write, writeLong }: CacheRatios,
  listed: Listed | undefined,
): Price {
  return {
    input,
    output,
    cacheRead: cacheRead ?? input * read,
    cacheWrite: cacheWrite ?? input * write,
    cacheWriteLong: cacheWriteLong ?? cacheWrite ?? input * writeLong,
    long: listed?.long ?? null,
    contextWindow: listed?.contextWindow ?? null,
  };
}

function ratiosOf(model: string): CacheRatios {
  const name = plainName(model);
  if (name.startsWith('claude')) return ANTHROPIC;
  if (/^(gpt-|o\d)/.test(name)) return OPENAI;
  return name.startsWith('gemini') ? GEMINI : NO_CACHE;
}

/** In US dollars. */
export function moneyOf(usage: WindowUsage, price: Price): number {
  const { input, cache_read, cache_write, cache_write_long, output } = usage;
  const times = timesOf(usage, price);
  const prompt =
    input * price.input +
    cache_read * price.cacheRead +
    (cache_write - cache_write_long) * price.cacheWrite +
    cache_write_long * price.cacheWriteLong;
  return (prompt * times.input + output * price.output * times.output) / MILLION;
}

function timesOf(usage: WindowUsage, { long }: Price): { input: number; output: number } {
  return long && promptTokens(usage) > long.above ? long : { input: 1, output: 1 };
}

/**
 * What a request cost, and what it would have cost as it came. The latter is an estimate: the difference is reckoned in our
 * own tokens, and set right by what the provider counted of what we had reckoned for the request that it got.
 */
export function moneyOfTurn(
  { tokens, cost }: Pick<WindowAsked, 'tokens' | 'cost'>,
  usage: WindowUsage,
  price: Price,
): { actual: number; untouched: number } {
  const actual = moneyOf(usage, price);
  const calibration = tokens.sent > 0 ? promptTokens(usage) / tokens.sent : 1;
  const saved = (cost.asked - cost.sent) * calibration * price.input * timesOf(usage, price).input;
  return { actual, untouched: actual + saved / MILLION };
}

export interface RelativePrices extends CacheRatios {
  contextWindow: number | null;
}

/**
 * What the cache costs as multiples of input. Of a model that is not known, what its dialect makes likely: reading as cheap
 * and writing as dear as that provider has it, so that nothing is rewritten that would not pay.
 */
export function relativePrices(
  model: string | null,
  dialect: string,
  overrides: Readonly<Record<string, ConfiguredPrice>> = {},
): RelativePrices {
  const price = priceOf(model, overrides);
  if (price && price.input > 0) {
    const { input, cacheRead, cacheWrite, cacheWriteLong, contextWindow } = price;
    return {
      read: cacheRead / input,
      write: cacheWrite / input,
      writeLong: cacheWriteLong / input,
      contextWindow,
    };
  }
  const family = dialect === 'anthropic' ? ANTHROPIC : dialect === 'gemini' ? GEMINI : OPENAI;
  return { ...family, contextWindow: null };
}
