import { createScrubber, type ScrubOptions } from '@infold/scrub';
import type { Action } from '../../call/action.ts';
import { CallTimes } from '../../call/call-times.ts';
import type { Parts } from '../../call/parts.ts';
import { sessionOfHandle } from '../../fold/actions/expand.ts';
import { foldActions } from '../../fold/actions/index.ts';
import { Meter } from '../../fold/metering.ts';
import { contextHeaderOf, foldState } from '../../fold/queries.ts';
import { foldResources } from '../../fold/resources.ts';
import { visibleOfSession } from '../../fold/visible.ts';
import { gatewayActions } from '../../gateway/actions/index.ts';
import { Gateway } from '../../gateway/gateway.ts';
import { parseGatewaySettings } from '../../gateway/settings.ts';
import { visibleOfPod } from '../../gateway/visible.ts';
import type { Journal } from '../../journal/journal.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Config, ConfigReport } from '../../kernel/config.ts';
import { createLogger, type LogLevel } from '../../kernel/log.ts';
import { libraryActions } from '../../library/actions/index.ts';
import { Edge } from '../../library/edge/edge.ts';
import { libraryPrompts } from '../../library/prompts.ts';
import { workflowsOf } from '../../library/queries/files.ts';
import { libraryResources } from '../../library/resources.ts';
import { visibleOfHub, visibleOfLibrary, visibleOfWebhooks } from '../../library/visible.ts';
import { Webhooks } from '../../library/webhooks/webhooks.ts';
import { ResourceHub } from '../../mcp/protocol/resources.ts';
import { memoryActions } from '../../memory/actions/index.ts';
import { expandItem } from '../../memory/expand-item.ts';
import { Meaning } from '../../memory/meaning/meaning.ts';
import { parseMeaningSettings } from '../../memory/meaning/settings.ts';
import { noteUse } from '../../memory/use/note.ts';
import { visibleOfMemory } from '../../memory/visible.ts';
import { systemActions } from '../../system/actions/index.ts';
import { Verification } from '../../system/verification.ts';
import { visibleOfAccess } from '../../system/visible.ts';
import { transientActions } from '../../transient/actions/index.ts';
import { expandKept } from '../../transient/handles.ts';
import { Records } from '../../transient/records/index.ts';
import { checkWorkflow } from '../../transient/workflows/check.ts';
import { DenialLog } from '../../trust/access/denials.ts';
import { Clients } from '../../trust/clients/connected-clients.ts';
import { Turns } from '../../trust/limits/fair-scheduler.ts';
import { HeldBytes } from '../../trust/limits/held-bytes.ts';
import { RateLimiter } from '../../trust/limits/rate.ts';
import { windowActions } from '../../window/actions/index.ts';
import { archivedUnder, hostNamesOf } from '../../window/forget.ts';
import { expandOriginal, WindowArchive } from '../../window/originals/archive.ts';
import { forgetPluginFiles } from '../../window/originals/plugin-files.ts';
import { Traffic } from '../../window/requests/traffic.ts';
import { WindowDoor } from '../../window/requests/window-door.ts';
import { visibleOfWindow } from '../../window/visible.ts';
import type { Samples } from '../samples/index.ts';
import { sampleSources } from '../samples/source.ts';
import { FORGETTERS } from './forgetters.ts';
import { createRegistry, toolListOf, toolNames } from './registry.ts';
import type { Services } from './services.ts';

/** Every action that has an address. */
const ACTIONS: readonly Action[] = [
  ...foldActions,
  ...gatewayActions,
  ...libraryActions,
  ...memoryActions,
  ...systemActions,
  ...transientActions,
  ...windowActions,
];

