import type { Journal } from '../journal/journal.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { requireScope } from '../trust/access.ts';
import type { Caller } from '../trust/caller.ts';
import { checkNames, identifiersOf, withNames } from '../trust/identifiers.ts';
import type { Project } from '../trust/identity/queries.ts';
import { ensureProject, type ResolvedProject } from '../trust/projects.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import { scrubText, scrubValue } from '../trust/scrubbing.ts';
import { libraryStream } from '../trust/streams.ts';
import { type ImportedFiles, importFiles } from './commands/import.ts';
import {
  type FileValidator,
  type IncomingFile,
  type Place,
  type Publication,
  publish,
  publishDrafts,
  restoreChange,
} from './commands/publish.ts';
import {
  type Approver,
  commentDraft,
  decideDraft,
  discardDraft,
  planRebase,
  type RebaseWish,
  type ReviewDecision,
  rebaseDraft,
  submitDraft,
} from './commands/review.ts';
import { draftNotFound, ownDraft, revisionNotFound } from './errors.ts';
import type { PublicationSource } from './events.ts';
import { type Draft, draftById, maySee, nobody } from './queries/drafts.ts';
import { fileIdAtPath, historyOf } from './queries/files.ts';
import { type Item, type ItemFilter, listItems } from './queries/items.ts';
import { DRAFT_NAMES, type Proposal, person, stage } from './staging.ts';

export interface LibraryParts {
  journal: Journal;
  config: Config;
  scrubber: Scrubber;
  validators?: readonly FileValidator[];
}

/** What can be done to several drafts at once. */
export type DraftStep = 'submit' | 'approve' | 'decline' | 'discard';

export interface StepReport {
  drafts: Draft[];
  failed: { draft: Draft; error: InfoldError }[];
}

/** How often a rebase begins again because somebody published meanwhile. */
const MOST_TRIES = 5;

/** Changes to libraries, whoever asks for them: agents through tools, people through REST and the command line. */
export class Library {
  readonly journal: Journal;
  readonly config: Config;
  readonly validators: readonly FileValidator[];
  readonly #scrubber: Scrubber;

  constructor({ journal, config, scrubber, validators = [] }: LibraryParts) {
    this.journal = journal;
    this.config = config;
    this.validators = validators;
    this.#scrubber = scrubber;
  }

  get database(): Database {
    return this.journal.database;
  }

  /** Published files, by path; no draft lies over them. */
  list(workspaceId: string, filter: ItemFilter, limit: number): Item[] {
    return listItems(this.database, nobody(workspaceId), filter, limit);
  }

  /** A person's draft: no session of an agent is behind it. */
  async stage(caller: Caller, project: Project, proposal: Proposal) {
    requireScope(caller, 'write');
    checkNames(this.#scrubber, proposal, DRAFT_NAMES);
    const scrubbed = this.scrubValue(proposal);
    const value = withNames(scrubbed.value, proposal, DRAFT_NAMES);
    const { journal, config } = this;
    return stage({ journal, config, caller }, project, value, { ...person, secrets: scrubbed.count });
  }

  submit(caller: Caller, id: string): Promise<Draft> {
    return this.#takeOne(caller, id, 'submit', null);
  }

  discard(caller: Caller, id: string): Promise<Draft> {
    return this.#takeOne(caller, id, 'discard', null);
  }

  decide(caller: Caller, id: string, step: 'approve' | 'decline', note: string | null): Promise<Draft> {
    return this.#takeOne(caller, id, step, note);
  }

  async #takeOne(caller: Caller, id: string, step: DraftStep, note: string | null): Promise<Draft> {
    const { drafts, failed } = await this.takeStep(caller, [id], step, note);
    if (failed[0]) throw failed[0].error;
    return drafts[0]!;
  }

