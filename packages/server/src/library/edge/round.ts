import type { HubManifest, SyncReport } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import type { UploadConfig } from '../../kernel/hub-config.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import type { ChainPosition } from '../events.ts';
import { allFiles } from '../queries/files.ts';
import { type HubLink, hubLinks, type Joined, linkOfWorkspace, mirroredRevision } from '../queries/hub.ts';
import type { HubClient } from './client.ts';
import { mirrorLibrary, readManifest } from './down.ts';
import { type Reviewed, readReviews, sendDrafts } from './drafts.ts';
import { Sending } from './send.ts';
import type { EdgeState } from './state-file.ts';
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
    const concerns: EdgeState['concerns'] = [];
    const compared: HubLink[] = [];
    for (const link of links) {
      try {
        const heard = await this.#project(link, news[link.workspace_id]);
        if (heard === undefined) continue;
        news[link.workspace_id] = heard;
        compared.push(link);
      } catch (error) {
        // A hub that is away is away for all of them.
        if (!InfoldError.isInstance(error) || error.code === 'hub_unreachable') throw error;
        failures.push(error);
        const problem = `${link.hub_project}: ${error.message}`;
        this.#report.problems.push(problem);
        concerns.push({ problem, workspaces: [link.workspace_id] });
      }
    }
    const failure = failures.length === links.length ? failures[0] : undefined;
    // That it was restored is found out again for each project that was not compared.
    const missed = links.filter((link) => !compared.includes(link));
    const heads = Object.fromEntries(missed.map((link) => [link.workspace_id, this.#seen(link)]));
    const head = compared.length > 0 ? this.#head : this.#before.head;
    const state: EdgeState = {
      ...this.#before,
      ...{ state: 'current', problem: null, concerns, news, head, heads },
    };
    if (!this.#mayWrite) {
      Object.assign(state, { state: 'refused', problem: READ_ONLY });
      this.#report.problems.push(READ_ONLY);
      // Whatever is wrong with what comes down: what agents did goes up.
    } else if (this.#position !== undefined) Object.assign(state, await this.#send(this.#position, concerns));
    const { drafts, memory } = this.#report;
    // The position does not show that they arrived: the hub's journal as it is after them does.
    if (compared.length > 0 && drafts + memory > 0) state.head = await this.#headNow(compared[0]!);
    return { report: this.#report, state, failure };
  }

  async #send(told: ChainPosition | null, concerns: EdgeState['concerns']): Promise<Partial<EdgeState>> {
    const report = this.#report;
    const sending = new Sending(this.#work, this.#client, this.#joined, this.#upload, {
      before: this.#before,
      isRestored: report.restored,
    });
    const { sent, memory, problems, state, ...more } = await sending.run(told);
    Object.assign(report, { sent, memory });
    report.problems.push(...problems);
    concerns.push(...more.concerns);
    return state;
  }

  /** The end of the hub's journal when the project was last compared with it. */
  #seen({ workspace_id }: HubLink): ChainPosition | null {
    const { head, heads } = this.#before;
    return workspace_id in heads ? heads[workspace_id]! : head;
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
    const head = this.#seen(link);
    const read = () => {
      const isWhole = this.#report.restored;
      const since = isWhole ? 0 : (mirroredRevision(database, link.workspace_id)?.revision ?? 0);
      const query = { since, edge: work.edgeId, seen: head?.seq };
      return readManifest(this.#client, link, query, (first) => this.#hear(first));
    };
    let manifest = await read();
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
}

const READ_ONLY = 'The token has no scope "write": the library is copied, and nothing is sent';
