import {
  type DraftOp,
  type DraftResource,
  FILE_KINDS,
  type FileKind,
  META_PROMPT_PATH,
} from '@infold/protocol';
import { draftElsewhere, draftExists, fileNotFound, invalid, ofOrganisation, pathTaken } from '../errors.ts';
import type { DraftStaged } from '../events.ts';
import { checkContent } from '../files/content.ts';
import { describeFile, isMetaPrompt, resourceOf } from '../files/describe.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { contentHash } from '../files/hashes.ts';
import { checkPath } from '../files/paths.ts';
import { isMarkdown } from '../folders/rule-files.ts';
import type { StagingState } from '../queries/command-state.ts';
import { type Draft, draftPath } from '../queries/drafts.ts';
import { discardDraft, type LibraryDecision, submitDraft } from './review.ts';

/** Who drafts, where, and in which session of an agent. */
export interface DraftingParty {
  workspaceId: string;
  org: string;
  projectId: string;
  principal: string;
  /** The session of an agent; null for a person. */
  sessionId: string | null;
  /** Whether the session opted in to drafts that it did not stage itself. */
  isOptedIn: boolean;
  secrets: number;
  mostBytes: number;
  /** Where an import found the file, if that is another path than its own. */
  origin?: string | undefined;
}

export type DraftDecision = LibraryDecision<{ draft_path: string; draft_id: string }>;

/** What an operation is about: a published file, a draft of it or of a new one, or both. */
interface Target {
  fileId: string | null;
  path: string;
  hash: string | null;
  kind: FileKind;
  draft: Draft | undefined;
}

/** LIB-09: stages a draft. Nothing that is published changes. `newId` is used where the draft is a new one. */
export function stageDraft(
  state: StagingState,
  party: DraftingParty,
  resource: DraftResource,
  op: DraftOp,
  newId: string,
): DraftDecision {
  const drafting = new Drafting(state, party, resource, newId);
  if (op.create) return drafting.create(op.create);
  if (op.update) return drafting.update(op.update);
  if (op.rename) return drafting.rename(op.rename);
  if (op.delete) return drafting.delete(op.delete);
  if (op.discard) return drafting.discard();
  if (op.submit) return drafting.submit();
  throw invalid('op must contain exactly one operation');
}

class Drafting {
  readonly #state: StagingState;
  readonly #party: DraftingParty;
  readonly #resource: DraftResource;
  readonly #newId: string;

  constructor(state: StagingState, party: DraftingParty, resource: DraftResource, newId: string) {
    this.#state = state;
    this.#party = party;
    this.#resource = resource;
    this.#newId = newId;
  }

  create({ path, body, description }: NonNullable<DraftOp['create']>): DraftDecision {
    checkPlace(this.#resource, path);
    checkContent(body, this.#party.mostBytes);
    this.#checkFree(path, undefined);
    return this.#stage(undefined, {
      op: 'create',
      file_id: null,
      path,
      new_path: null,
      base_hash: null,
      description,
      ...this.#content(path, body),
    });
  }

