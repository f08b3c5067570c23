import { RULES, type Rule } from '@infold/client/window';
import { z } from 'zod';

/** Whose API an upstream speaks. OpenAI's has two dialects, which their addresses tell apart. */
const FAMILIES = ['anthropic', 'openai', 'gemini'] as const;
export type Family = (typeof FAMILIES)[number];

const SCRUBS = ['warn', 'redact'] as const;

export interface Upstream {
  url: string;
  dialect: Family;
}

/** US dollars for a million tokens. What is not said of the cache follows from the provider's usual ratios. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  cacheWriteLong?: number | undefined;
}

export interface WindowConfig {
  /** False: requests pass to the upstream as they come, and nothing is looked at. */
  enabled: boolean;
  upstreams: Record<string, Upstream>;
  rules: { [rule in Rule]?: boolean | undefined };
  prices: Record<string, ModelPrice>;
  /** A request with a larger body passes unread. */
  bodyBytes: number;
  archiveDays: number;
  /** What becomes of secrets that are about to leave the machine. */
  scrub: false | (typeof SCRUBS)[number];
}

const PUBLIC: Record<Family, string> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
};

const price = z.number().nonnegative();
const upstream = z.strictObject({
  url: z
    .string()
    .refine(isUpstreamUrl, 'an upstream is written as https://api.example.com/base, without a key in it'),
  dialect: z.enum(FAMILIES).optional(),
});
type UpstreamInput = z.infer<typeof upstream>;

export const windowSchema = z.strictObject({
  enabled: z.boolean().optional(),
  upstreams: z
    .record(
      z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'lower-case letters, digits, "-" and "_" name one'),
      upstream,
    )
    .superRefine((upstreams, context) => {
      for (const name of Object.keys(upstreams)) {
        if (upstreams[name]!.dialect !== undefined || isFamily(name)) continue;
        const message = `say which dialect it speaks: one of ${FAMILIES.join(', ')}`;
        context.addIssue({ code: 'custom', path: [name, 'dialect'], message });
      }
    })
    .optional(),
  rules: z.partialRecord(z.enum(RULES), z.boolean()).optional(),
  prices: z
    .record(
      z.string(),
      z.strictObject({
        input: price,
        output: price,
        cacheRead: price.optional(),
        cacheWrite: price.optional(),
        cacheWriteLong: price.optional(),
      }),
    )
    .optional(),
  bodyBytes: z.number().int().positive().optional(),
  archiveDays: z.number().int().positive().optional(),
  scrub: z.union([z.literal(false), z.enum(SCRUBS)]).optional(),
});
type WindowInput = z.infer<typeof windowSchema>;

export function windowDefaults(): WindowConfig {
  return {
    enabled: true,
    upstreams: Object.fromEntries(
      FAMILIES.map((family) => [family, { url: PUBLIC[family], dialect: family }]),
    ),
    rules: {},
    prices: {},
    bodyBytes: 64 * 1024 * 1024,
    archiveDays: 30,
    scrub: false,
  };
}

/** What is named in one place adds to what was named in another; the same name replaces. */
export function mergeWindow(
  base: WindowConfig,
  { upstreams, rules, prices, ...plain }: WindowInput,
): WindowConfig {
  return {
    ...base,
    ...(Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)) as typeof plain),
    upstreams: { ...base.upstreams, ...namedUpstreams(upstreams) },
    rules: { ...base.rules, ...rules },
    prices: { ...base.prices, ...prices },
  } as WindowConfig;
}

function namedUpstreams(given: Record<string, UpstreamInput> = {}): Record<string, Upstream> {
  return Object.fromEntries(
    Object.entries(given).map(([name, { url, dialect }]) => [
      name,
      { url, dialect: dialect ?? (name as Family) },
    ]),
  );
}

/** `anthropic=http://127.0.0.1:8000` or `ours=openai+https://models.example.com/base`. */
export function parseUpstream(text: string): [name: string, upstream: UpstreamInput] | undefined {
  const match = new RegExp(`^([^=]+)=(?:(${FAMILIES.join('|')})\\+)?(.+)$`).exec(text);
  if (!match) return undefined;
  const [, name, dialect, url] = match;
  return [name!, { url: url!, ...(dialect === undefined ? {} : { dialect: dialect as Family }) }];
}

function isFamily(name: string): name is Family {
  return FAMILIES.some((family) => family === name);
}

/** A key in it would be written to logs; a query could not be joined with that of a request. */
export function isUpstreamUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}
