import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHttpApp } from '../../http/app.ts';
import { listen, stopListening } from '../../http/connections/listen.ts';
import { Metrics } from '../../http/metrics.ts';
import { loadConfig } from '../../kernel/config.ts';
import type { LogLevel } from '../../kernel/log.ts';
import { VERSION } from '../../kernel/version.ts';
import { importLibrary } from '../../library/actions/folders.ts';
import { addProject } from '../../system/actions/change-projects.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { callsOf } from '../services/calls.ts';
import { createServices } from '../services/create.ts';
import { openJournal } from '../services/journal.ts';
import { JOB, writeMaterial } from './material.ts';

export interface DemoServer {
  url: string;
  /** An MCP client over HTTP, with the project of this name to itself. */
  connect(project: string): Promise<Client>;
  close(): Promise<void>;
}

const DRAIN = 1000;

/**
 * The whole server on a free port, with a data folder that is gone afterwards. It has its own configuration: what the
 * user has set must not change the figures.
 */
export async function startDemoServer(projects: readonly string[], logLevel: LogLevel): Promise<DemoServer> {
  const folder = temporaryFolder();
  const clients: Client[] = [];
  const closers: (() => unknown)[] = [folder.remove];
  const close = async () => {
    for (const client of clients.splice(0)) await client.close().catch(() => {});
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
    const listening = await listen({ host: config.host, port: 0, fetch: app.fetch });
    closers.push(() => stopListening(listening, DRAIN, app.close));
    const connect = async (project: string) => {
      const client = new Client(
        { name: 'infold-demo', version: VERSION },
        { versionNegotiation: { mode: 'auto' } },
      );
      const address = new URL(`/mcp?names=portable&project=${encodeURIComponent(project)}`, listening.url);
      // A request of this era belongs to no connection: without a word on it, no two calls are of one session.
      const headers = { 'x-infold-session': `demo-${project}` };
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
      clients.push(client);
      return client;
    };
    return { url: listening.url, connect, close };
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
  const path = mkdtempSync(join(tmpdir(), 'infold-demo-'));
  const stop = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);
  const clean = () => rmSync(path, { recursive: true, force: true });
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('exit', clean);
  const remove = () => {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
    process.removeListener('exit', clean);
    clean();
  };
  return { path, remove };
}
