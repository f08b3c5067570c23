import { InfoldError } from '../../kernel/errors.ts';
import { digestHex, randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { linkProject } from '../../trust/identity/commands.ts';
import { ensureProject, resolveProject } from '../../trust/identity/projects.ts';
import { type Project, projectById } from '../../trust/identity/queries.ts';
import { accessStream, hubStream } from '../../trust/streams.ts';
import type { ChainPosition } from '../events.ts';
import { everJoined, type HubLink, heldParts, hubLinks, type Joined, joinedHub } from '../queries/hub.ts';
import { oneLine } from './client.ts';
import { reachedBy } from './send.ts';
import type { EdgeState } from './state-file.ts';
import type { EdgeWork } from './work.ts';

/** The hub as it says itself who it is, and who asks. */
export interface Hub {
  id: string;
  url: string;
  org: string;
  principal: string;
}

export interface HubProject {
  id: string;
  name: string;
}

/** The project at the hub that is meant: the one that is named, else that of the same name, else the only one. */
export function chooseProject(
  projects: readonly HubProject[],
  { to, name }: { to: string | undefined; name: string },
): HubProject {
  const named = (wanted: string) => projects.find(({ id, name }) => id === wanted || name === wanted);
  const chosen =
    to === undefined ? (named(name) ?? (projects.length === 1 ? projects[0] : undefined)) : named(to);
  if (chosen) return chosen;
  const names = projects.map((project) => oneLine(project.name)).slice(0, 20);
  const options = names.length === 0 ? 'the token opens none' : `the token opens ${names.join(', ')}`;
  throw new InfoldError(
    'project_not_found',
    to === undefined
      ? `The hub has no project "${name}" (${options}); name the one that is meant with --to`
      : `The hub has no project "${to}" (${options})`,
    { details: { projects: names } },
  );
}

/**
 * Makes this folder an edge of the hub. One that it was before goes on where it was, unless its journal has become another one
 * since: then it begins a new line, from where the first one began, and the hub knows entries that it has by their ids. It knows them
 * of a principal: where the token is somebody else's, the new line begins where the old one ended.
 */
export async function becomeEdge(
  { journal }: Pick<EdgeWork, 'journal'>,
  hub: Hub,
  positionOf: (edgeId: string) => Promise<ChainPosition | null>,
  state: Pick<EdgeState, 'line' | 'position' | 'lines'>,
): Promise<Joined> {
  const before = everJoined(journal.database, hub.id);
  const isSame = before?.org === hub.org && before.principal === hub.principal;
  const position = before && isSame ? await positionOf(before.edge_id) : null;
  const isKept = before && isSame && (!position || journal.hashAt(position.seq) === position.hash);
  const now = joinedHub(journal.database);
  if (isKept && now?.edge_id === before.edge_id && now.url === hub.url) return now;
  const head = journal.head();
  const ended = before && !isSame && state.line === before.edge_id ? state.position : null;
  const hash = ended === null ? undefined : journal.hashAt(ended);
  const first = before ? { seq: before.from_seq, hash: before.from_hash } : head;
  const start = ended !== null && hash !== undefined ? { seq: ended, hash } : first;
  const ownOr0 = (place: ChainPosition) =>
    journal.hashAt(place.seq) === place.hash ? place : { seq: 0, hash: journal.hashAt(0)! };
  const from = ownOr0(start);
  const edge_id = isKept ? before.edge_id : randomId('edge');
  const data = { edge_id, url: hub.url, hub_id: hub.id, org: hub.org, principal: hub.principal, from };
  // What went apart from the old line goes apart from the new one, which begins after some of it.
  const parts = before && !isKept ? heldParts(journal.database, before.edge_id) : [];
  const held = parts.map((part) => {
    const seq = isSame ? part.from_seq : reachedBy(part, state);
    const place = { seq, hash: seq === part.from_seq ? part.from_hash : (journal.hashAt(seq) ?? '') };
    const { what, project_id } = part;
    return { type: 'hub.held' as const, data: { edge_id, what, project_id, from: ownOr0(place) } };
  });
  await journal.commit({
    stream: hubStream(localOwner.org, edge_id),
    actor: localOwner.actor,
    decide: () => ({ events: [{ type: 'hub.joined', data }, ...held], answer: null }),
  });
  return joinedHub(journal.database)!;
}

/** Makes a local project's library that of the hub's project. */
export async function linkTo(
  { journal }: Pick<EdgeWork, 'journal'>,
  hub: Pick<Hub, 'id' | 'url'>,
  spec: string | undefined,
  there: HubProject,
): Promise<HubLink> {
  const { database } = journal;
  const project = await ensureProject(journal, localOwner, resolveProject(database, localOwner, spec));
  await relink({ journal }, project.id, {
    ...{ id: hub.id, url: hub.url, project_id: there.id, project: there.name },
    workspaceId: `ws-${digestHex(32, 'hub', hub.id, there.id, project.id)}`,
  });
  return hubLinks(database).find(({ project_id }) => project_id === project.id)!;
}

/** Gives every linked project its own library again, and ends being an edge. */
export async function endEdge({ journal }: Pick<EdgeWork, 'journal'>): Promise<Project[]> {
  const links = hubLinks(journal.database);
  for (const { project_id } of links) await relink({ journal }, project_id, null);
  const joined = joinedHub(journal.database);
  if (joined) {
    await journal.commit({
      stream: hubStream(localOwner.org, joined.edge_id),
      actor: localOwner.actor,
      decide: () => ({ events: [{ type: 'hub.left', data: { edge_id: joined.edge_id } }], answer: null }),
    });
  }
  return links.flatMap(({ org, project_id }) => projectById(journal.database, org, project_id) ?? []);
}

async function relink(
  { journal }: Pick<EdgeWork, 'journal'>,
  projectId: string,
  hub: Parameters<typeof linkProject>[2],
): Promise<void> {
  const { org, actor } = localOwner;
  const decide = (database: Database) => linkProject(projectById(database, org, projectId)!, org, hub);
  await journal.commit({ stream: accessStream(org), actor, decide });
}
