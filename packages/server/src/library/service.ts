import type { Journal } from '../journal/journal.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { requireScope } from '../trust/access.ts';
import type { Caller } from '../trust/caller.ts';
import type { Project } from '../trust/identity/queries.ts';
import { ensureProject, type ResolvedProject } from '../trust/projects.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import { scrubText, scrubValue } from '../trust/scrubbing.ts';
import { libraryStream } from '../trust/streams.ts';
import {
  type FileValidator,
  type Place,
  type Publication,
  publish,
  publishDrafts,
  restoreChange,
} from './commands/publish.ts';
import {
  commentDraft,
  decideDraft,
  planRebase,
  type RebaseWish,
  type ReviewDecision,
  rebaseDraft,
  submitDraft,
} from './commands/review.ts';
import { draftNotFound } from './errors.ts';
import type { PublicationSource } from './events.ts';
import { type Draft, draftById, maySee, nobody } from './queries/drafts.ts';
import { fileIdAtPath } from './queries/files.ts';
import { type Item, type ItemFilter, listItems } from './queries/items.ts';
import { type Proposal, person, stage } from './staging.ts';

export interface LibraryParts {
  journal: Journal;
  config: Config;
  scrubber: Scrubber;
  validators?: readonly FileValidator[];
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
    const { value, count } = this.scrubValue(proposal);
    const { journal, config } = this;
    return stage({ journal, config, caller }, project, value, { ...person, secrets: count });
  }

  /** The drafter's own, or an administrator's, doing. */
  async submit(caller: Caller, id: string): Promise<Draft> {
    const draft = this.#visible(caller, id);
    this.#requireDrafter(caller, draft);
    await this.#commit(caller, draft.workspace_id, (database) => submitDraft(database, draft.id, null));
    return this.#again(draft);
  }

  async comment(caller: Caller, id: string, text: string): Promise<Draft> {
    requireScope(caller, 'write');
    const draft = this.#visible(caller, id);
    const clean = this.scrub(text);
    await this.#commit(caller, draft.workspace_id, (database) => commentDraft(database, draft.id, clean));
    return this.#again(draft);
  }

  async decide(caller: Caller, id: string, step: 'approve' | 'decline', note: string | null): Promise<Draft> {
    requireScope(caller, 'review');
    const draft = this.#visible(caller, id);
    const clean = note === null ? null : this.scrub(note);
    await this.#commit(caller, draft.workspace_id, (database) =>
      decideDraft(database, draft.id, step, clean),
    );
    return this.#again(draft);
  }

  /** All of them in one step, or none. */
  async publish(caller: Caller, ids: readonly string[], note: string | null): Promise<Publication> {
    requireScope(caller, 'review');
    const drafts = ids.map((id) => this.#visible(caller, id));
    const [first] = drafts;
    if (!first) throw new InfoldError('invalid_arguments', 'Name the drafts to publish');
    if (drafts.some((draft) => draft.workspace_id !== first.workspace_id)) {
      throw new InfoldError('invalid_arguments', 'Drafts that are published together belong to one project');
    }
    const place = { workspaceId: first.workspace_id, org: first.org, projectId: first.project_id };
    const clean = note === null ? null : this.scrub(note);
    return this.#commit(caller, first.workspace_id, (database) =>
      publishDrafts(
        database,
        place,
        this.validators,
        drafts.map((draft) => draft.id),
        clean,
      ),
    );
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
      if (!change) {
        throw new InfoldError('not_found', `There was no ${target.slice(0, 200)} at revision ${revision}`);
      }
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
    return ensureProject(this.journal, caller, project);
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

function placeIn(caller: Caller, project: Project): Place {
  return { workspaceId: project.workspace_id, org: caller.org, projectId: project.id };
}
