import type { Run } from '../command-line.ts';
import { carryOut, hostsNamed, placeOf, scopeOf, type UninstallFlags } from './carry-out.ts';
import { Installs } from './install-record.ts';
import { type Installable, type InstallPlace, SCOPES } from './installable.ts';
import type { HostReport } from './installer.ts';

/** Without a scope: what is everywhere, and what is in this project. */
export async function uninstall(
  run: Run,
  flags: UninstallFlags,
  names: readonly string[],
  known: readonly Installable[],
): Promise<number> {
  const scope = scopeOf(flags);
  const hosts = names.length > 0 ? hostsNamed(names, known) : known;
  const code = await carryOut(run, flags, 'uninstall', async (session) => {
    for (const one of scope ? [scope] : SCOPES) {
      // Everything that an installation could have written is looked for.
      const place = { ...placeOf(flags, one), window: true };
      for (const host of hosts) await session.uninstall(host, place, flags.force ?? false);
    }
    const found = session.hosts.filter(({ files }) => files.length > 0);
    const isAsked = ({ host, scope: where }: HostReport) =>
      names.includes(host) && where === (scope ?? 'user') && !found.some((one) => one.host === host);
    session.hosts.splice(
      0,
      Infinity,
      ...session.hosts.filter((host) => found.includes(host) || isAsked(host)),
    );
  });
  if (names.length === 0 && scope === undefined) tellOfOthers(run, placeOf(flags, 'project'));
  return code;
}

/** Other projects are not looked through; the record knows of them. */
function tellOfOthers({ report, output }: Run, { project: here }: InstallPlace): void {
  const entries = [...Installs.read(report.config.data).files.values()].flatMap((file) => file.entries);
  const projects = new Set(entries.flatMap(({ owners }) => owners.flatMap(({ project }) => project ?? [])));
  projects.delete(here);
  for (const project of projects) {
    output.note(`It is still installed in ${project}: infold uninstall --project ${project}`);
  }
}
