import { unwatchFile, watchFile } from 'node:fs';
import { type ConfigReport, loadConfig } from '../../kernel/config.ts';
import type { Services } from '../services/services.ts';

/** Files are looked at this often: editors replace them, which a watch on the file itself would miss. */
const INTERVAL = 1000;

/**
 * Opens and closes doors when `toolsets` changes in the configuration file, so that no host has to be restarted for it.
 * A flag or the environment outranks the file, as at the start. Returns the way to stop.
 */
export function followToolsets(
  { file, origins }: ConfigReport,
  { registry, log }: Pick<Services, 'registry' | 'log'>,
): () => void {
  if (file === null || origins.toolsets === 'flag' || origins.toolsets === 'environment') return () => {};
  let current = JSON.stringify(loadConfig({ config: file }, {}).config.toolsets);
  const look = () => {
    try {
      const { toolsets } = loadConfig({ config: file }, {}).config;
      if (JSON.stringify(toolsets) === current) return;
      current = JSON.stringify(toolsets);
      registry.open(toolsets);
      log.info({ doors: toolsets }, 'the open doors have changed');
    } catch (error) {
      // Half an edit, perhaps; what was in force stays.
      log.warn({ err: error }, 'the changed configuration cannot be used');
    }
  };
  watchFile(file, { interval: INTERVAL, persistent: false }, look);
  return () => unwatchFile(file, look);
}
