import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoServer } from '@infold/demo';
import { createHttpApp } from '../../http/app.ts';
import { listen, stopListening, type Timeouts } from '../../http/connections/listen.ts';
import { Metrics } from '../../http/metrics.ts';
import { loadConfig } from '../../kernel/config.ts';
import type { LogLevel } from '../../kernel/log.ts';
import { importLibrary } from '../../library/actions/folders.ts';
import { addProject } from '../../system/actions/change-projects.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { JOB, writeMaterial } from '../samples/material.ts';
import { callsOf } from '../services/calls.ts';
import { createServices } from '../services/create.ts';
import { openJournal } from '../services/journal.ts';

const DRAIN = 1000;
const PATIENCE = 10 * 60_000;
/**
 * The only client is in this process, and may wait long for a model between two calls. A connection that is closed for
 * that just as the next call is sent would fail the call, so none is.
 */
const TIMEOUTS: Timeouts = {
  request: PATIENCE,
  headers: PATIENCE,
  passedOn: PATIENCE,
  keepAlive: PATIENCE,
  check: PATIENCE,
};

/**
 * The whole server on a free port, with a data folder that is gone afterwards. It has its own configuration: what the
 * user has set must not change the figures.
 */
export async function startTemporaryServer(
  projects: readonly string[],
  logLevel: LogLevel,
): Promise<DemoServer> {
  const folder = temporaryFolder();
  const closers: (() => unknown)[] = [folder.remove];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const config = loadConfig({ config: writeConfig(folder.path) }, {}).config;
    const journal = await openJournal(config);
    closers.push(() => journal.close());
    const services = createServices(config, journal, logLevel);
    closers.push(() => services.settle());
    const call = callsOf(services, localOwner);
    for (const name of projects) {
      await call(addProject, { name });
      await call(importLibrary, { project: name, folder: join(folder.path, 'library'), publish: true });
    }
    const metrics = new Metrics(journal);
    const app = createHttpApp({ ...services, observer: metrics, metrics, ready: () => true });
    const listening = await listen({ host: config.host, port: 0, fetch: app.fetch, timeouts: TIMEOUTS });
    closers.push(() => stopListening(listening, DRAIN, app.close));
    return { url: listening.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function writeConfig(folder: string): string {
  const { records } = writeMaterial(folder);
  const config = {
    data: join(folder, 'data'),
    port: 0,
    toolsets: ['fold', 'transient'],
    sources: { [JOB.model]: { type: 'jsonl', path: records, id: 'id' } },
  };
  const path = join(folder, 'infold.config.json');
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Removed at the end, also when somebody stops the demo halfway. */
function temporaryFolder(): { path: string; remove(): void } {
  let path: string | undefined;
  const stop = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);
  const clean = () => path !== undefined && rmSync(path, { recursive: true, force: true });
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('exit', clean);
  // Last: once it is there, whatever stops the process removes it.
  path = mkdtempSync(join(tmpdir(), 'infold-demo-'));
  const remove = () => {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
    process.removeListener('exit', clean);
    clean();
  };
  return { path, remove };
}
