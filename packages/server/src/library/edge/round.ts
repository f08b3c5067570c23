import type { SyncReport } from '@infold/protocol';
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
import { readReviews, sendDrafts } from './drafts.ts';
import type { UploadSelection } from './select.ts';
import type { EdgeState } from './state-file.ts';
import { uploadJournal } from './up.ts';
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
  #position: ChainPosition | null | undefined;
  #head: ChainPosition | null = null;

  constructor(work: EdgeWork, client: HubClient, joined: Joined, upload: UploadConfig, before: EdgeState) {
    this.#work = work;
    this.#client = client;
    this.#joined = joined;
    this.#upload = upload;
    this.#before = before;
  }

  async run(): Promise<{ report: SyncReport; state: EdgeState }> {
    const { database } = this.#work.journal;
    const links = hubLinks(database).filter(({ hub_id }) => hub_id === this.#joined.hub_id);
    const news: Record<string, number> = { ...this.#before.news };
    const failures: InfoldError[] = [];
    for (const link of links) {
      try {
        news[link.workspace_id] = await this.#project(link, news[link.workspace_id]);
      } catch (error) {
        // A token that opens nothing, and a hub that is away, are the same for all of them.
        if (!InfoldError.isInstance(error) || error.code === 'hub_unreachable' || links.length === 1)
          throw error;
        failures.push(error);
        this.#report.problems.push(`${link.hub_project}: ${error.message}`);
      }
    }
    if (failures.length > 0 && failures.length === links.length) throw failures[0]!;
    const state: EdgeState = { ...this.#before, state: 'current', problem: null, news, head: this.#head };
    if (this.#mayWrite) Object.assign(state, await this.#send());
    else {
      Object.assign(state, { state: 'refused', problem: READ_ONLY });
      this.#report.problems.push(READ_ONLY);
    }
    return { report: this.#report, state };
  }

  async #project(link: HubLink, heard: number | undefined): Promise<number> {
    const work = this.#work;
    const { database } = work.journal;
    const read = () => {
      const isWhole = this.#report.restored;
      const since = isWhole ? 0 : (mirroredRevision(database, link.workspace_id)?.revision ?? 0);
      return readManifest(this.#client, link, { since, edge: work.edgeId, seen: this.#before.head?.seq });
    };
    let manifest = await read();
    const { head } = this.#before;
    // Its journal is not the one that was seen before: nothing that it had then is taken for granted.
    if (head && manifest.seen !== head.hash && !this.#report.restored) {
      this.#report.restored = true;
      manifest = await read();
    }
    this.#head = manifest.hub.head;
    this.#mayWrite &&= manifest.hub.scopes.includes('write');
    this.#position ??= manifest.position;
    let published: string[] = [];
    if (manifest.news !== heard || this.#report.restored) {
      const reviewed = await readReviews(work, this.#client, link);
      this.#report.reviews += reviewed.count + reviewed.published.length;
      published = reviewed.published;
      // The manifest may be older than the publication that was just heard of.
      if (published.length > 0) manifest = await read();
    }
    const { changed, revision } = await mirrorLibrary(work, this.#client, link, manifest, published);
    this.#report.projects.push({ project: link.hub_project, revision, changed });
    if (this.#mayWrite) this.#report.drafts += await sendDrafts(work, this.#client, link);
    return manifest.news;
  }

  /** A history that changed stops the sending, not the copy. */
  async #send(): Promise<Partial<EdgeState>> {
    const { from_seq, from_hash } = this.#joined;
    const position = this.#position ?? { seq: from_seq, hash: from_hash };
    const { looked, position: last } = this.#before;
    const begin = { position, looked: last === position.seq ? looked : position.seq };
    const selection = selectionFor(this.#work.journal.database, this.#upload);
    try {
      const done = await uploadJournal(this.#work, this.#client, selection, begin);
      this.#report.sent = done.sent;
      this.#report.memory = done.memory;
      if (done.refused.length > 0) {
        const { length, 0: first } = done.refused;
        this.#report.problems.push(`The hub did not take ${length} memory items: ${oneLine(first!)}`);
      }
      return { position: done.position.seq, looked: done.looked };
    } catch (error) {
      if (!InfoldError.isInstance(error) || error.code === 'hub_unreachable') throw error;
      this.#report.problems.push(error.message);
      const state = error.code === 'hub_refused' ? 'refused' : 'stopped';
      return {
        state,
        problem: `Nothing is sent: ${error.message}`,
        position: position.seq,
        looked: begin.looked,
      };
    }
  }
}

const READ_ONLY = 'The token has no scope "write": the library is copied, and nothing is sent';
