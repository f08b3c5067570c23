import { resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { LOCAL_ORG } from '../../trust/identity/caller.ts';

export const COLUMN_TYPES = ['number', 'text', 'boolean', 'date', 'json'] as const;
export type DeclaredType = (typeof COLUMN_TYPES)[number];

const name = z.string().min(1);
const names = z.array(name);
const common = {
  id: name.optional(),
  columns: z.union([names, z.record(name, z.enum(COLUMN_TYPES))]).optional(),
  hide: names.optional(),
  orgs: names.optional(),
  projects: names.optional(),
};
const file = { ...common, path: name, index: names.optional(), strict: z.boolean().optional() };

const sourceSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('jsonl'), ...file }),
  z.strictObject({ type: z.literal('json'), ...file }),
  z.strictObject({ type: z.literal('csv'), ...file, delimiter: z.string().length(1).optional() }),
  z.strictObject({ type: z.literal('sqlite'), ...common, path: name, table: name }),
  z.strictObject({ type: z.literal('postgres'), ...common, url: name, table: name }),
]);
type Described = z.infer<typeof sourceSchema>;

interface Common {
  model: string;
  /** The column that holds the id. */
  id: string;
  /** Whether the configuration names it: then a source without it is wrong. */
  idRequired: boolean;
  /** Columns to offer; undefined for all. */
  only: readonly string[] | undefined;
  types: Readonly<Record<string, DeclaredType>>;
  hide: readonly string[];
  orgs: readonly string[];
  /** Ids, names or paths of projects; undefined for every project of the organisations. */
  projects: readonly string[] | undefined;
}

export interface FileSource extends Common {
  type: 'jsonl' | 'json' | 'csv';
  path: string;
  index: readonly string[] | undefined;
  strict: boolean;
  /** Undefined where the first line tells. */
  delimiter: string | undefined;
}
export interface SqliteSource extends Common {
  type: 'sqlite';
  path: string;
  table: string;
}
export interface PostgresSource extends Common {
  type: 'postgres';
  url: string;
  table: string;
}
export type Source = FileSource | SqliteSource | PostgresSource;

const MODEL = /^[A-Za-z][\w-]{0,63}$/;

/** Reads the `sources` of the configuration; the first thing that cannot be used is named with its key. */
export function readSources(
  sources: Config['sources'],
  environment: NodeJS.ProcessEnv = process.env,
): Map<string, Source> {
  return new Map(
    Object.entries(sources).map(([model, described]) => [model, readSource(model, described, environment)]),
  );
}

function readSource(model: string, described: unknown, environment: NodeJS.ProcessEnv): Source {
  if (!MODEL.test(model)) {
    throw badSource(model, 'a model is named by letters, digits, "_" and "-", and begins with a letter');
  }
  const parsed = sourceSchema.safeParse(described);
  if (!parsed.success) throw badSource(model, describeIssue(parsed.error.issues[0]!, described));
  const source = parsed.data;
  const { id, columns } = source;
  const base: Common = {
    model,
    id: id ?? 'id',
    idRequired: id !== undefined,
    only: Array.isArray(columns) ? columns : undefined,
    types: columns === undefined || Array.isArray(columns) ? {} : columns,
    hide: source.hide ?? [],
    orgs: source.orgs ?? [LOCAL_ORG],
    projects: source.projects,
  };
  if (base.hide.includes(base.id)) throw badSource(model, `"hide" names the id column "${base.id}"`);
  if (source.type === 'sqlite') {
    return { ...base, type: source.type, path: resolve(source.path), table: source.table };
  }
  if (source.type === 'postgres') {
    return { ...base, type: source.type, url: readUrl(model, source.url, environment), table: source.table };
  }
  return {
    ...base,
    type: source.type,
    path: resolve(source.path),
    index: source.index,
    strict: source.strict ?? false,
    delimiter: source.type === 'csv' ? source.delimiter : undefined,
  };
}

/** A password need not stand in the file: `env:NAME` takes the whole address from the environment. */
function readUrl(model: string, url: string, environment: NodeJS.ProcessEnv): string {
  const variable = /^env:(\w+)$/.exec(url)?.[1];
  const address = variable === undefined ? url : environment[variable];
  if (address === undefined || address === '') {
    throw badSource(model, `"url" is taken from the environment variable ${variable}, which is not set`);
  }
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) {
    throw badSource(model, '"url" must look like postgresql://user@host:5432/database, or env:NAME');
  }
  return address;
}

function describeIssue(issue: z.core.$ZodIssue, described: unknown): string {
  const field = issue.path.join('.');
  if (issue.code === 'invalid_union' && issue.path.at(-1) === 'type') {
    const types = sourceSchema.options.map(({ shape }) => shape.type.value).join(', ');
    const given = (described as Partial<Described> | null)?.type;
    return `"type" must be one of ${types}${given === undefined ? '' : `, not ${JSON.stringify(given)}`}`;
  }
  if (issue.code === 'unrecognized_keys')
    return `unknown key ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return `"${field}" is missing`;
  }
  if (issue.code === 'invalid_union') {
    return `"${field}" must be a list of names, or an object of name: ${COLUMN_TYPES.join(' | ')}`;
  }
  return `${field === '' ? '' : `"${field}": `}${issue.message}`;
}

function badSource(model: string, what: string): InfoldError {
  return new InfoldError('invalid_arguments', `Bad configuration: sources.${model}: ${what}`);
}
