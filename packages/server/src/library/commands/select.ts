import type { ManifestFile } from '@infold/protocol';
import { invalid, ofHub } from '../errors.ts';
import type { FileChange, LibraryEvent, Selection } from '../events.ts';
import { globProblem } from '../files/globs.ts';
import type { SelectionState } from '../queries/command-state.ts';
import type { OrganisationFile } from '../queries/workspaces.ts';
import { mirrorChanges } from './mirror.ts';
import { type Publication, type PublishTarget, publish } from './publish.ts';
import type { LibraryDecision } from './review.ts';

/** A publication has so many files, or characters; what moves stays together, because others may want its path. */
const PORTION_FILES = 1000;
const PORTION_CHARACTERS = 6_000_000;

export interface ResolvedSelection extends Publication {
  /** There is more to do. */
  isPart: boolean;
}

/**
 * Makes the selected files of a workspace what the organisation's library has. The workspace's own win by path. What is right
 * already stays: doing it again, or from two sides, changes nothing.
 */
export function resolveSelection(
  state: SelectionState,
  target: PublishTarget,
): LibraryDecision<ResolvedSelection> {
  const { revisions, files, present } = planOf(state);
  const known = new Map(present.map((file) => [file.id, file]));
  const changes: FileChange[] = [];
  let characters = 0;
  let isPart = false;
  for (const change of mirrorChanges({ known, texts: state.texts }, files)) {
    const moves = change.op === 'delete' || change.op === 'rename';
    if (!moves && (changes.length >= PORTION_FILES || characters >= PORTION_CHARACTERS)) {
      isPart = true;
      break;
    }
    characters += change.text?.length ?? 0;
    changes.push({ ...change, organisation: revisions.get(change.file_id)! });
  }
  const { events, answer } = publish(state, target, { source: 'organisation', changes });
  return { events, answer: { ...answer, isPart } };
}

/** Whether there is anything to do. */
export function isBehind(state: SelectionState): boolean {
  const { files, present } = planOf(state);
  const known = new Map(present.map((file) => [file.id, file]));
  return files.some((file) => {
    const before = known.get(file.id);
    if (file.gone) return true;
    return before?.path !== file.path || before.hash !== file.hash || before.kind !== file.kind;
  });
}

function planOf({ wanted, present }: SelectionState) {
  const own = present.filter(({ organisation }) => organisation === null);
  const ownPaths = new Set(own.map(({ path }) => path));
  const ownIds = new Set(own.map(({ id }) => id));
  const selected = present.filter(({ organisation }) => organisation !== null);
  const shown = wanted.filter(({ id, path }) => !ownPaths.has(path) && !ownIds.has(id));
  const stays = new Map(shown.map((file) => [file.id, file]));
  const gone = selected
    .filter(({ id }) => !stays.has(id))
    .map(({ id, path, kind, hash }): ManifestFile => ({ id, path, kind, hash, gone: true }));
  const before = new Map(selected.map((file) => [file.id, file.path]));
  const moves = ({ id, path }: OrganisationFile) => before.has(id) && before.get(id) !== path;
  const files: ManifestFile[] = [...gone, ...shown.filter(moves), ...shown.filter((file) => !moves(file))];
  const revisions = new Map<string, number>([
    ...selected.map(({ id, organisation }): [string, number] => [id, organisation!]),
    ...shown.map(({ id, revision }): [string, number] => [id, revision]),
  ]);
  return { files, revisions, present: selected };
}

/** Paths of selected files in whose place the workspace has its own. */
export function overriddenIn({ wanted, present }: SelectionState): string[] {
  const own = new Set(present.filter(({ organisation }) => organisation === null).map(({ path }) => path));
  return wanted.map(({ path }) => path).filter((path) => own.has(path));
}

export interface SelectionWish {
  paths: readonly string[];
  tags: readonly string[];
  revision: number | 'latest';
  /** Nothing any more. */
  none: boolean;
}

/** What is wished for as it is kept; null for nothing. */
export function selectionFor(
  { paths, tags, revision, none }: SelectionWish,
  /** The organisation's library now. */
  latest: number,
): Selection | null {
  const isEmpty = paths.length === 0 && tags.length === 0;
  if (none) {
    if (isEmpty && revision === 'latest') return null;
    throw invalid('none: cannot be combined with paths, tags or a revision');
  }
  if (isEmpty) throw invalid('paths: say what is selected, by paths or by tags ("**" is everything)');
  for (const pattern of paths) {
    const problem = globProblem(pattern);
    if (problem !== undefined) throw invalid(`paths: "${pattern}" ${problem}`);
  }
  if (revision !== 'latest' && revision > latest) {
    const known = latest === 0 ? 'nothing was published there yet' : `the last one is ${latest}`;
    throw invalid(`revision: the organisation's library has no revision ${revision}; ${known}`);
  }
  return { paths: [...new Set(paths)], tags: [...new Set(tags)], revision };
}

/** Keeps the selection, and makes the workspace what it says, in one entry. */
export function selectFiles(
  /** With what the new selection has. */
  state: SelectionState,
  target: PublishTarget,
  before: Selection | null,
  selection: Selection | null,
): LibraryDecision<ResolvedSelection> {
  if (target.hubUrl !== undefined) throw ofHub(target.hubUrl);
  const data = {
    ...{ workspace_id: target.workspaceId, org: target.org, project_id: target.projectId },
    selection,
  };
  const isNew = JSON.stringify(before) !== JSON.stringify(selection);
  const selected: LibraryEvent[] = isNew ? [{ type: 'library.selected', data }] : [];
  const { events, answer } = resolveSelection(state, target);
  return { events: [...selected, ...events], answer };
}
