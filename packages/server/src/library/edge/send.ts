import { InfoldError } from '../../kernel/errors.ts';
import type { UploadConfig } from '../../kernel/hub-config.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { projectById } from '../../trust/identity/queries.ts';
import { hubStream } from '../../trust/streams.ts';
import type { ChainPosition } from '../events.ts';
import { lineOf } from '../hub/line.ts';
import { type HeldPart, type HubLink, heldParts, hubLinks, type Joined } from '../queries/hub.ts';
import { type HubClient, oneLine } from './client.ts';
import type { UploadSelection } from './select.ts';
import type { EdgeState } from './state-file.ts';
import { type HeldUp, type Upload, uploadJournal } from './up.ts';
import type { EdgeWork } from './work.ts';

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

type Links = UploadSelection['byProject'];

const linksWhere = (links: Links, isMeant: (project: string) => boolean): Links =>
  new Map([...links].filter(([, { hub_project_id }]) => isMeant(hub_project_id)));

/** All but what goes apart. */
export function beside(selection: UploadSelection, parts: readonly HeldPart[]): UploadSelection {
  const isBeside = (what: HeldPart['what']) => (project: string) =>
    !parts.some((part) => part.what === what && part.project_id === project);
  return {
    ...selection,
    byWorkspace: linksWhere(selection.byWorkspace, isBeside('evidence')),
    byProject: linksWhere(selection.byProject, isBeside('memory')),
  };
}

/** What goes apart, alone. */
export function only(selection: UploadSelection, { what, project_id }: HeldPart): UploadSelection {
  const isIt = (which: HeldPart['what']) => (project: string) => which === what && project === project_id;
  return {
    ...selection,
    byWorkspace: linksWhere(selection.byWorkspace, isIt('evidence')),
    byProject: linksWhere(selection.byProject, isIt('memory')),
  };
}

/** The name of a part in the state of the edge; of evidence also the id that the hub knows it by. */
export function lineName({ edge_id, what, project_id }: HeldPart): string {
  const line = lineOf(edge_id, project_id);
  return what === 'evidence' ? line : `${what} ${line}`;
}

/** Up to where a part was sent or passed over, as far as it is known here. */
export function reachedBy(part: HeldPart, { lines }: Pick<EdgeState, 'lines'>): number {
  const { position, looked } = lines[lineName(part)] ?? { position: 0, looked: 0 };
  return Math.max(part.from_seq, position, looked);
}

interface Sent {
  sent: number;
  memory: number;
  problems: string[];
  concerns: EdgeState['concerns'];
  state: Partial<EdgeState>;
}

/**
 * Sends what waits. Where the hub does not take the evidence or the memory of one project, that goes apart from then on, each on a line
 * of its own: the rest passes it by, nothing of it is left out, and the hub has a position of the edge's chain for each line.
 */
export class Sending {
  readonly #work: EdgeWork;
  readonly #client: HubClient;
  readonly #joined: Joined;
  readonly #before: EdgeState;
  readonly #isRestored: boolean;
  readonly #selection: UploadSelection;
  readonly #problems: string[] = [];
  readonly #concerns: EdgeState['concerns'] = [];
  #sent = 0;
  #memory = 0;

  constructor(
    work: EdgeWork,
    client: HubClient,
    joined: Joined,
    upload: UploadConfig,
    { before, isRestored }: { before: EdgeState; isRestored: boolean },
  ) {
    this.#work = work;
    this.#client = client;
    this.#joined = joined;
    this.#before = before;
    // Memory is sent without moving a position: a hub that was restored may have lost it all the same.
    this.#isRestored = isRestored;
    this.#selection = selectionFor(work.journal.database, upload);
  }