  update({ body, description }: NonNullable<DraftOp['update']>): DraftDecision {
    const target = this.#find();
    // LIB-15: what an earlier version published at a path that is no longer safe can be renamed or deleted.
    checkPath(target.path);
    checkContent(body, this.#party.mostBytes);
    const { draft } = target;
    if (draft && draft.op !== 'update' && draft.op !== 'create') throw draftExists(draft);
    return this.#stage(draft, {
      op: draft?.op ?? 'update',
      file_id: target.fileId,
      path: target.path,
      new_path: null,
      // The first update's base stays: it is what the drafter began from.
      base_hash: draft ? draft.base_hash : target.hash,
      description: description ?? draft?.description ?? undefined,
      ...this.#content(target.path, body),
    });
  }

  rename({ new_path, description }: NonNullable<DraftOp['rename']>): DraftDecision {
    if (this.#resource === 'mpf')
      throw invalid(`${META_PROMPT_PATH} has a reserved path and cannot be renamed`);
    checkPlace(this.#resource, new_path);
    const target = this.#find();
    const { draft } = target;
    if (draft && draft.op !== 'rename' && draft.op !== 'create') throw draftExists(draft);
    if (new_path === target.path) throw invalid('new_path is the path that the file already has');
    this.#checkFree(new_path, draft);
    const hash = draft?.hash ?? target.hash!;
    const { text } = this.#state;
    if (text === undefined) throw fileNotFound();
    const described = { hash, ...this.#describe(new_path, text) };
    if (draft?.op === 'create') {
      const more = description ?? draft.description ?? undefined;
      return this.#stage(draft, { ...draftFields(draft), path: new_path, description: more, ...described });
    }
    return this.#stage(draft, {
      op: 'rename',
      file_id: target.fileId,
      path: target.path,
      new_path,
      base_hash: draft ? draft.base_hash : target.hash,
      description,
      ...described,
    });
  }

  delete({ description }: NonNullable<DraftOp['delete']>): DraftDecision {
    const target = this.#find();
    const { draft } = target;
    // LIB-10: what was never published is not proposed for deletion.
    if (draft?.op === 'create') return this.#drop(draft, 'delete');
    if (draft && draft.op !== 'delete') throw draftExists(draft);
    if (this.#resource === 'mpf' && !this.#state.hasMetaPrompt) throw fileNotFound();
    return this.#stage(draft, {
      op: 'delete',
      file_id: target.fileId,
      path: target.path,
      new_path: null,
      base_hash: draft ? draft.base_hash : target.hash,
      hash: null,
      kind: target.kind,
      group: null,
      file_description: null,
      description,
    });
  }

  discard(): DraftDecision {
    const draft = this.#own(this.#state.named);
    if (!draft) throw fileNotFound();
    return this.#drop(draft, 'discard');
  }

  submit(): DraftDecision {
    const draft = this.#own(this.#state.named);
    if (!draft) throw fileNotFound();
    const { events } = submitDraft(this.#state.submitted!, this.#party.sessionId);
    return { events, answer: { draft_path: draftPath(draft), draft_id: draft.id } };
  }

  #checkFree(path: string, own: Draft | undefined): void {
    const { draft, file } = this.#state.wanted;
    if (draft && draft.id !== own?.id) throw draftExists(this.#own(draft)!);
    if (file) throw pathTaken(path);
  }

  #find(): Target {
    const { named, file, ofFile } = this.#state;
    const draft = this.#own(named);
    if (draft) {
      const { file_id, path, base_hash, kind } = draft;
      return { fileId: file_id, path, hash: base_hash, kind, draft };
    }
    const isOfResource = file && (this.#resource === 'mpf' || resourceOf(file.kind) === this.#resource);
    if (!isOfResource) throw fileNotFound();
    const { id, path, hash, kind, organisation } = file;
    if (organisation !== null && organisation !== undefined) throw ofOrganisation(path, organisation);
    return { fileId: id, path, hash, kind, draft: this.#own(ofFile) };
  }

  /** A session goes on with what it can see: what another one staged it must opt in to (LIB-11). */
  #own(draft: Draft | undefined): Draft | undefined {
    const { sessionId, isOptedIn } = this.#party;
    if (draft && sessionId !== null && !isOptedIn && draft.session_id !== sessionId)
      throw draftElsewhere(draft);
    return draft;
  }

  #content(path: string, body: string) {
    checkKind(this.#resource, body);
    return { hash: contentHash(body), text: body, ...this.#describe(path, body) };
  }

  #describe(path: string, text: string) {
    const { kind, group, description } = describeFile(path, text);
    return { kind: kindFor(this.#resource, kind), group, file_description: description };
  }

  #stage(
    draft: Draft | undefined,
    state: Pick<
      DraftStaged,
      'op' | 'file_id' | 'path' | 'new_path' | 'base_hash' | 'hash' | 'kind' | 'group' | 'file_description'
    > & { description: string | undefined; text?: string },
  ): DraftDecision {
    const { workspaceId, org, projectId, principal, sessionId, secrets, origin } = this.#party;
    const data: DraftStaged = {
      ...state,
      draft_id: draft?.id ?? this.#newId,
      workspace_id: workspaceId,
      org,
      project_id: projectId,
      principal,
      resource: this.#resource,
      description: state.description ?? null,
      session_id: sessionId,
      secrets,
      ...(origin === undefined ? {} : { origin }),
    };
    return {
      events: [{ type: 'draft.staged', data }],
      answer: { draft_path: data.new_path ?? data.path, draft_id: data.draft_id },
    };
  }

  #drop(draft: Draft, action: 'discard' | 'delete'): DraftDecision {
    const { sessionId } = this.#party;
    const { events } = discardDraft(draft, { action, sessionId });
    return { events, answer: { draft_path: draftPath(draft), draft_id: draft.id } };
  }
}

/** Where a file of this resource may be. */
export function checkPlace(resource: DraftResource, path: string): void {
  checkPath(path);
  if (resource === 'mpf') {
    if (!isMetaPrompt(path)) throw invalid(`The meta prompt has the reserved path ${META_PROMPT_PATH}`);
    return;
  }
  if (path.toLowerCase() === META_PROMPT_PATH.toLowerCase()) {
    throw invalid(`${META_PROMPT_PATH} is the meta prompt: use resource "mpf"`);
  }
  // A folder is read for Markdown alone: another file would be exported and never be found again.
  if (!isMarkdown(path)) {
    throw invalid(`${path} is not Markdown: a path of the library ends in .md, .mdc or .markdown`);
  }
  const wrong = resource === 'rule' ? 'context' : 'workflow';
  if (path.startsWith(`${wrong}/`)) {
    const right = resource === 'rule' ? 'context' : 'rule';
    throw invalid(`Files under ${wrong}/ are drafted with resource "${right}"`);
  }
}

/** What the front matter says is what an import would go by. */
export function checkKind(resource: DraftResource, body: string): void {
  const says = FILE_KINDS.find((kind) => kind === readFrontMatter(body).values.kind);
  if (says === undefined || resource === 'mpf' || resourceOf(says) === resource) return;
  throw invalid(`Its front matter says kind: ${says}, which is drafted with resource "${resourceOf(says)}"`);
}

/** What of a draft is carried into its next state. */
function draftFields(draft: Draft) {
  const { op, file_id, new_path, base_hash } = draft;
  return { op, file_id, new_path, base_hash };
}

export function kindFor(resource: DraftResource, described: FileKind): FileKind {
  if (resource === 'context') return 'context';
  return described === 'workflow' ? 'workflow' : 'rule';
}
