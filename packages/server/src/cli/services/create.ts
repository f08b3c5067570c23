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
import type { SqliteJournal } from '../../journal/sqlite.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Config, ConfigReport } from '../../kernel/config.ts';
import { createLogger, type LogLevel } from '../../kernel/log.ts';
import { libraryActions } from '../../library/actions/index.ts';
import { libraryPrompts } from '../../library/prompts.ts';
import { workflowsOf } from '../../library/queries/files.ts';
import { libraryResources } from '../../library/resources.ts';
import { visibleOfLibrary } from '../../library/visible.ts';
import { ResourceHub } from '../../mcp/protocol/resources.ts';
import { memoryActions } from '../../memory/actions/index.ts';
import { visibleOfMemory } from '../../memory/visible.ts';
import { systemActions } from '../../system/actions/index.ts';
import { Verification } from '../../system/verification.ts';
import { visibleOfAccess } from '../../system/visible.ts';
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
  ...windowActions,
];

export function createServices(
  config: Config,
  journal: SqliteJournal,
  logLevel: LogLevel,
  clock: Clock = systemClock,
  { origins = {}, file = null }: Partial<Pick<ConfigReport, 'origins' | 'file'>> = {},
): Services {
  const log = createLogger(logLevel);
  const scrubber = createScrubber(config.scrub as ScrubOptions | undefined);
  const records = new Records(config, clock);
  const archive = new WindowArchive(config.data, clock, scrubber, { days: config.window.archiveDays });
  const settings = parseGatewaySettings(config.gateway);
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
    handles: [
      (...question) => expandKept(records.scratch, ...question),
      (...question) => expandOriginal(archive, ...question),
    ],
    get meter() {
      return services.meter;
    },
    get gateway() {
      return services.openGateway();
    },
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
      await Promise.all([gateway?.close(), window?.close(), parts.verification.close()]);
      await Promise.all([services.meter.drain(), services.denials.close(), records.close(), archive.close()]);
    },
  };
  for (const notice of settings.policy.notices) log.warn(notice);
  return services;
}
