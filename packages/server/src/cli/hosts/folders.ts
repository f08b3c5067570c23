import { join } from 'node:path';
import type { Place } from '../install/entry.ts';

/** Where programs that follow the XDG base directories keep their settings; several do on macOS as well. */
export function configFolder({ environment, home }: Pick<Place, 'environment' | 'home'>): string {
  return environment.XDG_CONFIG_HOME || join(home, '.config');
}

/** Where programs keep their settings that do as the system says. */
export function applicationFolder(
  place: Pick<Place, 'environment' | 'home'>,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'darwin') return join(place.home, 'Library', 'Application Support');
  if (platform === 'win32') return place.environment.APPDATA || join(place.home, 'AppData', 'Roaming');
  return configFolder(place);
}
