import { join } from 'node:path';
import type { EdgeStatus, SyncReport } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import { withFileLock } from '../../journal/file-lock.ts';
import type { Journal } from '../../journal/journal.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { projectById } from '../../trust/identity/queries.ts';
import { allFiles } from '../queries/files.ts';
import {
  heldParts,
  hubLinks,
  type Joined,
  joinedHub,
  linkOfWorkspace,
  mirroredRevision,
} from '../queries/hub.ts';
import { HubClient } from './client.ts';
import {
  type Credentials,
  credentialsIn,
  forgetCredentials,
  keepCredentials,
  plainUrl,
  refuseOpenWay,
} from './credentials.ts';
import { countUnsentDrafts } from './drafts.ts';
import { becomeEdge, chooseProject, endEdge, type Hub, linkTo } from './links.ts';
import { ofLocalProject, Round } from './round.ts';
import type { UploadSelection } from './select.ts';
import { beside, lineName, only, reachedBy, selectionFor } from './send.ts';
import { type EdgeState, NO_STATE, readState, writeState } from './state-file.ts';
import { countWaiting } from './up.ts';
import type { EdgeWork } from './work.ts';

export interface EdgeParts {
  journal: Journal;
  clock: Clock;
  scrubber: Scrubber;
  config: Config;
}

declare module '../../call/parts.ts' {
  interface Parts {
    /** This data folder as an edge of a hub, where it is one. */
    edge: Edge;
  }
}

/** How long a copy is taken for current without saying how old it is. */
const FRESH = 15 * 60_000;
/** How long a person waits for another process that is synchronising. */
const PATIENCE = 30_000;
const MOST_COUNTED = 100_000;

