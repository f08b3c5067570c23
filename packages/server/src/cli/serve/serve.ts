import { HookListener } from '../../hooks/delivery/listen.ts';
import { HookReceiver } from '../../hooks/delivery/receive.ts';
import { isLoopback } from '../../http/access/guard.ts';
import { createHttpApp } from '../../http/app.ts';
import { listen, stopListening } from '../../http/connections/listen.ts';
import { endUnread } from '../../http/connections/unread-answers.ts';
import { attachWebSockets } from '../../http/connections/websocket.ts';
import { Metrics } from '../../http/metrics.ts';
import { createModelDoor } from '../../http/model/index.ts';
import type { Cluster } from '../../journal/cluster/cluster.ts';
import type { Journal } from '../../journal/journal.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { ConfigReport } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { createLogger, type Logger, type LogLevel } from '../../kernel/log.ts';
import { startExpiring } from '../../library/evidence/retention.ts';
import { startFollowingOrganisations } from '../../library/workspaces/background.ts';
import { createToken, revokeToken } from '../../system/actions/tokens.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { SCOPES } from '../../trust/identity/events.ts';
import { anyTokenMade, listTokens } from '../../trust/identity/queries.ts';
import { startSweeping } from '../../trust/sessions/sweep.ts';
import type { Prepare } from '../../window/requests/prepare.ts';
import { type ActionCaller, callsOf } from '../services/calls.ts';
import { createServices } from '../services/create.ts';
import { openJournalToServe } from '../services/journal.ts';
import type { Services } from '../services/services.ts';
import { untilStopped } from '../signals.ts';
import { followToolsets } from './follow-toolsets.ts';
import { configureWebhooks } from './send-webhooks.ts';
import { answerProbes } from './starting.ts';
import { syncWithHub } from './sync-with-hub.ts';

const DRAIN = 4000;

export interface ServeFlags {
  /** A token is needed from the start: one is made where there is none that still opens anything. */
  secure?: boolean;
  /** What opens the model door to the command that this process runs, where callers need a token. */
  ownToken?: string | undefined;
  /** Told of each conversation with a model that a request belonged to. */
  onConversation?: (id: string) => void;
}

export async function serve(report: ConfigReport, logLevel: LogLevel, flags: ServeFlags = {}): Promise<void> {
  const server = await openServer(report, logLevel, flags);
  const { url, made, services } = server;
  process.stdout.write(`infold listening on ${url}\n`);
  if (made) process.stdout.write(introduce(made, url));
  services.log.info(
    { url, data: report.config.data, doors: services.registry.doors().map(({ name }) => name) },
    'serving',
  );
  const signal = await untilStopped();
  services.log.info({ signal }, 'stopping');
  await server.close();
}

export interface OpenServer {
  url: string;
  services: Services;
  /** The token that was made for who has none. */
  made: FirstToken | undefined;
  /** Lets calls in flight be answered, then ends everything. */
  close(): Promise<void>;
}

