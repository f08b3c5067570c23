import type { HubManifest, SyncReport } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import type { UploadConfig } from '../../kernel/hub-config.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { projectById } from '../../trust/identity/queries.ts';
import type { ChainPosition } from '../events.ts';
import { allFiles } from '../queries/files.ts';
import { type HubLink, hubLinks, type Joined, linkOfWorkspace, mirroredRevision } from '../queries/hub.ts';
import { type HubClient, oneLine } from './client.ts';
import { mirrorLibrary, readManifest } from './down.ts';
import { type Reviewed, readReviews, sendDrafts } from './drafts.ts';
import type { UploadSelection } from './select.ts';
import type { EdgeState } from './state-file.ts';
import { type Upload, uploadJournal } from './up.ts';
import type { EdgeWork } from './work.ts';

/** A local project, and how many files its own library has. */
export function ofLocalProject(
  database: Database,
  spec: string | undefined,
): { id: string; name: string; files: number } {
  const { id, name, workspace_id } = resolveProject(database, localOwner, spec);
  const isLinked = linkOfWorkspace(database, workspace_id) !== undefined;
  return { id, name, files: isLinked ? 0 : allFiles(database, workspace_id).length };
}

/** What `hub.upload` selects, of the projects that are linked. */
export function selectionFor(database: Database, upload: UploadConfig): UploadSelection {
  const isMeant = ({ org, project_id, hub_project, hub_project_id }: HubLink) => {
    const project = projectById(database, org, project_id);
    const names = [project_id, project?.name, project?.path, hub_project, hub_project_id];
    return upload.projects?.some((wanted) => names.includes(wanted)) ?? true;
  };
  const links = hubLinks(database).filter(isMeant);
  return {
    upload,
    byWorkspace: new Map(links.map((link) => [link.workspace_id, link])),
    byProject: new Map(links.map((link) => [link.project_id, link])),
  };
}

