import { resolve } from 'node:path';
import { HookListener } from '../../hooks/delivery/listen.ts';
import type { ConfigReport } from '../../kernel/config.ts';
import type { LogLevel } from '../../kernel/log.ts';
import { startExpiring } from '../../library/evidence/retention.ts';
import { startFollowingOrganisations } from '../../library/workspaces/background.ts';
import { serveHost } from '../../mcp/transports/stdio.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import { startSweeping } from '../../trust/sessions/sweep.ts';
import { createServices } from '../services/create.ts';
import { openJournalToServe } from '../services/journal.ts';
import type { Services } from '../services/services.ts';
import { untilStopped } from '../signals.ts';
import { followToolsets } from './follow-toolsets.ts';
import { sendWebhooks } from './send-webhooks.ts';
import { syncWithHub } from './sync-with-hub.ts';

export interface StdioFlags {
  project?: string;
  drafts?: boolean;
  session?: string;
}

export async function stdio(report: ConfigReport, logLevel: LogLevel, flags: StdioFlags): Promise<void> {
  const { config } = report;
  const journal = await openJournalToServe(config);
  const services = createServices(config, journal, logLevel);
  const { project, session, drafts = false } = flags;
  const folder = project === undefined ? process.cwd() : projectSpec(project);
  const connection = new Connection(folder, { hostSession: session });
  connection.drafts = drafts;
  const host = serveHost(services, connection, config.toolNames ?? 'portable');
  const stopSweeping = startSweeping(journal, services.clock, config.limits.sessionLifetime, (error) =>
    services.log.warn({ err: error }, 'ending old sessions failed'),
  );
  const stopExpiring = startExpiring(journal, services.clock, config.evidence.retentionDays, (error) =>
    services.log.warn({ err: error }, 'taking old evidence out of the tables failed'),
  );
  services.parts.meaning?.start();
  const stopSyncing = syncWithHub(services, folder);
  const sending = sendWebhooks(services);
  const stopSelections = startFollowingOrganisations(journal, services.log);
  const stopFollowing = followToolsets(report, services);
  const stopHearing = hearHooks(services);
  await Promise.race([host.ended, untilStopped()]);
  stopFollowing();
  await Promise.all([stopSyncing(), stopSelections()]);
  await host.close();
  await stopHearing();
  await sending;
  await Promise.all([services.settle(), stopSweeping(), stopExpiring()]);
  await journal.close();
}

/** The host waits for its tools: what takes hooks in is loaded when the first one comes. Answers how to stop. */
function hearHooks(services: Services): () => Promise<void> {
  const load = async () => new (await import('../../hooks/delivery/receive.ts')).HookReceiver(services);
  const listener = new HookListener(services, load, false);
  return () => listener.close();
}

/** A path may be relative to where the host started us; an id or a name stays as it is. */
function projectSpec(project: string): string {
  return project.startsWith('.') || project.includes('/') ? resolve(project) : project;
}
