import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { LIMITS, type LimitName, type Limits } from '@infold/protocol';
import { z } from 'zod';
import { InfoldError, messageOf } from './errors.ts';
import { HUB_KEYS, type HubConfig, hubDefaults, hubSchema, mergeHub } from './hub-config.ts';
import {
  NATS_KEYS,
  NATS_TLS_KEYS,
  type NatsConfig,
  natsBesideFile,
  natsDefaults,
  natsSchema,
  natsTrouble,
} from './nats-config.ts';
import {
  type WebhookConfig,
  type WebhooksInput,
  webhooksBesideFile,
  webhooksOf,
  webhooksSchema,
} from './webhook-config.ts';
import { mergeWindow, type WindowConfig, windowDefaults, windowSchema } from './window-config.ts';

export const DOORS = ['fold', 'library', 'memory', 'transient', 'gateway'] as const;
export type DoorName = (typeof DOORS)[number];

export const SPELLINGS = ['seed', 'portable'] as const;
export type Spelling = (typeof SPELLINGS)[number];

/** What hooks do, each part of which can be switched off. */
export const HOOK_PARTS = ['wake', 'prompt', 'compaction', 'tools', 'shorten'] as const;
export type HookPart = (typeof HOOK_PARTS)[number];
export type HooksConfig = Record<HookPart, boolean>;

function switchesOf<Name extends string>(names: readonly Name[]): Record<Name, z.ZodBoolean> {
  return Object.fromEntries(names.map((name) => [name, z.boolean()])) as Record<Name, z.ZodBoolean>;
}

const toolsets = z.array(z.enum(DOORS));
const positive = z.number().int().positive();

const fileSchema = z.strictObject({
  port: z.number().int().min(0).max(65535).optional(),
  host: z.string().min(1).optional(),
  allowedHosts: z.array(z.string().min(1)).optional(),
  allowedOrigins: z
    .array(z.string().refine(isOrigin, 'an origin is written as http://localhost:3000'))
    .optional(),
  data: z.string().min(1).optional(),
  toolsets: toolsets.optional(),
  toolNames: z.enum(SPELLINGS).optional(),
  contextLimit: positive.optional(),
  hardLimit: z.boolean().optional(),
  transientThreshold: positive.optional(),
  transientThresholds: z.record(z.string(), positive).optional(),
  sources: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  embeddings: z.record(z.string(), z.unknown()).optional(),
  oauth: z.record(z.string(), z.unknown()).optional(),
  scrub: z.record(z.string(), z.unknown()).optional(),
  limits: z.partialRecord(z.enum(Object.keys(LIMITS) as [LimitName]), positive).optional(),
  gateway: z.record(z.string(), z.unknown()).optional(),
  window: windowSchema.optional(),
  hooks: z.strictObject(switchesOf(HOOK_PARTS)).partial().optional(),
  library: z.strictObject({ selfApproval: z.boolean().optional() }).optional(),
  memory: z.strictObject({ rankByUse: z.boolean() }).partial().optional(),
  evidence: z
    .strictObject({ retentionDays: z.number().int().min(1).max(36_500), anonymous: z.boolean() })
    .partial()
    .optional(),
  hub: hubSchema.optional(),
  nats: natsSchema.optional(),
  webhooks: webhooksSchema.optional(),
});
type FileConfig = z.infer<typeof fileSchema>;

export interface Config {
  port: number;
  host: string;
  /** Names, besides the loopback ones, under which browsers and clients may reach the server. */
  allowedHosts: string[];
  /** Pages that may do what pages of the server itself may, such as `http://localhost:3000`. */
  allowedOrigins: string[];
  data: string;
  toolsets: DoorName[];
  /** Undefined: the seed's names over HTTP, portable ones over stdio. */
  toolNames: Spelling | undefined;
  contextLimit: number;
  hardLimit: boolean;
  transientThreshold: number;
  /** For single tools, by name. */
  transientThresholds: Record<string, number>;
  limits: Limits;
  sources: NonNullable<FileConfig['sources']>;
  embeddings: FileConfig['embeddings'];
  oauth: FileConfig['oauth'];
  scrub: FileConfig['scrub'];
  gateway: FileConfig['gateway'];
  window: WindowConfig;
  /** What hosts are answered when they call our hooks. */
  hooks: HooksConfig;
  /** Whether somebody may approve a draft of their own; yes where nothing is said. */
  library: NonNullable<FileConfig['library']>;
  memory: MemoryConfig;
  evidence: EvidenceConfig;
  hub: HubConfig;
  nats: NatsConfig;
  /** Who is told what happens in libraries. */
  webhooks: WebhookConfig[];
}

