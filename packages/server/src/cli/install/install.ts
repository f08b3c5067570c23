import { InfoldError } from '../../kernel/errors.ts';
import type { Run } from '../command-line.ts';
import { carryOut, hostsNamed, type InstallFlags, namesOf, placeOf, scopeOf } from './carry-out.ts';
import type { Installable } from './installable.ts';

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
