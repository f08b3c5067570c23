import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DraftOp, type ImportReport, META_PROMPT_PATH } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Project } from '../../trust/identity/queries.ts';
import { identifiersOf } from '../../trust/secrets/identifiers.ts';
import { scrubText } from '../../trust/secrets/scrubbing.ts';
import { stageDraft } from '../commands/draft.ts';
import { importChanges, importFiles } from '../commands/import.ts';
import { commitToLibrary, publishTargetIn } from '../commit.ts';
import { draftChoice, draftExists } from '../errors.ts';
import type { FileChange, LibraryEvent } from '../events.ts';
import { hasConstraints } from '../files/constraints.ts';
import { checkContent, decodeText } from '../files/content.ts';
import { describeFile, isMetaPrompt, resourceOf } from '../files/describe.ts';
import { contentHash } from '../files/hashes.ts';
import { type IncomingFile, importState, incomingState, stagingState } from '../queries/command-state.ts';
import { type Draft, draftPath, liveDraftAtPath, openDrafts } from '../queries/drafts.ts';
import { allFiles, revisionOf } from '../queries/files.ts';
import { partyOf, person } from '../staging.ts';
import { type FoundFile, type Skipped, scanFolder } from './scan-folder.ts';

/** What an import works with; the context of a call has it all. */
type Work = Pick<CallContext, 'journal' | 'config' | 'caller' | 'scrubber' | 'parts'>;

export interface FolderImportOptions {
  publish: boolean;
  progress?: (done: number, total: number) => void;
}

const BATCH_FILES = 1000;
const BATCH_CHARACTERS = 6_000_000;

/** Makes the Markdown of a folder the library's, or drafts of it. Ids of files that are known stay. */
export async function importFolder(
  work: Work,
  project: Project,
  folder: string,
  { publish, progress }: FolderImportOptions,
): Promise<ImportReport> {
  const { config, scrubber, caller } = work;
  const { database } = work.journal;
  const known = new Map(allFiles(database, project.workspace_id).map((file) => [file.path, file]));
  const scan = withoutSecretPaths(scrubber, scanFolder(folder, new Set(known.keys())));
  const present = new Set(scan.files.map(({ path }) => path));
  const gone = movable([...known.values()].filter(({ path }) => !present.has(path)));
  const report: ImportReport = {
    read: 0,
    created: 0,
    updated: 0,
    renamed: 0,
    unchanged: 0,
    skipped: scan.skipped,
    secrets: 0,
    redacted: [],
    without_constraints: [],
    published: publish,
    revision: revisionOf(database, project.workspace_id),
    drafts_left: [],
  };
  let batch: IncomingFile[] = [];
  let size = 0;
  const flush = async () => {
    if (batch.length > 0) await take(work, project, batch, publish, report);
    batch = [];
    size = 0;
  };
  const incoming = ({ source, path }: FoundFile, text: string): IncomingFile => {
    const origin = source === path ? {} : { origin: source };
    if (known.has(path)) return { path, text, ...origin };
    const hash = contentHash(text);
    // An earlier version kept it at its dotted path. A draft can move it or change it, not both.
    const before = known.get(source);
    const movedFrom = before && (publish || before.hash === hash) ? source : gone.get(hash);
    gone.delete(hash);
    return { path, text, ...origin, ...(movedFrom === undefined ? {} : { movedFrom }) };
  };
  for (const [index, found] of scan.files.entries()) {
    const text = readText(
      join(folder, found.source),
      found.source,
      config.limits.libraryFileBytes,
      report.skipped,
    );
    if (text !== undefined) {
      const clean = scrubText(scrubber, text);
      const other = known.get(found.path);
      const isOther = other !== undefined && found.source !== found.path && other.origin === null;
      if (isOther && other.hash !== contentHash(clean.text)) {
        const reason = `would be imported as ${found.path}, a path that the library already has from another file`;
        report.skipped.push({ path: found.source, reason });
      } else {
        note(report, found.path, clean);
        batch.push(incoming(found, clean.text));
        size += clean.text.length;
      }
    }
    if (batch.length >= BATCH_FILES || size >= BATCH_CHARACTERS) await flush();
    progress?.(index + 1, scan.files.length);
  }
  await flush();
  report.revision = revisionOf(database, project.workspace_id);
  if (publish) {
    report.drafts_left = openDrafts(database, caller, project.workspace_id)
      .filter((draft) => present.has(draftPath(draft)))
      .map(draftChoice);
  }
  return report;
}

type Scan = ReturnType<typeof scanFolder>;

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
  publish: boolean,
  report: ImportReport,
): Promise<void> {
  let changes: FileChange[];
  if (publish) {
    const importer = { workspaceId: project.workspace_id, principal: work.caller.principal };
    const { changes: published, refused } = await commitToLibrary(work, project.workspace_id, (database) =>
      importFiles(importState(database, importer, batch), publishTargetIn(work, project), randomUUID),
    );
    changes = published;
    report.skipped.push(...refused);
    report.unchanged -= refused.length;
  } else {
    const result = await stageBatch(work, project, batch);
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
  work: Work,
  project: Project,
  batch: readonly IncomingFile[],
): Promise<{ changes: FileChange[]; skipped: Skipped[] }> {
  const party = partyOf(work.caller, project, work.config, person);
  let changes: FileChange[] = [];
  let skipped: Skipped[] = [];
  await commitToLibrary(work, project.workspace_id, (database) => {
    skipped = [];
    const events: LibraryEvent[] = [];
    const files = incomingState(database, project.workspace_id, batch);
    changes = importChanges(files, randomUUID).filter((change) => {
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
        skipped.push({ path: change.path, reason: error.message });
        return false;
      }
    });
    return { events, answer: changes.length };
  });
  return { changes, skipped };
}

/** What was imported before and not published yet is changed; a draft of an agent is not. */
function operationFor({ op, path, file_id, text }: FileChange, draft: Draft | undefined): DraftOp {
  const body = text!;
  if (draft && draft.session_id !== null) throw draftExists(draft);
  if (draft) return { update: { id: draft.id, body } };
  if (op === 'create') return { create: { path, body } };
  return op === 'rename' ? { rename: { id: file_id, new_path: path } } : { update: { id: file_id, body } };
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
