import { Meter } from '../fold/metering.ts';
import { contextHeaderOf, foldState } from '../fold/queries.ts';
import { foldResources } from '../fold/resources.ts';
import { foldTools } from '../fold/tools.ts';
import { SqliteJournal } from '../journal/sqlite.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { createLogger, type LogLevel } from '../kernel/log.ts';
import { libraryTools } from '../library/tools.ts';
import type { CallServices } from '../mcp/call.ts';
import { ToolRegistry } from '../mcp/registry.ts';
import { ResourceHub } from '../mcp/resources.ts';
import { statusTool } from '../mcp/status.ts';
import { DenialLog } from '../trust/denials.ts';
import { RateLimiter } from '../trust/rate.ts';
import { createScrubber, type ScrubOptions } from '../trust/scrub/index.ts';
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
  const registry: ToolRegistry = new ToolRegistry(
    [statusTool(() => registry.doors()), ...foldTools(), ...libraryTools()],
    config.toolsets,
  );
  return registry;
}

/** Everything that a call needs, on an open journal. */
export interface Services extends CallServices {
  meter: Meter;
}

export function createServices(
  config: Config,
  journal: SqliteJournal,
  logLevel: LogLevel,
  clock: Clock = systemClock,
): Services {
  const log = createLogger(logLevel);
  const scrubber = createScrubber(config.scrub as ScrubOptions | undefined);
  return {
    journal,
    registry: createRegistry(config),
    resources: new ResourceHub(journal, config.toolsets.includes('fold') ? foldResources : []),
    clock,
    config,
    limiter: new RateLimiter(config.limits),
    denials: new DenialLog(journal, (error) => log.warn({ err: error }, 'a denial was not recorded')),
    scrubber,
    log,
    meter: new Meter(journal, scrubber, config, (error) =>
      log.warn({ err: error }, 'an operation was not counted'),
    ),
    contextState: (sessionId) => contextHeaderOf(foldState(journal.database, sessionId), config.contextLimit),
  };
}