/** The whole server in this process, until it is closed. */
export async function openServer(
  report: ConfigReport,
  logLevel: LogLevel,
  flags: ServeFlags = {},
): Promise<OpenServer> {
  const { config } = report;
  const log = createLogger(logLevel);
  const stopProbes = config.nats.url === undefined ? undefined : await answerProbes(config);
  const journal = await openJournalToServe(config, (error) => log.error({ err: error }, 'the journal')).catch(
    async (error: unknown) => {
      await stopProbes?.();
      throw error;
    },
  );
  try {
    // KERN-11: without a token everybody who reaches the port would be the owner.
    if (!flags.secure && !isLoopback(config.host) && !config.oauth && !anyTokenMade(journal.database)) {
      throw new InfoldError(
        'forbidden',
        `Serving on ${config.host} needs a token first: "infold token create --name NAME", or use --host 127.0.0.1`,
      );
    }
    const services = createServices(config, journal, logLevel, systemClock, report);
    const call = callsOf(services, localOwner);
    await configureWebhooks(services);
    const made = flags.secure ? await makeFirstToken(journal, call) : undefined;
    // Its rules are compiled with the first text that it looks through: better before anybody can connect.
    services.scrubber.scrubValue('a word');
    const metrics = new Metrics(journal, services.turns, services.parts.traffic, services.parts.calls);
    metrics.countWebhooks(() => services.parts.webhooks.figures());
    let ready = true;
    const gateway = services.openGateway(true);
    const observed = { ...services, observer: metrics };
    const hooks = new HookReceiver(observed);
    const served = { ...observed, gateway, hooks, metrics, ready: () => ready };
    const app = createHttpApp(served);
    metrics.countStreams(() => app.streams.size);
    const models = createModelDoor({
      ...served,
      ownToken: flags.ownToken,
      prepare: toldOf(services.prepare, flags.onConversation),
    });
    if (journal.cluster) followConnection(journal.cluster, log);
    await stopProbes?.();
    const listening = await listen({
      ...{ host: config.host, port: config.port, fetch: app.fetch, passOn: models.passOn },
      connections: config.limits.portConnections,
    }).catch(async (error: unknown) => {
      await services.settle();
      // Nobody was shown it: the next start would find a token and make no other.
      if (made) await call(revokeToken, { id: made.id });
      throw error;
    });
    const sockets = attachWebSockets(listening.server, served);
    const stopLooking = endUnread(listening.server, app.streams, config.limits.readerBytesInAll);
    const stopSweeping = startSweeping(journal, services.clock, config.limits.sessionLifetime, (error) =>
      services.log.warn({ err: error }, 'ending old sessions failed'),
    );
    const stopExpiring = startExpiring(journal, services.clock, config.evidence.retentionDays, (error) =>
      services.log.warn({ err: error }, 'taking old evidence out of the tables failed'),
    );
    services.parts.meaning?.start();
    const stopSyncing = syncWithHub(services);
    services.parts.webhooks.start();
    const stopSelections = startFollowingOrganisations(journal, services.log);
    const stopFollowing = followToolsets(report, services);
    const listener = new HookListener(observed, async () => hooks, true);
    const close = async () => {
      stopFollowing();
      await Promise.all([stopSyncing(), stopSelections()]);
      stopLooking();
      ready = false;
      gateway.end();
      await stopListening(listening, DRAIN, async () => {
        await Promise.all([app.close(), gateway.close()]);
        sockets.close();
        models.close();
      });
      await listener.close();
      await Promise.all([services.settle(), stopSweeping(), stopExpiring()]);
      await journal.close();
    };
    return { url: listening.url, services, made, close };
  } catch (error) {
    await stopProbes?.();
    await journal.close();
    throw error;
  }
}

/** Until the connection is closed. */
async function followConnection({ node, connection }: Cluster, log: Logger): Promise<void> {
  log.info({ node, nats: connection.getServer() }, 'a node of a cluster');
  for await (const status of connection.status()) {
    const { type } = status;
    if (type === 'disconnect') log.warn({ nats: status.server }, 'NATS is away: reads go on, writes wait');
    if (type === 'reconnect') log.info({ nats: status.server }, 'NATS is back');
    if (type === 'error') log.warn({ err: status.error }, 'NATS refused something');
  }
}

function toldOf(prepare: Prepare, tell: ServeFlags['onConversation']): Prepare {
  if (!tell) return prepare;
  return async (request) => {
    const prepared = await prepare(request);
    if (prepared.conversation !== undefined) tell(prepared.conversation);
    return prepared;
  };
}

interface FirstToken {
  id: string;
  token: string;
}

const FIRST_TOKEN = 'first';

/** Undefined where there is a token already that opens something. */
async function makeFirstToken(journal: Journal, call: ActionCaller): Promise<FirstToken | undefined> {
  const now = Date.now();
  const isOpen = ({ revoked_at, expires_at }: { revoked_at: number | null; expires_at: number | null }) =>
    revoked_at === null && (expires_at === null || expires_at > now);
  if (listTokens(journal.database).some(isOpen)) return undefined;
  return call(createToken, { name: FIRST_TOKEN, scopes: [...SCOPES] });
}

/** On standard output and not in the log: logs are kept and sent around. */
function introduce({ id, token }: FirstToken, url: string): string {
  return `
Every request needs a token now. This one opens everything and is shown once:

  ${token}

  claude mcp add --transport http infold "${url}/mcp?names=portable&project=/path/to/your/project" --header "Authorization: Bearer ${token}"
  curl -H "Authorization: Bearer ${token}" ${url}/mcp/tools/list

"infold token create" makes narrower ones, "infold token revoke ${id}" ends this one.
`;
}