  async run(told: ChainPosition | null): Promise<Sent> {
    const { edge_id, from_seq, from_hash } = this.#joined;
    const done = this.#begin(told ?? { seq: from_seq, hash: from_hash }, this.#before);
    const trouble = await this.#attempt(done, async () => {
      for (;;) {
        const refusal = await uploadJournal(this.#work, this.#client, this.#beside(), from_seq, done);
        if (!refusal) return;
        await this.#hold(refusal, done);
      }
    });
    if (trouble) this.#problems.push(trouble.message);
    const lines: EdgeState['lines'] = {};
    for (const part of this.#held()) lines[lineName(part)] = await this.#sendPart(part);
    const state: Partial<EdgeState> = {
      ...(trouble && {
        state: trouble.code === 'hub_refused' ? ('refused' as const) : ('stopped' as const),
        problem: `Nothing is sent: ${trouble.message}`,
      }),
      ...{ line: edge_id, position: done.position.seq, looked: done.looked, lines },
    };
    return {
      ...{ sent: this.#sent, memory: this.#memory, state },
      ...{ problems: this.#problems, concerns: this.#concerns },
    };
  }

  #held(): HeldPart[] {
    return heldParts(this.#work.journal.database, this.#joined.edge_id);
  }

  #beside(): UploadSelection {
    return beside(this.#selection, this.#held());
  }

  #begin(position: ChainPosition, before: { position: number | null; looked: number } | undefined): Upload {
    const isLooked = before?.position === position.seq && !this.#isRestored;
    return {
      ...{ position, looked: isLooked ? before.looked : position.seq },
      ...{ sent: 0, memory: 0, refused: [], withheld: [] },
    };
  }

  /** A history that changed stops the sending, not the copy. A hub that is away ends the round. */
  async #attempt(done: Upload, work: () => Promise<void>): Promise<InfoldError | undefined> {
    let trouble: InfoldError | undefined;
    try {
      await work();
    } catch (error) {
      if (!InfoldError.isInstance(error) || error.code === 'hub_unreachable') throw error;
      trouble = error;
    }
    this.#sent += done.sent;
    this.#memory += done.memory;
    const say = (what: string, reasons: readonly string[]) => {
      if (reasons.length > 0) this.#problems.push(`${reasons.length} ${what}: ${oneLine(reasons[0]!)}`);
    };
    say('memory items were not taken by the hub', done.refused);
    say('entries stay here, and the hub has nothing of what they say', done.withheld);
    return trouble;
  }

  /** Durable before anything goes past it. */
  async #hold({ what, project }: HeldUp, done: Upload): Promise<void> {
    const { journal } = this.#work;
    const { edge_id, from_seq } = this.#joined;
    const seq = Math.max(from_seq, what === 'evidence' ? done.position.seq : done.looked);
    const data = { edge_id, what, project_id: project, from: { seq, hash: journal.hashAt(seq)! } };
    await journal.commit({
      stream: hubStream(localOwner.org, edge_id),
      actor: localOwner.actor,
      decide: () => ({ events: [{ type: 'hub.held', data }], answer: null }),
    });
  }

  async #sendPart(part: HeldPart): Promise<EdgeState['lines'][string]> {
    const { what, project_id, edge_id, from_seq, from_hash } = part;
    const before = this.#before.lines[lineName(part)];
    const selection = only(this.#selection, part);
    const links = [...selection.byWorkspace.values(), ...selection.byProject.values()];
    const [link] = links;
    const known = before ?? { position: from_seq, looked: from_seq, problem: null };
    // No longer selected: it waits where it is.
    if (!link) return known;
    const line = lineOf(edge_id, project_id);
    const done = this.#begin({ seq: from_seq, hash: from_hash }, before);
    let refusal: HeldUp | undefined;
    // Whatever the hub has of a project that it does not open: it does not say.
    let isTold = what === 'memory';
    const trouble = await this.#attempt(done, async () => {
      if (what === 'evidence') {
        const told = await this.#client.manifest({ project: project_id, since: 0, edge: line, limit: 1 });
        Object.assign(done, this.#begin(told.position ?? done.position, before));
        isTold = true;
      }
      const work = { ...this.#work, edgeId: line };
      refusal = await uploadJournal(work, this.#client, selection, from_seq, done);
    });
    const problem = refusal?.problem ?? trouble?.message ?? null;
    if (problem !== null) {
      const told = `The ${what} of ${link.hub_project} waits here: ${problem}`;
      this.#problems.push(told);
      this.#concerns.push({ problem: told, workspaces: links.map(({ workspace_id }) => workspace_id) });
    }
    return isTold ? { position: done.position.seq, looked: done.looked, problem } : { ...known, problem };
  }
}
