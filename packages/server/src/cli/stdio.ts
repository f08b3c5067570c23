import { resolve } from 'node:path';
import { startSweeping } from '../fold/sweep.ts';
import type { Config } from '../kernel/config.ts';
import type { LogLevel } from '../kernel/log.ts';
import { serveHost } from '../mcp/stdio.ts';
import { createServices, openJournalToServe } from './services.ts';
import { untilStopped } from './signals.ts';

export async function stdio(config: Config, logLevel: LogLevel, project: string | undefined): Promise<void> {
  const journal = await openJournalToServe(config);
  const services = createServices(config, journal, logLevel);
  const folder = project === undefined ? process.cwd() : projectSpec(project);
  const host = serveHost(services, folder, config.toolNames ?? 'portable');
  const stopSweeping = startSweeping(journal, services.clock, config.limits.sessionLifetime, (error) =>
    services.log.warn({ err: error }, 'ending old sessions failed'),
  );
  await Promise.race([host.ended, untilStopped()]);
  await host.close();
  await Promise.all([services.settle(), stopSweeping()]);
  await journal.close();
}

/** A path may be relative to where the host started us; an id or a name stays as it is. */
function projectSpec(project: string): string {
  return project.startsWith('.') || project.includes('/') ? resolve(project) : project;
}