/** A data folder as an edge: what it has of its hub, and what it owes it. */
export class Edge {
  readonly #parts: EdgeParts;
  readonly #closing = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: EdgeParts) {
    this.#parts = parts;
  }

  get #data(): string {
    return this.#parts.config.data;
  }

  /** Whether there is a hub to speak to. */
  get isConfigured(): boolean {
    return credentialsIn(this.#parts.config) !== undefined;
  }

  get state(): EdgeState {
    return readState(this.#data);
  }

  async join(wish: {
    url: string;
    token: string | undefined;
    project: string | undefined;
    to: string | undefined;
  }) {
    const { journal, config } = this.#parts;
    const url = plainUrl(wish.url);
    refuseOpenWay(url, config.hub);
    // Who names it here means it.
    const kept = credentialsIn({ ...config, hub: { ...config.hub, url, isForeignUrl: false } });
    const credentials = { url, token: wish.token ?? kept?.token };
    return this.#alone(PATIENCE, async () => {
      const client = this.#client(credentials);
      const { name, files } = ofLocalProject(journal.database, wish.project);
      const { projects } = await client.projects();
      const there = chooseProject(projects, { to: wish.to, name });
      const hub = await this.#hubAt(client, url, there.id);
      const joined = joinedHub(journal.database);
      if (joined && joined.hub_id !== hub.id) {
        throw new InfoldError(
          'conflict',
          `This data folder is an edge of ${joined.url}; "infold hub leave" comes first`,
        );
      }
      keepCredentials(this.#data, credentials);
      await this.#become(client, hub, there.id);
      await linkTo({ journal }, hub, wish.project, there);
      writeState(this.#data, { ...this.state, state: 'never', problem: null });
      const synced = await this.#round(credentials);
      return { synced, status: (await this.status())!, set_aside: files };
    });
  }

  async leave() {
    const { journal } = this.#parts;
    return this.#alone(PATIENCE, async () => {
      const joined = joinedHub(journal.database);
      const unsent = joined ? (await this.#waiting(joined, this.state)).waiting : 0;
      const projects = await endEdge({ journal });
      forgetCredentials(this.#data);
      // Who joins again under another name goes on from there.
      const { line, position, lines } = this.state;
      writeState(this.#data, { ...NO_STATE, line, position, lines });
      return { url: joined?.url ?? null, projects: projects.map(({ name }) => name), unsent };
    });
  }

  /** A round now, whatever happened before. `project` is the one that this process works for. */
  async sync(project?: string): Promise<SyncReport> {
    const credentials = credentialsIn(this.#parts.config);
    if (!credentials) {
      throw new InfoldError(
        'invalid_arguments',
        'This data folder has no hub; "infold hub join URL" gives it one',
      );
    }
    return this.#alone(PATIENCE, () => this.#round(credentials, project));
  }

  /** A round if none was tried for `pause` milliseconds, by any process; undefined where another one is at it. */
  async syncIfDue(pause: number, project: string | undefined): Promise<SyncReport | undefined> {
    const credentials = credentialsIn(this.#parts.config);
    if (!credentials) return undefined;
    const done = await this.#locked(0, async () => {
      const { tried_at, not_before } = this.state;
      const since = this.#parts.clock() - (tried_at ?? 0);
      const due = Math.max(pause, (not_before ?? 0) - (tried_at ?? 0));
      // A time ahead of the clock was written by a clock that was wrong.
      return since >= 0 && since < due ? undefined : this.#round(credentials, project);
    });
    return done?.result;
  }

  /** Ends what is under way; what was not sent is sent by the next process. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running.catch(() => {});
  }

  /** What who reads the library should know: how old the copy is. */
  notice(workspaceId: string): string | undefined {
    const { journal, clock } = this.#parts;
    const link = linkOfWorkspace(journal.database, workspaceId);
    if (!link) return undefined;
    const { synced_at } = this.state;
    const problem = problemFor(workspaceId, this.state);
    const age = clock() - (synced_at ?? 0);
    if (synced_at !== null && age >= 0 && age <= FRESH && problem === null) return undefined;
    const why = problem === null ? '' : ` ${problem}`;
    if (synced_at === null || !mirroredRevision(journal.database, workspaceId)) {
      return `The library of the hub ${link.hub_url} has not arrived yet.${why}`;
    }
    return `This library is a copy of the hub's, as it was ${spoken(age)} ago (${isoTime(synced_at)}).${why}`;
  }

  async status(): Promise<EdgeStatus | null> {
    const { journal, config } = this.#parts;
    const { database } = journal;
    const joined = joinedHub(database);
    const credentials = credentialsIn(config);
    if (!joined && !credentials) return null;
    const state = this.state;
    const links = hubLinks(database);
    const { upload } = config.hub;
    return {
      id: joined?.edge_id ?? '',
      url: joined?.url ?? credentials!.url,
      org: joined?.org ?? '',
      principal: joined?.principal ?? '',
      state: state.state,
      problem: state.problem,
      synced_at: state.synced_at === null ? null : isoTime(state.synced_at),
      tried_at: state.tried_at === null ? null : isoTime(state.tried_at),
      projects: links.map(({ org, project_id, workspace_id, hub_project }) => ({
        project: projectById(database, org, project_id)?.name ?? project_id,
        hub_project,
        revision: mirroredRevision(database, workspace_id)?.revision ?? null,
        files: allFiles(database, workspace_id).length,
      })),
      upload: {
        ...{ what: upload.what, projects: upload.projects ?? null, without: upload.without },
        position: state.position,
        ...(joined ? await this.#waiting(joined, state) : { waiting: 0, held: [] }),
      },
      drafts_waiting: links.reduce((sum, link) => sum + countUnsentDrafts(database, link.workspace_id), 0),
    };
  }

  /** How many entries wait, and those among them that the hub does not take. */
  async #waiting(joined: Joined, state: EdgeState): Promise<Pick<EdgeStatus['upload'], 'waiting' | 'held'>> {
    const { journal, config } = this.#parts;
    const { database } = journal;
    const selection = selectionFor(database, config.hub.upload);
    const parts = heldParts(database, joined.edge_id);
    const count = (selected: UploadSelection, after: number) =>
      countWaiting({ journal }, selected, after, MOST_COUNTED);
    const after = Math.max(state.position ?? joined.from_seq, state.looked);
    let waiting = await count(beside(selection, parts), after);
    const held: EdgeStatus['upload']['held'] = [];
    for (const part of parts) {
      const its = only(selection, part);
      const [link] = [...its.byWorkspace.values(), ...its.byProject.values()];
      if (!link) continue;
      const entries = await count(its, reachedBy(part, state));
      const problem = state.lines[lineName(part)]?.problem ?? null;
      waiting += entries;
      if (problem !== null)
        held.push({ project: link.hub_project, what: part.what, waiting: entries, problem });
    }
    return { waiting, held };
  }

  #client(credentials: Credentials): HubClient {
    return new HubClient(credentials, this.#parts.config.limits, this.#closing.signal);
  }

  async #hubAt(client: HubClient, url: string, project: string): Promise<Hub> {
    const { hub } = await client.manifest({ project, since: 0, limit: 1 });
    return { id: hub.id, url, org: hub.org, principal: hub.principal };
  }

  #become(client: HubClient, hub: Hub, project: string): Promise<Joined> {
    const ask = (edge: string) => client.manifest({ project, since: 0, limit: 1, edge });
    return becomeEdge(this.#parts, hub, async (edge) => (await ask(edge)).position, this.state);
  }

  /** Joins where the configuration names a hub, and links what it names. */
  async #prepare(client: HubClient, { url }: Credentials, project: string | undefined): Promise<string[]> {
    const { journal, config } = this.#parts;
    const { database } = journal;
    const wishes = Object.entries(config.hub.projects).map(([spec, to]) => ({
      spec,
      to: to as string | undefined,
    }));
    if (project !== undefined && config.hub.url !== undefined) wishes.push({ spec: project, to: undefined });
    const linked = new Set(hubLinks(database).map(({ project_id }) => project_id));
    const open = wishes.filter(({ spec }) => !linked.has(ofLocalProject(database, spec).id));
    if (open.length === 0) return [];
    const { projects } = await client.projects();
    const problems: string[] = [];
    for (const { spec, to } of open) {
      try {
        const there = chooseProject(projects, { to, name: ofLocalProject(database, spec).name });
        const hub = await this.#hubAt(client, url, there.id);
        const joined = joinedHub(database);
        if (joined && joined.hub_id !== hub.id) {
          throw new InfoldError(
            'conflict',
            `This data folder is an edge of ${joined.url}; "infold hub leave" comes first`,
          );
        }
        await this.#become(client, hub, there.id);
        await linkTo({ journal }, hub, spec, there);
      } catch (error) {
        if (!InfoldError.isInstance(error) || !['project_not_found', 'conflict'].includes(error.code))
          throw error;
        problems.push(error.message);
      }
    }
    return problems;
  }

  async #round(credentials: Credentials, project?: string): Promise<SyncReport> {
    const { journal, clock, config, scrubber } = this.#parts;
    const before = this.state;
    const tried_at = clock();
    const client = this.#client(credentials);
    let reached = before;
    try {
      refuseOpenWay(credentials.url, config.hub);
      const problems = await this.#prepare(client, credentials, project);
      const joined = joinedHub(journal.database);
      if (!joined)
        throw new InfoldError(
          'project_not_found',
          problems[0] ?? 'No project is linked; run "infold hub join"',
        );
      const work: EdgeWork = { journal, clock, scrubber, limits: config.limits, edgeId: joined.edge_id };
      const round = new Round(work, client, joined, config.hub.upload, before);
      const { report, state, failure } = await round.run();
      reached = state;
      if (failure) throw failure;
      report.problems.unshift(...problems);
      writeState(this.#data, {
        ...state,
        ...{ tried_at, synced_at: tried_at, failures: 0, not_before: null },
        ...(report.problems.length > 0 && state.problem === null && { problem: report.problems[0]! }),
      });
      return { ...report, bytes: client.bytes };
    } catch (error) {
      // Who is closing has not learnt anything about the hub.
      if (!this.#closing.signal.aborted) {
        writeState(this.#data, {
          ...reached,
          ...{
            tried_at,
            failures: before.failures + 1,
            state: stateAfter(error),
            problem: messageOf(error),
            concerns: [],
          },
          not_before: tried_at + pauseAsked(error),
        });
      }
      throw error;
    }
  }

  async #alone<T>(wait: number, work: () => Promise<T>): Promise<T> {
    const done = await this.#locked(wait, work);
    if (done) return done.result;
    throw new InfoldError('journal_busy', 'Another process is synchronising this data folder; try again', {
      retryable: true,
    });
  }

  #locked<T>(wait: number, work: () => Promise<T>): Promise<{ result: T } | undefined> {
    const running = withFileLock(join(this.#data, 'hub.lock'), wait, work);
    this.#running = running;
    return running;
  }
}

/** What is wrong for who works in a workspace: what is wrong with another one alone is not their affair. */
function problemFor(workspaceId: string, { state, problem, concerns }: EdgeState): string | null {
  const own = concerns.find(({ workspaces }) => workspaces.includes(workspaceId));
  const isOfOthers = concerns.some((one) => one.problem === problem) && own === undefined;
  return state === 'current' && isOfOthers ? null : (own?.problem ?? problem);
}

function stateAfter(error: unknown): EdgeState['state'] {
  const code = InfoldError.isInstance(error) ? error.code : '';
  if (code === 'hub_refused' || code === 'project_denied') return 'refused';
  return code === 'hub_unreachable' || code === 'journal_busy' ? 'offline' : 'stopped';
}

/** However long a hub asks for: it is asked again, as after failures. */
export const LONGEST_PAUSE = 15 * 60_000;

function pauseAsked(error: unknown): number {
  const seconds = InfoldError.isInstance(error) ? (error.retryAfter ?? 0) : 0;
  return Math.min(seconds * 1000, LONGEST_PAUSE);
}

function spoken(milliseconds: number): string {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  if (minutes < 120) return `${minutes} minute${minutes === 1 ? '' : 's'}`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
