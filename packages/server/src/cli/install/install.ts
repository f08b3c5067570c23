import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { InfoldError } from '../../kernel/errors.ts';
import type { Run } from '../command-line.ts';
import { didYouMean } from '../did-you-mean.ts';
import { EXIT } from '../output.ts';
import { Installs } from './install-record.ts';
import { type Installable, type InstallPlace, type InstallScope, SCOPES } from './installable.ts';
import { type HostReport, Installer } from './installer.ts';
import { withLock } from './lock.ts';
import { show } from './report-text.ts';

export interface UninstallFlags {
  scope?: InstallScope;
  dryRun?: boolean;
  /** Also what was edited by hand, or is somebody else's. */
  force?: boolean;
  project?: string;
}

export interface InstallFlags extends UninstallFlags {
  window?: boolean;
  http?: boolean;
}

export async function install(
  run: Run,
  flags: InstallFlags,
  names: readonly string[],
  known: readonly Installable[],
): Promise<number> {
  const place = placeOf(flags, scopeOf(flags) ?? 'user');
  const hosts = names.length > 0 ? hostsNamed(names, known) : known.filter((host) => host.isThere(place));
  if (hosts.length === 0) {
    throw new InfoldError('not_found', `No host was found on this machine. Name one: ${namesOf(known)}`);
  }
  return carryOut(run, flags, 'install', async (session) => {
    for (const host of hosts) await session.install(host, place, flags.force ?? false);
  });
}

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

async function carryOut(
  { report, output }: Run,
  { dryRun = false }: UninstallFlags,
  verb: 'install' | 'uninstall',
  work: (session: Installer) => Promise<void>,
): Promise<number> {
  const { data } = report.config;
  const carry = async () => {
    const session = new Installer(Installs.read(data));
    await work(session);
    if (!dryRun) session.commit();
    return session.hosts;
  };
  // Looking leaves no folder behind.
  const hosts =
    dryRun || (verb === 'uninstall' && !existsSync(data)) ? await carry() : await withLock(data, carry);
  output.answer({ dryRun, hosts }, () =>
    hosts.length === 0 ? 'Nothing of ours was found.' : show({ hosts, dryRun, verb }),
  );
  return exitCodeOf(hosts);
}

/** Partly done: something was left that should have been changed, and something else was not. */
function exitCodeOf(hosts: readonly HostReport[]): number {
  const files = hosts.flatMap((host) => host.files);
  const isBad = hosts.some((host) => host.problem !== undefined) || files.some(hasLeft);
  if (!isBad) return EXIT.done;
  return files.some(({ what }) => what !== 'left') ? EXIT.partly : EXIT.failed;
}

/** All of the file, or an entry that was edited by hand or is somebody else's. */
function hasLeft({ what, changes }: HostReport['files'][number]): boolean {
  return what === 'left' || changes.some((change) => change.what === 'edited' || change.what === 'foreign');
}

function placeOf(flags: InstallFlags, scope: InstallScope): InstallPlace {
  return {
    scope,
    home: homedir(),
    project: resolve(flags.project ?? process.cwd()),
    environment: process.env,
    window: flags.window ?? false,
    http: flags.http ?? false,
  };
}

function scopeOf({ scope }: UninstallFlags): InstallScope | undefined {
  if (scope === undefined || SCOPES.includes(scope)) return scope;
  throw new InfoldError(
    'invalid_arguments',
    `There is no scope "${String(scope)}"; there are ${SCOPES.join(', ')}`,
  );
}

const namesOf = (known: readonly Installable[]): string => known.map(({ name }) => name).join(', ');

function hostsNamed(names: readonly string[], known: readonly Installable[]): Installable[] {
  return [...new Set(names)].map((name) => {
    const host = known.find((one) => one.name === name);
    if (host) return host;
    const near = didYouMean(
      name,
      known.map((one) => one.name),
    );
    throw new InfoldError(
      'invalid_arguments',
      `There is no host "${name}"${near}; there are ${namesOf(known)}`,
    );
  });
}
