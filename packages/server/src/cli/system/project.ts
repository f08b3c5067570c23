import { resolve } from 'node:path';
import { addProject, setProject } from '../../system/actions/change-projects.ts';
import { listProjects } from '../../system/actions/list-projects.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { table } from '../output.ts';

export function projectAdd(
  run: Run,
  { name, path, org }: { name: string; path?: string; org?: string },
): Promise<number> {
  return act(
    run,
    addProject,
    { name, path: path && resolve(path), org },
    {
      makesFolder: true,
      show: (added) => `${added.id}  ${added.name}${added.path ? `  ${added.path}` : ''}`,
    },
  );
}

export function projectList(run: Run, flags: { org?: string }): Promise<number> {
  return act(
    run,
    listProjects,
    { org: flags.org },
    {
      show: ({ projects }) => {
        if (projects.length === 0)
          return 'No projects yet. One is made when an agent first works in a folder.';
        const rows = projects.map((project) => [project.id, project.name, project.path ?? '-']);
        return table(rows, ['ID', 'NAME', 'PATH']);
      },
    },
  );
}

export interface ProjectSetFlags {
  mirror?: string;
  remember?: string;
  org?: string;
}

/** What a project wants of its pod. Without flags it only shows. */
export function projectSet(
  run: Run,
  project: string,
  { mirror, remember, org }: ProjectSetFlags,
): Promise<number> {
  return act(
    run,
    setProject,
    { project, mirror, remember, org },
    {
      makesFolder: true,
      show: ({ id, name, mirrorBranches, rememberContexts }) => {
        const word = rememberContexts === null ? 'default' : rememberContexts ? 'on' : 'off';
        return [
          `${id}  ${name}`,
          `  what members see of each other's branches: ${mirrorBranches ?? 'default'}`,
          `  contexts remembered: ${word}`,
        ].join('\n');
      },
    },
  );
}
