import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { LIMITS, type LimitName, type Limits } from '@infold/protocol';
import { z } from 'zod';
import { InfoldError, messageOf } from './errors.ts';
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
      if (key === 'limits' || key === 'window' || key === 'hooks') {
        if (key === 'limits') config.limits = { ...config.limits, ...(value as Partial<Limits>) };
        else if (key === 'hooks') config.hooks = { ...config.hooks, ...(value as Partial<HooksConfig>) };
        else config.window = mergeWindow(config.window, value as NonNullable<FileConfig['window']>);
        for (const name of Object.keys(value)) origins[`${key}.${name}`] = origin;
      } else {
        Object.assign(config, { [key]: value });
        origins[key] = origin;
      }
    }
  }
  config.data = resolve(config.data);
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
  return checked.sources ? { ...checked, sources: besideFile(checked.sources, path) } : checked;
}

/** Paths of sources are relative to the file that names them: a host may start us anywhere. */
function besideFile(sources: NonNullable<FileConfig['sources']>, file: string): FileConfig['sources'] {
  return Object.fromEntries(
    Object.entries(sources).map(([model, source]) => [
      model,
      typeof source.path === 'string' ? { ...source, path: resolve(dirname(file), source.path) } : source,
    ]),
  );
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
  const groups = { window: Object.keys(windowDefaults()), hooks: HOOK_PARTS };
  for (const [group, names] of Object.entries(groups)) {
    const values: Record<string, unknown> = {};
    for (const name of names) {
      const text = environment[environmentName(`${group}.${name}`)];
      if (text !== undefined && text !== '') values[name] = plainValue(name, text);
    }
    if (Object.keys(values).length > 0) found[group] = values;
  }
  const limits: Record<string, number> = {};
  for (const name of Object.keys(LIMITS)) {
    const text = environment[environmentName(`limits.${name}`)];
    if (text !== undefined && text !== '') limits[name] = Number(text);
  }
  if (Object.keys(limits).length > 0) found.limits = limits;
  return check(found, 'environment');
}

export function environmentName(key: string): string {
  return `INFOLD_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;
}

function plainValue(key: string, text: string): unknown {
  if (['toolsets', 'allowedHosts', 'allowedOrigins'].includes(key)) return parseList(text);
  if (['data', 'host', 'toolNames'].includes(key)) return text;
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
