import { startSyncing } from '../../library/edge/background.ts';
import type { Services } from '../services/services.ts';

/** Keeps the copy of the hub's library current, and sends what waits, where the data folder has a hub. Answers how to stop. */
export function syncWithHub({ parts, config, log }: Services, project?: string): () => Promise<void> {
  return startSyncing(parts.edge, { every: config.hub.every * 1000, project, log });
}
