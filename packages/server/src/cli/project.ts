import { resolve } from 'node:path';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import { listProjects } from '../system/actions/list-projects.ts';
import { LOCAL_ORG, localOwner } from '../trust/caller.ts';
import { addNamedProject, configureProject } from '../trust/identity/commands.ts';
import { MIRROR_LEVELS, type MirrorLevel } from '../trust/identity/events.ts';
import { ensureProject, resolveProject } from '../trust/projects.ts';
import { accessStream } from '../trust/streams.ts';
import { act } from './act.ts';
import type { Run } from './command-line.ts';
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
export async function projectSet(
  config: Config,
  output: Output,
  spec: string,
  flags: ProjectSetFlags,
): Promise<void> {
  const settings = {
    ...(flags.mirror === undefined ? {} : { mirrorBranches: chosen('--mirror', MIRROR, flags.mirror) }),
    ...(flags.remember === undefined
      ? {}
      : { rememberContexts: chosen('--remember', SWITCH, flags.remember) }),
  };
  const journal = await openJournal(config);
  try {
    const org = flags.org ?? LOCAL_ORG;
    const caller = { ...localOwner, org, actor: { ...localOwner.actor, org } };
    const project = await ensureProject(journal, caller, resolveProject(journal.database, caller, spec));
    const { answer } = await journal.commit({
      stream: accessStream(org),
      actor: caller.actor,
      decide: (database) => configureProject(database, org, project.id, settings),
    });
    output.answer({ id: project.id, name: project.name, ...answer }, () => {
      const word = (value: boolean | null) => (value === null ? 'default' : value ? 'on' : 'off');
      return [
        `${project.id}  ${project.name}`,
        `  what members see of each other's branches: ${answer.mirrorBranches ?? 'default'}`,
        `  contexts remembered: ${word(answer.rememberContexts)}`,
      ].join('\n');
    });
  } finally {
    await journal.close();
  }
}

const SWITCH = new Map<string, boolean | null>([
  ['on', true],
  ['off', false],
  ['default', null],
]);

/** `on` is what it was called when there was no choice of how much. */
const MIRROR = new Map<string, MirrorLevel | null>([
  ...MIRROR_LEVELS.map((level): [string, MirrorLevel] => [level, level]),
  ['on', 'full'],
  ['default', null],
]);

function chosen<Value>(flag: string, options: ReadonlyMap<string, Value>, text: string): Value {
  const value = options.get(text);
  if (value === undefined) {
    throw new InfoldError('invalid_arguments', `${flag} is one of ${[...options.keys()].join(', ')}`);
  }
  return value;
}
