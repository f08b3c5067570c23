import { resolve } from 'node:path';
import type { Config } from '../kernel/config.ts';
import { LOCAL_ORG, localOwner } from '../trust/caller.ts';
import { addNamedProject } from '../trust/identity/commands.ts';
import { listProjects } from '../trust/identity/queries.ts';
import { accessStream } from '../trust/streams.ts';
import { type Output, table } from './output.ts';
import { openJournal } from './services.ts';

export async function projectAdd(
  config: Config,
  output: Output,
  flags: { name: string; path?: string; org?: string },
): Promise<void> {
  const journal = await openJournal(config);
  try {
    const org = flags.org ?? LOCAL_ORG;
    const path = flags.path === undefined ? null : resolve(flags.path);
    const { answer } = await journal.commit({
      stream: accessStream(org),
      actor: { ...localOwner.actor, org },
      decide: (database) => addNamedProject(database, org, flags.name, path),
    });
    output.answer(answer, () => `${answer.id}  ${answer.name}${answer.path ? `  ${answer.path}` : ''}`);
  } finally {
    await journal.close();
  }
}

export async function projectList(config: Config, output: Output, org: string | undefined): Promise<void> {
  const journal = await openJournal(config);
  try {
    const projects = listProjects(journal.database, org ?? LOCAL_ORG);
    output.answer({ projects }, () => {
      if (projects.length === 0) return 'No projects yet. One is made when an agent first works in a folder.';
      const rows = projects.map((project) => [project.id, project.name, project.path ?? '-']);
      return table(rows, ['ID', 'NAME', 'PATH']);
    });
  } finally {
    await journal.close();
  }
}
