import type { EdgeStatus } from '@infold/protocol';
import { joinHub, leaveHub, readHubStatus } from '../../library/edge/actions.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { projectNamed } from '../library/library-project.ts';
import { syncExit, syncLines } from '../library/sync.ts';
import { table } from '../output.ts';

export interface JoinFlags extends ProjectFlag {
  token?: string;
  to?: string;
}

export function hubJoin(run: Run, { token, project, to }: JoinFlags, url: string): Promise<number> {
  const { hub } = run.report.config;
  const given = { url, token: token ?? hub.token, project: projectNamed(project) ?? process.cwd(), to };
  return act(run, joinHub, given, {
    makesFolder: true,
    show: ({ status, synced, set_aside }) =>
      [
        `This data folder is the edge ${status.id} of ${status.url}, as ${status.principal}.`,
        ...syncLines(synced),
        ...(set_aside > 0
          ? [`${set_aside} files of the project's own library are set aside until "infold hub leave".`]
          : []),
        ...uploadLines(status),
      ].join('\n'),
    exitCode: ({ synced }) => syncExit(synced),
  });
}

export function hubLeave(run: Run): Promise<number> {
  return act(
    run,
    leaveHub,
    {},
    {
      show: ({ url, projects, unsent }) =>
        url === null
          ? 'This data folder has no hub.'
          : [
              `This data folder is no edge of ${url} any more.`,
              ...projects.map((name) => `"${name}" has its own library again.`),
              ...(unsent > 0 ? [`${unsent} entries were never sent; joining again sends them.`] : []),
            ].join('\n'),
    },
  );
}

export function hubStatus(run: Run): Promise<number> {
  return act(
    run,
    readHubStatus,
    {},
    {
      show: ({ edge, edges }) =>
        [
          ...(edge ? edgeLines(edge) : []),
          ...(edge || edges.length > 0 ? [] : ['This data folder has no hub ("infold hub join URL").']),
          ...(edges.length > 0
            ? [
                ...(edge ? [''] : []),
                `${edges.length === 1 ? 'One edge sends' : `${edges.length} edges send`} to this data folder:`,
                edgeTable(edges),
              ]
            : []),
        ].join('\n'),
    },
  );
}

const STATES: Record<EdgeStatus['state'], string> = {
  never: 'not synchronised yet',
  current: 'current',
  offline: 'offline: the copy is used',
  refused: 'read-only: the hub takes nothing from here',
  stopped: 'stopped',
};

function edgeLines(edge: EdgeStatus): string[] {
  return [
    `Hub ${edge.url} (edge ${edge.id || 'not joined yet'}${edge.principal === '' ? '' : `, as ${edge.principal} of ${edge.org}`}): ${STATES[edge.state]}`,
    ...(edge.problem === null ? [] : [edge.problem]),
    `Last synchronised: ${edge.synced_at ?? 'never'}${edge.tried_at === edge.synced_at ? '' : `, last tried ${edge.tried_at}`}`,
    ...edge.projects.map(
      ({ project, hub_project, revision, files }) =>
        `  ${project} has the library of ${hub_project}: ${revision === null ? 'not here yet' : `revision ${revision}`}, ${files} files`,
    ),
    ...uploadLines(edge),
  ];
}

function uploadLines({ upload, drafts_waiting }: EdgeStatus): string[] {
  const { what, projects, without, position, waiting, held } = upload;
  return [
    what.length === 0
      ? 'Goes up: submitted drafts, nothing else (hub.upload)'
      : `Goes up: submitted drafts, ${what.join(', ')}${projects === null ? ' of these projects' : ` of ${projects.join(', ')}`}${without.length === 0 ? '' : `, without ${without.join(', ')}`} (hub.upload)`,
    `Waiting: ${waiting} entries${position === null ? '' : ` after position ${position}`}, ${drafts_waiting} drafts`,
    ...held.map(
      ({ project, what, waiting, problem }) =>
        `  ${waiting} of them, the ${what} of ${project}, until the hub takes it: ${problem}`,
    ),
  ];
}

type KnownEdge = {
  id: string;
  principal: string;
  position: number;
  entries: number;
  last_at: string;
  skew_ms: number;
  refused: { reason: string; seq: number } | null;
  part_of: { edge: string; project: string } | null;
};

function edgeTable(edges: readonly KnownEdge[]): string {
  return table(
    edges.map((edge) => [
      ...[edge.id, edge.principal, String(edge.entries), String(edge.position), edge.last_at],
      remarks(edge).join('; '),
    ]),
    ['EDGE', 'PRINCIPAL', 'ENTRIES', 'POSITION', 'LAST', ''],
  );
}

function remarks({ skew_ms, refused, part_of }: KnownEdge): string[] {
  return [
    ...(part_of ? [`${part_of.project} of ${part_of.edge}, sent apart`] : []),
    ...(refused ? [`history changed at ${refused.seq}`] : []),
    ...(skew_ms !== 0 && !refused ? [`clock off by ${Math.round(skew_ms / 1000)} s`] : []),
  ];
}
