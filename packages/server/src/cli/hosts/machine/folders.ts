import { isAbsolute, join, resolve } from 'node:path';
import type { InstallPlace } from '../../install/installable.ts';
import type { Environment } from '../existing-setup.ts';

/** A folder or file that somebody named in a variable; hosts read it from where they are started. */
export function pathIn(environment: Environment, variable: string): string | undefined {
  const path = environment[variable];
  return path ? resolve(path) : undefined;
}

/** Where programs that follow the XDG base directories keep their settings; several do on macOS as well. */
export function configFolder({ environment, home }: Pick<InstallPlace, 'environment' | 'home'>): string {
  const { XDG_CONFIG_HOME: named = '' } = environment;
  // By its own rules a relative one does not count.
  return isAbsolute(named) ? named : join(home, '.config');
}

/** Where programs keep their settings that do as the system says. */
export function applicationFolder(
  place: Pick<InstallPlace, 'environment' | 'home'>,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'darwin') return join(place.home, 'Library', 'Application Support');
  if (platform === 'win32') return place.environment.APPDATA || join(place.home, 'AppData', 'Roaming');
  return configFolder(place);
}