/** One time down and up. What is wrong with one project does not keep the others back. */
export class Round {
  readonly #work: EdgeWork;
  readonly #client: HubClient;
  readonly #joined: Joined;
  readonly #upload: UploadConfig;
  readonly #before: EdgeState;
  readonly #report: SyncReport = {
    ...{ projects: [], sent: 0, memory: 0, drafts: 0, reviews: 0, restored: false },
    ...{ bytes: 0, problems: [] },
  };
  #mayWrite = true;
  /** What the hub has of this edge's journal; undefined before it has said anything. */
  #position: ChainPosition | null | undefined;
  #head: ChainPosition | null = null;

  constructor(work: EdgeWork, client: HubClient, joined: Joined, upload: UploadConfig, before: EdgeState) {
    this.#work = work;
    this.#client = client;
    this.#joined = joined;
    this.#upload = upload;
    this.#before = before;
  }

  /** The failure is there where nothing came down. */
  async run(): Promise<{ report: SyncReport; state: EdgeState; failure: InfoldError | undefined }> {
    const { database } = this.#work.journal;
    const links = hubLinks(database).filter(({ hub_id }) => hub_id === this.#joined.hub_id);
    const news: Record<string, number> = { ...this.#before.news };
    const failures: InfoldError[] = [];
    let isComplete = true;
    for (const link of links) {
      try {
        const heard = await this.#project(link, news[link.workspace_id]);
        if (heard === undefined) isComplete = false;
        else news[link.workspace_id] = heard;
      } catch (error) {
        // A hub that is away is away for all of them.
        if (!InfoldError.isInstance(error) || error.code === 'hub_unreachable') throw error;
        failures.push(error);
        isComplete = false;
        this.#report.problems.push(`${link.hub_project}: ${error.message}`);
      }
    }
    const failure = failures.length === links.length ? failures[0] : undefined;
    // That it was restored is found out again until everything was compared.
    const head = isComplete ? this.#head : this.#before.head;
    const state: EdgeState = { ...this.#before, state: 'current', problem: null, news, head };
    if (!this.#mayWrite) {
      Object.assign(state, { state: 'refused', problem: READ_ONLY });
      this.#report.problems.push(READ_ONLY);
      // Whatever is wrong with what comes down: what agents did goes up.
    } else if (this.#position !== undefined) Object.assign(state, await this.#send(this.#position));
    const { drafts, memory } = this.#report;
    // The position does not show that they arrived: the hub's journal as it is after them does.
    if (isComplete && drafts + memory > 0) state.head = await this.#headNow(links[0]!);
    return { report: this.#report, state, failure };
  }

  async #headNow({ hub_project_id, workspace_id }: HubLink): Promise<ChainPosition> {
    const since = mirroredRevision(this.#work.journal.database, workspace_id)?.revision ?? 0;
    return (await this.#client.manifest({ project: hub_project_id, since, limit: 1 })).hub.head;
  }

  /** How far the hub is, what the token may do there, and what it has of this journal. */
  #hear({ hub, position }: Pick<HubManifest, 'hub' | 'position'>): void {
    this.#head = hub.head;
    this.#mayWrite &&= hub.scopes.includes('write');
    this.#position ??= position;
  }

  /** Answers up to where the word on its drafts was heard; undefined where some of it could not be. */
  async #project(link: HubLink, heard: number | undefined): Promise<number | undefined> {
    const work = this.#work;
    const { problems } = this.#report;
    const { database } = work.journal;
    const read = () => {
      const isWhole = this.#report.restored;
      const since = isWhole ? 0 : (mirroredRevision(database, link.workspace_id)?.revision ?? 0);
      const query = { since, edge: work.edgeId, seen: this.#before.head?.seq };
      return readManifest(this.#client, link, query, (first) => this.#hear(first));
    };
    let manifest = await read();
    const { head } = this.#before;
    // Its journal is not the one that was seen before: nothing that it had then is taken for granted.
    if (head && manifest.seen !== head.hash && !this.#report.restored) {
      this.#report.restored = true;
      manifest = await read();
    }
    let reviewed: Reviewed = { count: 0, published: [], problems: [] };
    if (manifest.news !== heard || this.#report.restored) {
      reviewed = await readReviews(work, this.#client, link);
      this.#report.reviews += reviewed.count + reviewed.published.length;
      problems.push(...reviewed.problems);
    }
    // Before the library: a copy that is refused keeps no draft back.
    if (this.#mayWrite) {
      const sent = await sendDrafts(work, this.#client, link);
      this.#report.drafts += sent.count;
      problems.push(...sent.problems);
    }
    const { published } = reviewed;
    // The manifest may be older than the publication that was just heard of.
    if (published.length > 0) manifest = await read();
    const { changed, revision } = await mirrorLibrary(work, this.#client, link, manifest, published);
    this.#report.projects.push({ project: link.hub_project, revision, changed });
    return reviewed.problems.length > 0 ? undefined : manifest.news;
  }

  /** A history that changed stops the sending, not the copy. */
  async #send(told: ChainPosition | null): Promise<Partial<EdgeState>> {
    const { edge_id, from_seq, from_hash } = this.#joined;
    const position = told ?? { seq: from_seq, hash: from_hash };
    const { looked, position: last } = this.#before;
    // Memory is sent without moving the position: a hub that was restored may have lost it all the same.
    const isLooked = last === position.seq && !this.#report.restored;
    const done: Upload = {
      ...{ position, looked: isLooked ? looked : position.seq },
      ...{ sent: 0, memory: 0, refused: [], withheld: [] },
    };
    const selection = selectionFor(this.#work.journal.database, this.#upload);
    const { problems } = this.#report;
    let trouble: Partial<EdgeState> = {};
    try {
      await uploadJournal(this.#work, this.#client, selection, from_seq, done);
    } catch (error) {
      if (!InfoldError.isInstance(error) || error.code === 'hub_unreachable') throw error;
      problems.push(error.message);
      const state = error.code === 'hub_refused' ? 'refused' : 'stopped';
      trouble = { state, problem: `Nothing is sent: ${error.message}` };
    }
    Object.assign(this.#report, { sent: done.sent, memory: done.memory });
    const say = (what: string, reasons: readonly string[]) => {
      if (reasons.length > 0) problems.push(`${reasons.length} ${what}: ${oneLine(reasons[0]!)}`);
    };
    say('memory items were not taken by the hub', done.refused);
    say('entries stay here, and the hub has nothing of what they say', done.withheld);
    return { ...trouble, line: edge_id, position: done.position.seq, looked: done.looked };
  }
}

const READ_ONLY = 'The token has no scope "write": the library is copied, and nothing is sent';
