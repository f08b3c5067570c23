import { randomUUID } from 'node:crypto';
import { type DraftOp, type ImportReport, META_PROMPT_PATH } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Project } from '../../trust/identity/queries.ts';
import { identifiersOf } from '../../trust/secrets/identifiers.ts';
import { scrubText } from '../../trust/secrets/scrubbing.ts';
import { stageDraft } from '../commands/draft.ts';
import { importChanges, importFiles } from '../commands/import.ts';
import { checkProtected } from '../commands/protect.ts';
import type { LibraryDecision } from '../commands/review.ts';
import { commitToLibrary, publishTargetIn } from '../commit.ts';
import { draftChoice, draftExists } from '../errors.ts';
import type { FileChange, LibraryEvent } from '../events.ts';
import { hasConstraints } from '../files/constraints.ts';
import { checkContent } from '../files/content.ts';
import { describeFile, isMetaPrompt, resourceOf } from '../files/describe.ts';
import { contentHash } from '../files/hashes.ts';
import { protectionsAt } from '../files/protections.ts';
import { type IncomingFile, importState, incomingState, stagingState } from '../queries/command-state.ts';
import { type Draft, draftPath, liveDraftAtPath, openDrafts } from '../queries/drafts.ts';
import { allFiles, type LibraryFile, revisionOf } from '../queries/files.ts';
import { protectionsOf } from '../queries/workspaces.ts';
import { partyOf, person } from '../staging.ts';
import type { FoundFile, Scan, Skipped } from './scan-folder.ts';

/** What an import works with; the context of a call has it all. */
export type Work = Pick<CallContext, 'journal' | 'config' | 'caller' | 'scrubber' | 'parts'>;

export interface FileImportOptions {
  publish: boolean;
  /** Only the report is made; nothing is written. */
  dryRun?: boolean;
  progress?: (done: number, total: number) => void;
}

/** Where the files are. */
export interface ImportSource {
  scan(known: ReadonlySet<string>): Scan;
  /** The text of a file. Throws where it has none. */
  read(found: FoundFile): string;
  /** All of the library stands there: what is missing from it has moved, where its content stands elsewhere. */
  isWhole: boolean;
}

export interface DetailedReport extends ImportReport {
  files: { path: string; result: 'created' | 'updated' | 'renamed' | 'unchanged' }[];
}

const BATCH_FILES = 1000;
const BATCH_CHARACTERS = 6_000_000;

/** Makes Markdown files the library's, or drafts of it. Ids of files that are known stay. */
export async function importFrom(
  work: Work,
  project: Project,
  source: ImportSource,
  { publish, dryRun = false, progress }: FileImportOptions,
): Promise<DetailedReport> {
  const { config, scrubber, caller } = work;
  const { database } = work.journal;
  const known = new Map(allFiles(database, project.workspace_id).map((file) => [file.path, file]));
  const scan = withoutSecretPaths(scrubber, source.scan(new Set(known.keys())));
  const present = new Set(scan.files.map(({ path }) => path));
  const isGone = ({ path, organisation }: LibraryFile) => organisation === null && !present.has(path);
  const gone = movable(source.isWhole ? [...known.values()].filter(isGone) : []);
  const report: DetailedReport = {
    read: 0,
    created: 0,
    updated: 0,
    renamed: 0,
    unchanged: 0,
    skipped: scan.skipped,
    secrets: 0,
    redacted: [],
    without_constraints: [],
    published: publish && !dryRun,
    revision: revisionOf(database, project.workspace_id),
    drafts_left: [],
    files: [],
  };
  if (publish) refuseProtected(database, project.workspace_id, source, scan, known);
  let batch: IncomingFile[] = [];
  let size = 0;
  const flush = async () => {
    if (batch.length > 0) await take(work, project, batch, { publish, dryRun }, report);
    batch = [];
    size = 0;
  };
  const incoming = ({ source: found, path }: FoundFile, text: string): IncomingFile => {
    const origin = found === path ? {} : { origin: found };
    if (known.has(path)) return { path, text, ...origin };
    const hash = contentHash(text);
    // An earlier version kept it at its dotted path. A draft can move it or change it, not both.
    const before = known.get(found);
    const movedFrom = before && (publish || before.hash === hash) ? found : gone.get(hash);
    gone.delete(hash);
    return { path, text, ...origin, ...(movedFrom === undefined ? {} : { movedFrom }) };
  };
  for (const [index, found] of scan.files.entries()) {
    const text = textOf(source, found, config.limits.libraryFileBytes, report.skipped);
    const clean = text === undefined ? undefined : scrubText(scrubber, text);
    if (clean && isOfAnother(known.get(found.path), found, clean.text)) {
      const reason = `would be imported as ${found.path}, a path that the library already has from another file`;
      report.skipped.push({ path: found.source, reason });
    } else if (clean) {
      note(report, found.path, clean);
      batch.push(incoming(found, clean.text));
      size += clean.text.length;
    }
    if (batch.length >= BATCH_FILES || size >= BATCH_CHARACTERS) await flush();
    progress?.(index + 1, scan.files.length);
  }
  await flush();
  // What was refused is not in the library, whatever it lacks.
  const refused = new Set(report.skipped.map(({ path }) => path));
  report.without_constraints = report.without_constraints.filter((path) => !refused.has(path));
  report.revision = revisionOf(database, project.workspace_id);
  if (publish) {
    report.drafts_left = openDrafts(database, caller, project.workspace_id)
      .filter((draft) => present.has(draftPath(draft)))
      .map(draftChoice);
  }
  return report;
}

