import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { readSources, type Source } from '../../transient/records/sources.ts';
import { orgsWithProject } from '../../trust/identity/queries.ts';

export const PROJECT = 'Sample';
export const MODEL = 'sample_activities';

/** The records of the sample, where it was loaded before; they are there for every organisation that has the project. */
export function sampleSources(config: Config, database: Database): Source[] {
  return existsSync(recordsIn(config)) ? [sampleSource(config, database)] : [];
}

export function sampleSource(config: Config, database: Database): Source {
  const described = { type: 'jsonl', path: recordsIn(config), id: 'id', projects: [PROJECT] };
  const source = readSources({ [MODEL]: described }).get(MODEL)!;
  return Object.defineProperty(source, 'orgs', { get: () => orgsWithProject(database, PROJECT) });
}

export function folderIn({ data }: Config): string {
  return join(data, 'samples');
}

function recordsIn(config: Config): string {
  return join(folderIn(config), 'activities.jsonl');
}
