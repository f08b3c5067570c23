import { type HubManifest, type Limits, type ManifestFile, META_PROMPT_PATH } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import { messageOf } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { identifiersOf } from '../../trust/secrets/identifiers.ts';
import { scrubText } from '../../trust/secrets/scrubbing.ts';
import { checkContent } from '../files/content.ts';
import { NO_FILES, toggleFile } from '../files/digest.ts';
import { contentHash } from '../files/hashes.ts';
import { isSafePath } from '../files/paths.ts';
import { isMarkdown } from '../folders/rule-files.ts';
import { countFiles, filesByIds, libraryDigest } from '../queries/hub.ts';
import { hubInvalid, oneLine } from './client.ts';

const FILE_ID = /^(p|ctx)-[A-Za-z0-9-]{1,80}$/;

/** Everything about a manifest that can be wrong without any text. */
export function checkManifest(files: readonly ManifestFile[], limits: Limits, scrubber: Scrubber): void {
  checkCount(files.length, limits);
  const identifiers = identifiersOf(scrubber);
  const ids = new Set<string>();
  const paths = new Set<string>();
  for (const { id, path, gone } of files) {
    const shown = JSON.stringify(oneLine(path));
    if (!isSafePath(path)) throw hubInvalid(`the path ${shown} is not safe`);
    if (!isMarkdown(path)) throw hubInvalid(`${shown} is not Markdown`);
    if ((path === META_PROMPT_PATH) !== (id === META_PROMPT_PATH) || !(path === id || FILE_ID.test(id))) {
      throw hubInvalid(`${shown} has the id ${JSON.stringify(oneLine(id))}`);
    }
    if (!identifiers.isClean(path)) throw hubInvalid(`the path of ${id} holds a secret`);
    if (ids.has(id) || (!gone && paths.has(path))) throw hubInvalid(`${shown} is in it twice`);
    ids.add(id);
    if (!gone) paths.add(path);
  }
}

function checkCount(files: number, { hubFiles }: Limits): void {
  if (files > hubFiles) throw hubInvalid(`it has ${files} files, and limits.hubFiles is ${hubFiles}`);
}

/** However small each change is: what a workspace has after it is no more than it may have. */
export function checkTotal(
  database: Database,
  workspaceId: string,
  { since, files }: Pick<HubManifest, 'since' | 'files'>,
  limits: Limits,
): void {
  if (since === 0) return;
  const known = filesByIds(
    database,
    workspaceId,
    files.map(({ id }) => id),
  );
  let total = countFiles(database, workspaceId);
  for (const { id, gone } of files) total += (gone ? 0 : 1) - (known.get(id)?.deleted === 0 ? 1 : 0);
  checkCount(total, limits);
}

/** A text is what its hash says, can be stored as it is, and is no longer than it may be. */
export function checkText(
  { path, hash }: ManifestFile,
  text: string,
  limits: Limits,
  scrubber: Scrubber,
): void {
  if (contentHash(text) !== hash) throw hubInvalid(`the content of ${path} does not have its hash`);
  try {
    checkContent(text, path === META_PROMPT_PATH ? limits.hubMetaPromptBytes : limits.libraryFileBytes);
  } catch (error) {
    throw hubInvalid(`${path}: ${messageOf(error)}`);
  }
  // A copy is exact or it is none: nothing can be taken out of it.
  if (scrubText(scrubber, text).count > 0) throw hubInvalid(`${path} holds a secret`);
}

/** The digest of what a workspace would be with these changes; of these files alone where they are all there is. */
export function digestAfter(
  database: Database,
  workspaceId: string,
  { since, files }: Pick<HubManifest, 'since' | 'files'>,
): string {
  const isWhole = since === 0;
  const ids = files.map(({ id }) => id);
  const known = isWhole ? undefined : filesByIds(database, workspaceId, ids);
  let digest = isWhole ? NO_FILES : libraryDigest(database, workspaceId);
  for (const file of files) {
    const before = known?.get(file.id);
    if (before?.deleted === 0) digest = toggleFile(digest, before);
    if (!file.gone) digest = toggleFile(digest, file);
  }
  return Buffer.from(digest).toString('hex');
}