  /**
   * One step with each of the drafts, in one entry. Those with which it cannot be taken say why; the others go on.
   * Submitting and discarding are the drafter's own, or an administrator's, doing.
   */
  async takeStep(
    caller: Caller,
    ids: readonly string[],
    step: DraftStep,
    note: string | null,
  ): Promise<StepReport> {
    requireScope(caller, step === 'approve' || step === 'decline' ? 'review' : 'write');
    const drafts = ids.map((id) => this.#visible(caller, id));
    const workspaceId = oneWorkspace(drafts);
    const clean = note === null ? null : this.scrub(note);
    const take = (database: Database, draft: Draft) => {
      if (step === 'approve' || step === 'decline') {
        return decideDraft(database, draft.id, step, clean, this.#approver(caller));
      }
      this.#requireDrafter(caller, draft);
      return step === 'submit'
        ? submitDraft(database, draft.id, null)
        : discardDraft(database, draft.id, { action: 'discard', sessionId: null });
    };
    const failed: StepReport['failed'] = [];
    await this.#commit(caller, workspaceId, (database) => {
      failed.length = 0;
      const events = drafts.flatMap((draft) => {
        try {
          return take(database, draft).events;
        } catch (error) {
          if (!InfoldError.isInstance(error)) throw error;
          failed.push({ draft, error });
          return [];
        }
      });
      return { events, answer: null };
    });
    const taken = drafts.filter(({ id }) => !failed.some(({ draft }) => draft.id === id));
    return { drafts: taken.map((draft) => this.#again(draft)), failed };
  }

  async comment(caller: Caller, id: string, text: string): Promise<Draft> {
    requireScope(caller, 'write');
    const draft = this.#visible(caller, id);
    const clean = this.scrub(text);
    await this.#commit(caller, draft.workspace_id, (database) => commentDraft(database, draft.id, clean));
    return this.#again(draft);
  }

  /** All of them in one step, or none. */
  async publish(caller: Caller, ids: readonly string[], note: string | null): Promise<Publication> {
    requireScope(caller, 'review');
    const drafts = ids.map((id) => this.#visible(caller, id));
    const workspaceId = oneWorkspace(drafts);
    const { org, project_id } = drafts[0]!;
    const place = { workspaceId, org, projectId: project_id };
    const clean = note === null ? null : this.scrub(note);
    return this.#commit(caller, workspaceId, (database) => {
      // One that was approved before the setting forbade it is no better than one that is approved now.
      const { selfApproval } = this.#approver(caller);
      const isOwn = ({ id }: Draft) => {
        const { status, principal, decided_by } = draftById(database, id)!;
        return status === 'approved' && decided_by === principal;
      };
      if (!selfApproval && drafts.some(isOwn)) throw ownDraft();
      return publishDrafts(
        database,
        place,
        this.validators,
        drafts.map((draft) => draft.id),
        clean,
      );
    });
  }

  async rebase(
    caller: Caller,
    id: string,
    how: Pick<RebaseWish, 'take' | 'body'>,
  ): Promise<Draft & { rebased: boolean }> {
    const draft = this.#visible(caller, id);
    this.#requireDrafter(caller, draft);
    const body = how.body === undefined ? undefined : this.scrub(how.body);
    const wish = { take: how.take, body, mostBytes: this.config.limits.libraryFileBytes };
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const plan = planRebase(this.database, draft.id, wish);
      const { rebased, isOutdated } = await this.#commit(caller, draft.workspace_id, (database) =>
        rebaseDraft(database, draft.id, plan),
      );
      if (!isOutdated) return { ...this.#again(draft), rebased };
    }
    throw new InfoldError('conflict', 'The file is being published again and again; try again in a moment', {
      retryable: true,
    });
  }