export function createServices(
  config: Config,
  journal: Journal,
  logLevel: LogLevel,
  clock: Clock = systemClock,
  { origins = {}, file = null }: Partial<Pick<ConfigReport, 'origins' | 'file'>> = {},
): Services {
  const log = createLogger(logLevel);
  const scrubber = createScrubber(config.scrub as ScrubOptions | undefined);
  const records = new Records(config, clock);
  const archive = new WindowArchive(config.data, clock, scrubber, { days: config.window.archiveDays });
  const settings = parseGatewaySettings(config.gateway);
  const embeddings = parseMeaningSettings(config.embeddings);
  const meaning =
    embeddings &&
    new Meaning({
      ...{ journal, clock, scrubber, settings: embeddings },
      onError: (error, what) => log.warn({ err: error }, what),
    });
  for (const source of sampleSources(config, journal.database)) records.add(source);
  let gateway: Gateway | undefined;
  let samples: Promise<Samples> | undefined;
  let window: WindowDoor | undefined;
  /** A process that only speaks MCP never needs it. */
  const openWindow = () => {
    const count = services.meter.sent.bind(services.meter);
    window ??= new WindowDoor({ journal, clock, config, scrubber, archive, count });
    return window;
  };
  const parts: Parts = {
    visible: {
      session: visibleOfSession,
      library: visibleOfLibrary,
      memory: visibleOfMemory,
      pod: visibleOfPod,
      access: visibleOfAccess,
      window: visibleOfWindow,
      hub: visibleOfHub,
      webhook: visibleOfWebhooks,
    },
    origins,
    configFile: file,
    clients: new Clients(),
    calls: new CallTimes(),
    verification: new Verification(journal, clock),
    samples: {
      async load(context) {
        samples ??= import('../samples/index.ts').then((module) => new module.Samples(services));
        return (await samples).load(context);
      },
    },
    toolList: () => toolListOf(services.registry, config),
    forgetters: FORGETTERS,
    keptResults: [
      (target) => records.scratch.forget(target),
      (target) => archive.forget(archivedUnder(journal.database, target)),
      (target) => forgetPluginFiles(config.data, hostNamesOf(journal.database, target)),
    ],
    windowArchive: archive,
    get windowPrompts() {
      return window?.prompts;
    },
    get doors() {
      return services.registry.doors();
    },
    records,
    workflows: workflowsOf,
    traffic: new Traffic(),
    meaning,
    handles: [
      (...question) => expandKept(records.scratch, ...question),
      (...question) => expandOriginal(archive, ...question),
      expandItem,
    ],
    expanded: (handle, context) => noteUse(context, [handle], 'expand'),
    get meter() {
      return services.meter;
    },
    get gateway() {
      return services.openGateway();
    },
    edge: new Edge({ journal, clock, config, scrubber }),
    webhooks: new Webhooks({ journal, clock, config, log }),
    fileValidators: [(file) => checkWorkflow(file, toolNames, config.limits)],
  };
  const services: Services = {
    journal,
    actions: ACTIONS,
    parts,
    records,
    prepare: (request) => openWindow().prepare(request),
    registry: createRegistry(config),
    resources: new ResourceHub(journal, [
      ...(config.toolsets.includes('fold') ? foldResources : []),
      ...(config.toolsets.includes('library') ? libraryResources : []),
    ]),
    prompts: config.toolsets.includes('library') ? [libraryPrompts] : [],
    clock,
    config,
    limiter: new RateLimiter(config.limits),
    turns: new Turns(),
    held: new HeldBytes(config.limits.requestBytesInAll),
    denials: new DenialLog(journal, (error) => log.warn({ err: error }, 'a denial could not be recorded')),
    scrubber,
    log,
    meter: new Meter(journal, scrubber, config, (error) =>
      log.warn({ err: error }, 'an operation could not be counted'),
    ),
    sources: records.scratch,
    sessionOf: async (caller, reference) =>
      sessionOfHandle(journal, reference) ??
      (await records.scratch.find(caller, reference))?.session_id ??
      undefined,
    contextState: (sessionId) => contextHeaderOf(foldState(journal.database, sessionId), config.contextLimit),
    openGateway: (serves = false) => {
      gateway ??= new Gateway({
        ...services,
        limits: config.limits,
        settings,
        serves,
        onError: (error, what) => log.warn({ err: error }, what),
      });
      return gateway;
    },
    settle: async () => {
      (await sharing)?.();
      await Promise.all([parts.edge.close(), parts.webhooks.close()]);
      await Promise.all([gateway?.close(), window?.close(), parts.verification.close(), meaning?.close()]);
      await Promise.all([services.meter.drain(), services.denials.close(), records.close(), archive.close()]);
      await (await stateMirror)?.close();
    },
  };
  const { cluster } = journal;
  if (cluster) {
    const onError = (error: unknown) =>
      log.warn({ err: error }, 'results could not be shared with the other nodes');
    archive.share(cluster, onError);
    records.scratch.share(cluster, scrubber, onError);
  }
  const sharing =
    cluster &&
    import('../../trust/limits/cluster/share-rates.ts').then(({ shareRates }) =>
      shareRates(services.limiter, cluster),
    );
  const stateMirror =
    cluster &&
    import('../../fold/state/mirror.ts').then(
      ({ StateMirror }) =>
        new StateMirror({
          ...{ journal, cluster, clock, contextLimit: config.contextLimit },
          sessionLifetime: config.limits.sessionLifetime,
          onError: (error) => log.warn({ err: error }, 'the state of a session could not be written to NATS'),
        }),
    );
  for (const notice of settings.policy.notices) log.warn(notice);
  return services;
}
