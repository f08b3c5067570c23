import { hubApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { admits } from '../../trust/access/rule.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';
import { listProjects, type Project } from '../../trust/identity/queries.ts';
import { lineOf } from '../hub/line.ts';
import { type EdgeRow, edgesOf } from '../queries/hub.ts';

/** The token is kept in a file of its own, and never in the journal. */
export const joinHub = defineAction(hubApi.joinHub, {
  scrubsItself: true,
  async run({ url, token, project, to }, { parts }) {
    return { structured: await parts.edge.join({ url, token, project, to }) };
  },
});

export const leaveHub = defineAction(hubApi.leaveHub, {
  async run(_input, { parts }) {
    return { structured: await parts.edge.leave() };
  },
});

export const syncHub = defineAction(hubApi.syncHub, {
  async run(_input, { parts }) {
    return { structured: await parts.edge.sync() };
  },
});

/** Whose folder it is sees its hub; administrators see every edge of their organisation, others their own. */
export const readHubStatus = defineAction(hubApi.readHubStatus, {
  async run(_input, { parts, caller, database }) {
    const isAdmin = caller.scopes.includes('admin') && caller.projects === null;
    const known = edgesOf(database, caller.org, isAdmin ? null : caller.principal);
    const lines = linesOf(known, listProjects(database, caller.org));
    const nameOf = ({ id, name }: Project) => (admits(caller, { kind: 'project', id }).allowed ? name : id);
    const edges = known.map((edge) => ({
      ...{
        id: edge.id,
        principal: edge.principal,
        position: edge.seq,
        entries: edge.entries,
        events: edge.events,
      },
      ...{ first_at: isoTime(edge.first_at), last_at: isoTime(edge.last_at), skew_ms: edge.skew },
      part_of: partOf(lines.get(edge.id), nameOf),
      refused:
        edge.refused_reason === null
          ? null
          : { reason: edge.refused_reason, seq: edge.refused_seq!, at: isoTime(edge.refused_at!) },
    }));
    const edge = isLocalOwner(caller) || isAdmin ? await parts.edge.status() : null;
    return { structured: { edge, edges } };
  },
});

interface Line {
  edge: string;
  project: Project;
}

/** The ids that edges would have for the line of one project. Where somebody has a single edge, there are none. */
function linesOf(edges: readonly EdgeRow[], projects: readonly Project[]): Map<string, Line> {
  const counts = new Map<string, number>();
  for (const { principal } of edges) counts.set(principal, (counts.get(principal) ?? 0) + 1);
  const lines = new Map<string, Line>();
  for (const { id, principal } of edges) {
    if (counts.get(principal) === 1) continue;
    for (const project of projects) lines.set(lineOf(id, project.id), { edge: id, project });
  }
  return lines;
}

function partOf(line: Line | undefined, nameOf: (project: Project) => string) {
  return line ? { edge: line.edge, project: nameOf(line.project) } : null;
}
