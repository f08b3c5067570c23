import { constants, type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { META_PROMPT_PATH } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import { randomId } from '../kernel/ids.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/caller.ts';
import type { Project } from '../trust/identity/queries.ts';
import { resourceOf, stageDraft } from './commands/draft.ts';
import { type IncomingFile, importChanges, problemsOf } from './commands/publish.ts';
import { checkContent, decodeText } from './content.ts';
import type { FileChange, LibraryEvent } from './events.ts';
import { contentHash } from './hashes.ts';
import { isSafePath } from './paths.ts';
import { allFiles, revisionOf } from './queries/files.ts';
import type { Library } from './service.ts';
import { partyOf } from './staging.ts';

export interface Skipped {
  path: string;
  reason: string;
}

export interface ImportReport {
  read: number;
  created: number;
  updated: number;
  renamed: number;
  unchanged: number;
  /** Files that hold something to import and could not be. */
  skipped: Skipped[];
  /** Secrets that were replaced by placeholders; the bytes of those files are not kept. */
  secrets: number;
  published: boolean;
  revision: number;
}

export interface ImportOptions {
  publish: boolean;
  progress?: (done: number, total: number) => void;
}

const MARKDOWN = /\.(?:md|mdc|markdown)$/i;
/** Hidden folders that hold instructions for agents, and what of them is looked at. */
const HIDDEN_FOLDERS: Record<string, RegExp> = {
  '.cursor': /^\.cursor\/rules(?:\/|$)/,
  '.github': /^\.github\/(?:copilot-instructions\.md$|instructions(?:\/|$))/,
};
const IGNORED_FOLDERS = new Set(['node_modules']);
const BATCH_FILES = 1000;
const BATCH_CHARACTERS = 6_000_000;

/** Makes the Markdown of a folder the library's, or drafts of it. Ids of files that are known stay. */
export async function importFolder(
  library: Library,
  caller: Caller,
  project: Project,
  folder: string,
  { publish, progress }: ImportOptions,
): Promise<ImportReport> {
  const { database, config } = library;
  const known = allFiles(database, project.workspace_id);
  const scan = scanFolder(folder, new Set(known.map(({ path }) => path)));
  const present = new Set(scan.paths);
  const gone = movable(known.filter(({ path }) => !present.has(path)));
  const knownPaths = new Set(known.map(({ path }) => path));
  const report: ImportReport = {
    read: 0,
    created: 0,
    updated: 0,
    renamed: 0,
    unchanged: 0,
    skipped: scan.skipped,
    secrets: 0,
    published: publish,
    revision: revisionOf(database, project.workspace_id),
  };
  let batch: IncomingFile[] = [];
  let size = 0;
  const flush = async () => {
    if (batch.length > 0) await take(library, caller, project, batch, publish, report);
    batch = [];
    size = 0;
  };
  for (const [index, path] of scan.paths.entries()) {
    const text = readText(join(folder, path), path, config.limits.libraryFileBytes, report.skipped);
    if (text !== undefined) {
      const clean = library.scrubCounted(text);
      report.read++;
      report.secrets += clean.count;
      const movedFrom = knownPaths.has(path) ? undefined : gone.get(contentHash(clean.text));
      if (movedFrom !== undefined) gone.delete(contentHash(clean.text));
      batch.push({ path, text: clean.text, ...(movedFrom === undefined ? {} : { movedFrom }) });
      size += clean.text.length;
    }
    if (batch.length >= BATCH_FILES || size >= BATCH_CHARACTERS) await flush();
    progress?.(index + 1, scan.paths.length);
  }
  await flush();
  report.revision = revisionOf(database, project.workspace_id);
  return report;
}

/** A file that is gone from its path, and whose content stands elsewhere now, has moved. */
function movable(files: readonly { path: string; hash: string }[]): Map<string, string> {
  const byHash = new Map<string, string>();
  const repeated = new Set<string>();
  for (const { path, hash } of files) {
    if (byHash.has(hash) || path === META_PROMPT_PATH) repeated.add(hash);
    byHash.set(hash, path);
  }
  for (const hash of repeated) byHash.delete(hash);
  return byHash;
}

async function take(
  library: Library,
  caller: Caller,
  project: Project,
  batch: readonly IncomingFile[],
  publish: boolean,
  report: ImportReport,
): Promise<void> {
  let changes: FileChange[];
  if (publish) {
    let refused: Skipped[] = [];
    const changesOf = (database: Database) => {
      refused = [];
      return importChanges(database, project.workspace_id, batch).filter((change) => {
        const problems = problemsOf(change, library.validators);
        if (problems.length > 0) refused.push({ path: change.path, reason: problems.join('; ') });
        return problems.length === 0;
      });
    };
    changes = (await library.publishChanges(caller, project, 'import', changesOf)).changes;
    report.skipped.push(...refused);
    report.unchanged -= refused.length;
  } else {
    const result = await stageBatch(library, caller, project, batch);
    changes = result.changes;
    report.skipped.push(...result.skipped);
    report.unchanged -= result.skipped.length;
  }
  for (const { op } of changes) {
    if (op === 'create') report.created++;
    else if (op === 'rename') report.renamed++;
    else report.updated++;
  }
  report.unchanged += batch.length - changes.length;
}

async function stageBatch(
  library: Library,
  caller: Caller,
  project: Project,
  batch: readonly IncomingFile[],
): Promise<{ changes: FileChange[]; skipped: Skipped[] }> {
  const party = partyOf(caller, project, library.config, { sessionId: null, secrets: 0 });
  let changes: FileChange[] = [];
  let skipped: Skipped[] = [];
  await library.stageAll(caller, project, (database) => {
    skipped = [];
    const events: LibraryEvent[] = [];
    changes = importChanges(database, project.workspace_id, batch).filter((change) => {
      const resource = change.path === META_PROMPT_PATH ? 'mpf' : resourceOf(change.kind);
      const body = change.text!;
      const op =
        change.op === 'create'
          ? { create: { path: change.path, body } }
          : change.op === 'rename'
            ? { rename: { id: change.file_id, new_path: change.path } }
            : { update: { id: change.file_id, body } };
      try {
        events.push(...stageDraft(database, party, resource, op, randomId('draft')).events);
        return true;
      } catch (error) {
        if (!InfoldError.isInstance(error)) throw error;
        skipped.push({ path: change.path, reason: error.message });
        return false;
      }
    });
    return { events, answer: changes.length };
  });
  return { changes, skipped };
}

/** The paths to read, in order. Links are never followed: they may lead out of the folder (LIB-15). */
export function scanFolder(
  folder: string,
  known: ReadonlySet<string> = new Set(),
): { paths: string[]; skipped: Skipped[] } {
  const paths: string[] = [];
  const skipped: Skipped[] = [];
  const wanted = (path: string) => MARKDOWN.test(path) || known.has(path);
  const visit = (under: string) => {
    for (const item of entriesOf(folder, under)) {
      const path = under === '' ? item.name : `${under}/${item.name}`;
      if (isHidden(path, item)) continue;
      if (item.isSymbolicLink()) {
        if (wanted(path)) skipped.push({ path, reason: 'is a symbolic link' });
      } else if (item.isDirectory()) {
        if (!IGNORED_FOLDERS.has(item.name)) visit(path);
      } else if (wanted(path)) {
        if (!item.isFile()) skipped.push({ path, reason: 'is not a file' });
        else if (isSafePath(path)) paths.push(path);
        else skipped.push({ path, reason: 'unsafe path' });
      }
    }
  };
  visit('');
  return { paths, skipped };
}

function entriesOf(folder: string, under: string): Dirent[] {
  const path = join(folder, under);
  try {
    if (under === '' && !statSync(path).isDirectory()) {
      throw new InfoldError('invalid_arguments', `${folder} is not a folder`);
    }
    return readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (InfoldError.isInstance(error)) throw error;
    throw new InfoldError('invalid_arguments', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function isHidden(path: string, item: Dirent): boolean {
  const [first = ''] = path.split('/');
  const pattern = HIDDEN_FOLDERS[first];
  if (pattern) return path !== first && !pattern.test(path);
  return item.name.startsWith('.');
}

function readText(file: string, path: string, most: number, skipped: Skipped[]): string | undefined {
  try {
    const bytes = readFileSync(file, { flag: (constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)) as never });
    const text = decodeText(bytes);
    if (text === undefined) throw new InfoldError('invalid_arguments', 'is not valid UTF-8');
    checkContent(text, most);
    return text;
  } catch (error) {
    skipped.push({ path, reason: (error as Error).message });
    return undefined;
  }
}
