import { startSweeping } from '../fold/sweep.ts';
import { createHttpApp } from '../http/app.ts';
import { isLoopback } from '../http/guard.ts';
import { listen, stopListening } from '../http/listen.ts';
import { Metrics } from '../http/metrics.ts';
import { attachWebSockets } from '../http/websocket.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { LogLevel } from '../kernel/log.ts';
import { anyTokenMade } from '../trust/identity/queries.ts';
import { createServices, openJournalToServe } from './services.ts';
import { untilStopped } from './signals.ts';

const DRAIN = 4000;

export async function serve(config: Config, logLevel: LogLevel): Promise<void> {
  const journal = await openJournalToServe(config);
  try {
    // KERN-11: without a token everybody who reaches the port would be the owner.
    if (!isLoopback(config.host) && !config.oauth && !anyTokenMade(journal.database)) {
      throw new InfoldError(
        'forbidden',
        `Serving on ${config.host} needs a token first: "infold token create --name NAME", or use --host 127.0.0.1`,
      );
    }
    const services = createServices(config, journal, logLevel);
    const metrics = new Metrics(journal);
    let ready = true;
    const gateway = services.openGateway(true);
    const served = { ...services, gateway, observer: metrics, metrics, ready: () => ready };
    const app = createHttpApp(served);
    const listening = await listen({ host: config.host, port: config.port, fetch: app.fetch });
    const sockets = attachWebSockets(listening.server, served);
    const { url } = listening;
    process.stdout.write(`infold listening on ${url}\n`);
    services.log.info(
      { url, data: config.data, doors: services.registry.doors().map(({ name }) => name) },
      'serving',
    );
    const stopSweeping = startSweeping(journal, services.clock, config.limits.sessionLifetime, (error) =>
      services.log.warn({ err: error }, 'ending old sessions failed'),
    );
    const signal = await untilStopped();
    services.log.info({ signal }, 'stopping');
    ready = false;
    gateway.end();
    await stopListening(listening, DRAIN, async () => {
      await Promise.all([app.close(), gateway.close()]);
      sockets.close();
    });
    await Promise.all([services.settle(), stopSweeping()]);
  } finally {
    await journal.close();
  }
}