  /** Publishes the content that a file had at an earlier revision. */
  async restore(caller: Caller, project: Project, target: string, revision: number): Promise<Publication> {
    requireScope(caller, 'review');
    const { workspace_id } = project;
    return this.#commit(caller, workspace_id, (database) => {
      const fileId = fileIdAtPath(database, workspace_id, target) ?? target;
      const change = restoreChange(database, workspace_id, fileId, revision);
      if (!change) throw revisionNotFound(target, revision, historyOf(database, workspace_id, fileId));
      const note = `Restored from revision ${revision}`;
      return publish(database, placeIn(caller, project), this.validators, {
        source: 'restore',
        changes: [change],
        note,
      });
    });
  }

  /** Publishes what `changesOf` finds to change, as one entry. */
  publishChanges(
    caller: Caller,
    project: Project,
    source: PublicationSource,
    changesOf: (database: Database) => Publication['changes'],
  ): Promise<Publication> {
    requireScope(caller, 'review');
    return this.#commit(caller, project.workspace_id, (database) =>
      publish(database, placeIn(caller, project), this.validators, { source, changes: changesOf(database) }),
    );
  }

  /** Publishes files that come from outside, and with them the caller's own drafts of the same content. */
  publishFiles(caller: Caller, project: Project, files: readonly IncomingFile[]): Promise<ImportedFiles> {
    requireScope(caller, 'review');
    return this.#commit(caller, project.workspace_id, (database) =>
      importFiles(database, placeIn(caller, project), caller.principal, this.validators, files),
    );
  }

  /** Several stagings as one entry. */
  stageAll(
    caller: Caller,
    project: Project,
    decide: (database: Database) => ReviewDecision<number>,
  ): Promise<number> {
    requireScope(caller, 'write');
    return this.#commit(caller, project.workspace_id, decide);
  }

  ensure(caller: Caller, project: ResolvedProject): Promise<Project> {
    checkNames(this.#scrubber, { project }, ['project.name', 'project.path']);
    return ensureProject(this.journal, caller, project);
  }

  /** Whether a file may have this path. */
  isClean(path: string): boolean {
    return identifiersOf(this.#scrubber).isClean(path);
  }

  /** What comes in other than through a tool is looked over here; when that fails nothing is stored. */
  scrub(text: string): string {
    return this.scrubCounted(text).text;
  }

  scrubCounted(text: string): { text: string; count: number } {
    return scrubText(this.#scrubber, text);
  }

  scrubValue<T>(value: T): { value: T; count: number } {
    return scrubValue(this.#scrubber, value);
  }

  #visible(caller: Caller, id: string): Draft {
    const draft = draftById(this.database, id);
    if (!draft || !maySee(caller, draft)) throw draftNotFound(id);
    return draft;
  }

  #approver({ principal }: Caller): Approver {
    return { principal, selfApproval: this.config.library.selfApproval !== false };
  }

  #requireDrafter(caller: Caller, draft: Draft): void {
    requireScope(caller, 'write');
    if (draft.principal !== caller.principal && !caller.scopes.includes('admin')) {
      throw new InfoldError('forbidden', 'Only its drafter can do this to a draft');
    }
  }

  #again(draft: Draft): Draft {
    return draftById(this.database, draft.id)!;
  }

  async #commit<Answer>(
    caller: Caller,
    workspaceId: string,
    decide: (database: Database) => ReviewDecision<Answer>,
  ): Promise<Answer> {
    const { answer } = await this.journal.commit({
      stream: libraryStream(workspaceId),
      actor: caller.actor,
      decide,
    });
    return answer;
  }
}

function oneWorkspace(drafts: readonly Draft[]): string {
  const [first] = drafts;
  if (!first) throw new InfoldError('invalid_arguments', 'Name one or more drafts');
  if (drafts.some((draft) => draft.workspace_id !== first.workspace_id)) {
    throw new InfoldError('invalid_arguments', 'Drafts that go together belong to one project');
  }
  return first.workspace_id;
}

function placeIn(caller: Caller, project: Project): Place {
  return { workspaceId: project.workspace_id, org: caller.org, projectId: project.id };
}