/** Before anything is written: a large import is more than one publication. */
function refuseProtected(
  database: Database,
  workspaceId: string,
  source: ImportSource,
  { files }: Scan,
  known: ReadonlyMap<string, LibraryFile>,
): void {
  const protections = protectionsOf(database, workspaceId);
  for (const found of files) {
    if (protectionsAt(protections, [found.path]).length === 0) continue;
    const text = textOf(source, found, Number.POSITIVE_INFINITY, []);
    const isSame = text === undefined || known.get(found.path)?.hash === contentHash(text);
    if (!isSame) checkProtected(protections, { path: found.path, previous_path: null }, []);
  }
}

/** Whether a path that a file would be given belongs to another one. */
function isOfAnother(other: LibraryFile | undefined, { source, path }: FoundFile, text: string): boolean {
  return other !== undefined && source !== path && other.origin === null && other.hash !== contentHash(text);
}

/** KERN-12: files are found by their paths, so that a path is never changed. */
function withoutSecretPaths(scrubber: Scrubber, { files, skipped }: Scan): Scan {
  const names = identifiersOf(scrubber);
  const isClean = ({ source, path }: FoundFile) => names.isClean(source) && names.isClean(path);
  const secret = files.filter((file) => !isClean(file));
  const reason = 'its path contains a secret; rename it';
  return {
    files: files.filter(isClean),
    skipped: [
      ...skipped,
      ...secret.map(({ source }) => ({ path: scrubText(scrubber, source).text, reason })),
    ],
  };
}

function note(report: ImportReport, path: string, { text, count }: { text: string; count: number }): void {
  report.read++;
  report.secrets += count;
  if (count > 0) report.redacted.push({ path, secrets: count });
  const isReferable = !isMetaPrompt(path) && describeFile(path, text).kind !== 'context';
  if (isReferable && !hasConstraints(text)) report.without_constraints.push(path);
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
  work: Work,
  project: Project,
  batch: readonly IncomingFile[],
  { publish, dryRun }: { publish: boolean; dryRun: boolean },
  report: DetailedReport,
): Promise<void> {
  const decide = publish ? publication(work, project, batch) : staging(work, project, batch);
  const { changes, refused } = dryRun
    ? decide(work.journal.database).answer
    : await commitToLibrary(work, project.workspace_id, decide);
  report.skipped.push(...refused);
  const changed = new Map(changes.map(({ path, op }) => [path, RESULTS[op]]));
  const isRefused = new Set(refused.map(({ path }) => path));
  for (const { path } of batch) {
    if (isRefused.has(path)) continue;
    const result = changed.get(path) ?? 'unchanged';
    report[result]++;
    report.files.push({ path, result });
  }
}

const RESULTS = { create: 'created', update: 'updated', rename: 'renamed', delete: 'updated' } as const;

interface Taken {
  changes: FileChange[];
  refused: Skipped[];
}

function publication(work: Work, project: Project, batch: readonly IncomingFile[]) {
  const importer = { workspaceId: project.workspace_id, principal: work.caller.principal };
  return (database: Database): LibraryDecision<Taken> =>
    importFiles(importState(database, importer, batch), publishTargetIn(work, project), randomUUID);
}

function staging(work: Work, project: Project, batch: readonly IncomingFile[]) {
  const party = partyOf(work.caller, project, work.config, person);
  return (database: Database): LibraryDecision<Taken> => {
    const refused: Skipped[] = [];
    const events: LibraryEvent[] = [];
    const files = incomingState(database, project.workspace_id, batch);
    const changes = importChanges(files, randomUUID).filter((change) => {
      const draft = liveDraftAtPath(database, party, change.path);
      if (draft?.hash === change.hash) return false;
      const resource = isMetaPrompt(change.path) ? 'mpf' : resourceOf(change.kind);
      try {
        const op = operationFor(change, draft);
        const by = { ...party, origin: change.origin };
        const state = stagingState(database, party, resource, op);
        events.push(...stageDraft(state, by, resource, op, randomId('draft')).events);
        return true;
      } catch (error) {
        if (!InfoldError.isInstance(error)) throw error;
        refused.push({ path: change.path, reason: error.message });
        return false;
      }
    });
    return { events, answer: { changes, refused } };
  };
}

/** What was imported before and not published yet is changed; a draft of an agent is not. */
function operationFor({ op, path, file_id, text }: FileChange, draft: Draft | undefined): DraftOp {
  const body = text!;
  if (draft && draft.session_id !== null) throw draftExists(draft);
  if (draft) return { update: { id: draft.id, body } };
  if (op === 'create') return { create: { path, body } };
  return op === 'rename' ? { rename: { id: file_id, new_path: path } } : { update: { id: file_id, body } };
}

function textOf(
  source: ImportSource,
  found: FoundFile,
  most: number,
  skipped: Skipped[],
): string | undefined {
  try {
    const text = source.read(found);
    checkContent(text, most);
    return text;
  } catch (error) {
    skipped.push({ path: found.source, reason: (error as Error).message });
    return undefined;
  }
}