export interface MemoryConfig {
  /** Whether what agents used, and what they did not, changes the order within packs. */
  rankByUse: boolean;
}

export interface EvidenceConfig {
  /** For how many days evidence is counted; undefined for all there is. */
  retentionDays: number | undefined;
  /** Names of principals are replaced in reports. */
  anonymous: boolean;
}

export type Origin = 'default' | 'file' | 'environment' | 'flag';
export interface ConfigReport {
  config: Config;
  /** Where each value came from. */
  origins: Record<string, Origin>;
  file: string | null;
}

/** Values given on the command line; undefined means not given. */
export type Flags = { [Key in keyof FileConfig]?: FileConfig[Key] | undefined } & {
  config?: string | undefined;
};

/** What can be set by itself in the environment: a key is better there than in a file. */
const EMBEDDINGS_KEYS = ['path', 'url', 'model', 'key', 'dimensions'];

const DEFAULT_FILE = 'infold.config.json';

export const DEFAULT_DATA = join(homedir(), '.infold');

function defaults(): Config {
  return {
    port: 9090,
    host: '127.0.0.1',
    allowedHosts: [],
    allowedOrigins: [],
    data: DEFAULT_DATA,
    toolsets: DOORS.filter((door) => door !== 'gateway'),
    toolNames: undefined,
    contextLimit: 32768,
    hardLimit: false,
    transientThreshold: 5,
    transientThresholds: {},
    limits: LIMITS,
    sources: {},
    embeddings: undefined,
    oauth: undefined,
    scrub: undefined,
    gateway: undefined,
    window: windowDefaults(),
    hooks: { wake: true, prompt: true, compaction: true, tools: true, shorten: true },
    library: { selfApproval: true },
    memory: { rankByUse: true },
    evidence: { retentionDays: undefined, anonymous: false },
    hub: hubDefaults(),
    nats: natsDefaults(),
    webhooks: [],
  };
}

/** Flags over environment over file over defaults. A value that cannot be used is named with its origin. */
export function loadConfig(flags: Flags, environment: NodeJS.ProcessEnv = process.env): ConfigReport {
  const { config: namedFile, ...given } = flags;
  const path = namedFile ?? environment.INFOLD_CONFIG ?? DEFAULT_FILE;
  const required = namedFile !== undefined || environment.INFOLD_CONFIG !== undefined;
  const file = required || existsSync(path) ? resolve(path) : null;
  const layers: [Origin, FileConfig][] = [
    ['file', file === null ? {} : readFile(file)],
    ['environment', readEnvironment(environment)],
    ['flag', check(JSON.parse(JSON.stringify(given)), 'command line')],
  ];
  const config = defaults();
  const origins: Record<string, Origin> = {};
  for (const key of Object.keys(config)) origins[key] = 'default';
  for (const [origin, layer] of layers) {
    for (const [key, value] of Object.entries(layer)) {
      if (value === undefined) continue;
      if (['limits', 'window', 'hooks', 'memory', 'evidence', 'hub', 'nats'].includes(key)) {
        if (key === 'limits') config.limits = { ...config.limits, ...(value as Partial<Limits>) };
        else if (key === 'hooks') config.hooks = { ...config.hooks, ...(value as Partial<HooksConfig>) };
        else if (key === 'memory') config.memory = { ...config.memory, ...(value as Partial<MemoryConfig>) };
        else if (key === 'evidence')
          config.evidence = { ...config.evidence, ...(value as Partial<EvidenceConfig>) };
        else if (key === 'hub') config.hub = mergeHub(config.hub, value as NonNullable<FileConfig['hub']>);
        else if (key === 'nats') config.nats = { ...config.nats, ...(value as Partial<NatsConfig>) };
        else config.window = mergeWindow(config.window, value as NonNullable<FileConfig['window']>);
        for (const name of Object.keys(value)) origins[`${key}.${name}`] = origin;
      } else if (key === 'embeddings') {
        config.embeddings = { ...config.embeddings, ...(value as NonNullable<FileConfig['embeddings']>) };
        origins[key] = origin;
      } else if (key === 'webhooks') {
        config.webhooks = webhooksOf(value as WebhooksInput, environment);
        origins[key] = origin;
      } else {
        Object.assign(config, { [key]: value });
        origins[key] = origin;
      }
    }
  }
  config.data = resolve(config.data);
  // A file that somebody named is theirs; one that lies in the working folder came with it.
  config.hub.isForeignUrl = !required && origins['hub.url'] === 'file' && origins['hub.token'] !== 'file';
  const trouble = natsTrouble(config.nats);
  if (trouble !== undefined) throw new InfoldError('invalid_arguments', `Bad configuration: ${trouble}`);
  return { config, origins, file };
}

