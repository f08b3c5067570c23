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

export async function carryOut(
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
    hosts.length === 0 ? 'Nothing from Infold was found.' : show({ hosts, dryRun, verb }),
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

export function placeOf(flags: InstallFlags, scope: InstallScope): InstallPlace {
  return {
    scope,
    home: homedir(),
    project: resolve(flags.project ?? process.cwd()),
    environment: process.env,
    window: flags.window ?? false,
    http: flags.http ?? false,
  };
}

export function scopeOf({ scope }: UninstallFlags): InstallScope | undefined {
  if (scope === undefined || SCOPES.includes(scope)) return scope;
  throw new InfoldError(
    'invalid_arguments',
    `There is no scope "${String(scope)}"; there are ${SCOPES.join(', ')}`,
  );
}

export const namesOf = (known: readonly Installable[]): string => known.map(({ name }) => name).join(', ');

export function hostsNamed(names: readonly string[], known: readonly Installable[]): Installable[] {
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
