import type { ContextStateHeader } from '@infold/protocol';
import { SqliteJournal } from '../journal/sqlite.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { createLogger, type LogLevel } from '../kernel/log.ts';
import type { CallServices } from '../mcp/call.ts';
import { ToolRegistry } from '../mcp/registry.ts';
import { statusTool } from '../mcp/status.ts';
import { createScrubber } from '../trust/scrub/index.ts';
import { progressBar } from './progress.ts';
import { PROJECTIONS } from './projections.ts';

export async function openJournal(config: Config): Promise<SqliteJournal> {
  const bar = progressBar('upgrading the data folder');
  try {
    return await SqliteJournal.open({
      folder: config.data,
      projections: PROJECTIONS,
      lockWait: config.limits.lockWait,
      onRebuild: bar.update,
    });
  } finally {
    bar.done();
  }
}

export function createRegistry(config: Config): ToolRegistry {
  const registry: ToolRegistry = new ToolRegistry([statusTool(() => registry.doors())], config.toolsets);
  return registry;
}

/** Everything that a call needs, on an open journal. */
export function createServices(config: Config, journal: SqliteJournal, logLevel: LogLevel): CallServices {
  return {
    journal,
    registry: createRegistry(config),
    clock: systemClock,
    config,
    scrubber: createScrubber(),
    log: createLogger(logLevel),
    contextState: (sessionId): ContextStateHeader => ({
      session_id: sessionId,
      active_branch_id: null,
      branch_depth: 0,
      total_tokens: 0,
      folded_tokens: 0,
      context_usage: 0,
    }),
  };
}