function readFile(path: string): FileConfig {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InfoldError('invalid_arguments', `Cannot read the configuration ${path}: ${messageOf(error)}`);
  }
  const checked = check(content, path);
  return {
    ...checked,
    ...(checked.sources && { sources: besideFile(checked.sources, path) }),
    ...(checked.embeddings && { embeddings: pathBeside(checked.embeddings, path) }),
    ...(checked.nats && { nats: natsBesideFile(checked.nats, path) }),
    ...(checked.webhooks && { webhooks: webhooksBesideFile(checked.webhooks, path) }),
  };
}

/** Paths of sources are relative to the file that names them: a host may start us anywhere. */
function besideFile(sources: NonNullable<FileConfig['sources']>, file: string): FileConfig['sources'] {
  return Object.fromEntries(
    Object.entries(sources).map(([model, source]) => [model, pathBeside(source, file)]),
  );
}

function pathBeside(described: Record<string, unknown>, file: string): Record<string, unknown> {
  const { path } = described;
  return typeof path === 'string' ? { ...described, path: resolve(dirname(file), path) } : described;
}

/** INFOLD_CONTEXT_LIMIT=64000 and INFOLD_LIMITS_REQUEST_BYTES=1000000 style, for every plain value. */
function readEnvironment(environment: NodeJS.ProcessEnv): FileConfig {
  const found: Record<string, unknown> = {};
  for (const key of Object.keys(defaults())) {
    const text = environment[environmentName(key)];
    if (text !== undefined && text !== '') found[key] = plainValue(key, text);
  }
  const selfApproval = environment[environmentName('library.selfApproval')];
  if (selfApproval !== undefined && selfApproval !== '') {
    found.library = { selfApproval: plainValue('library.selfApproval', selfApproval) };
  }
  const groups = {
    window: Object.keys(windowDefaults()),
    hooks: HOOK_PARTS,
    embeddings: EMBEDDINGS_KEYS,
    memory: ['rankByUse'],
    evidence: ['retentionDays', 'anonymous'],
    hub: HUB_KEYS,
  };
  for (const [group, names] of Object.entries(groups)) {
    const values: Record<string, unknown> = {};
    for (const name of names) {
      const text = environment[environmentName(`${group}.${name}`)];
      if (text !== undefined && text !== '') values[name] = plainValue(name, text);
    }
    if (Object.keys(values).length > 0) found[group] = values;
  }
  const nats = readNats(environment);
  if (Object.keys(nats).length > 0) found.nats = nats;
  const limits: Record<string, number> = {};
  for (const name of Object.keys(LIMITS)) {
    const text = environment[environmentName(`limits.${name}`)];
    if (text !== undefined && text !== '') limits[name] = Number(text);
  }
  if (Object.keys(limits).length > 0) found.limits = limits;
  return check(found, 'environment');
}

/** INFOLD_NATS_URL, INFOLD_NATS_TLS_CA and so on. */
function readNats(environment: NodeJS.ProcessEnv): Record<string, unknown> {
  const told = (names: readonly string[], group: string) =>
    Object.fromEntries(
      names
        .map((name): [string, string | undefined] => [name, environment[environmentName(`${group}.${name}`)]])
        .filter(([, text]) => text !== undefined && text !== ''),
    );
  const { replicas, tls: _, ...values } = told(NATS_KEYS, 'nats');
  const tls = told(NATS_TLS_KEYS, 'nats.tls');
  return {
    ...values,
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(replicas !== undefined && { replicas: Number(replicas) }),
  };
}

export function environmentName(key: string): string {
  return `INFOLD_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;
}

function plainValue(key: string, text: string): unknown {
  if (['toolsets', 'allowedHosts', 'allowedOrigins'].includes(key)) return parseList(text);
  if (['data', 'host', 'toolNames', 'path', 'url', 'model', 'key', 'token'].includes(key)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
}

function check(content: unknown, origin: string): FileConfig {
  const parsed = fileSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const where = issue.path.length === 0 ? '' : `"${issue.path.join('.')}": `;
  throw new InfoldError('invalid_arguments', `Bad configuration (${origin}): ${where}${issue.message}`);
}
