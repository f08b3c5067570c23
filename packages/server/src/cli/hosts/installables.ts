import { existsSync } from 'node:fs';
import type { HostName } from '@infold/protocol';
import { anyTokenMade } from '../../trust/identity/queries.ts';
import { actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';
import type { Installable } from '../install/installable.ts';
import type { ExistingSetup } from './existing-setup.ts';
import { installables, RUNNABLE } from './index.ts';
import { programNamed } from './machine/program.ts';
import { surroundingsOf } from './machine/surroundings.ts';
import { oursOf } from './our-program.ts';

/** Every host as `install` takes it, with what has to be known of this machine for what is asked. */
export async function installablesFor(
  run: Run,
  { window = false, http = false, project }: { window?: boolean; http?: boolean; project?: string },
): Promise<Installable[]> {
  const ours = oursOf(run.report);
  return installables({
    ...ours,
    needsToken: (window || http) && (await needsToken(run)),
    found: window ? await addressesSet(project) : {},
  });
}

async function needsToken(run: Run): Promise<boolean> {
  const { data, oauth } = run.report.config;
  if (oauth) return true;
  if (!existsSync(data)) return false;
  return actInFolder(run, { makesFolder: false }, async (_call, { journal }) =>
    anyTokenMade(journal.database),
  );
}

/** What people set up for the models of their hosts. */
async function addressesSet(project: string | undefined): Promise<{ [host in HostName]?: ExistingSetup }> {
  const found: { [host in HostName]?: ExistingSetup } = {};
  for (const { name, program, window, run } of RUNNABLE) {
    if (window === undefined) continue;
    // Its files say something also where its program is somewhere else.
    const file = programNamed(program, process.env.PATH) ?? program;
    found[name] = await run.look(surroundingsOf(file, project));
  }
  return found;
}
