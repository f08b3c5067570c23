import { existsSync } from 'node:fs';
import { createScrubber, type ScrubOptions } from '@infold/scrub';
import type { Action } from '../../call/action.ts';
import { CallTimes } from '../../call/call-times.ts';
import type { Parts } from '../../call/parts.ts';
import type { ToolDefinition } from '../../call/tool.ts';
import { sessionOfHandle } from '../../fold/actions/expand.ts';
import { foldActions } from '../../fold/actions/index.ts';
import { Meter } from '../../fold/metering.ts';
import { contextHeaderOf, foldState } from '../../fold/queries.ts';
import { foldResources } from '../../fold/resources.ts';
import { foldTools } from '../../fold/tools.ts';
import { visibleOfSession } from '../../fold/visible.ts';
import { gatewayActions } from '../../gateway/actions/index.ts';
import { Gateway } from '../../gateway/gateway.ts';
import { parseGatewaySettings } from '../../gateway/settings.ts';
import { gatewayTools } from '../../gateway/tools.ts';
import { visibleOfPod } from '../../gateway/visible.ts';
import { mayOnlyBeRead } from '../../journal/open.ts';
import { SqliteJournal } from '../../journal/sqlite.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type Config, type ConfigReport, DEFAULT_DATA } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { createLogger, type LogLevel } from '../../kernel/log.ts';
import { libraryActions } from '../../library/actions/index.ts';
import { libraryPrompts } from '../../library/prompts.ts';
import { workflowsOf } from '../../library/queries/files.ts';
import { libraryResources } from '../../library/resources.ts';
import { libraryTools } from '../../library/tools.ts';
import { visibleOfLibrary } from '../../library/visible.ts';
import { ResourceHub } from '../../mcp/protocol/resources.ts';
import type { McpServices } from '../../mcp/tools/call.ts';
import { toolListCost } from '../../mcp/tools/list-cost.ts';
import { ToolRegistry } from '../../mcp/tools/registry.ts';
import { memoryActions } from '../../memory/actions/index.ts';
import { memoryTools } from '../../memory/tools.ts';
import { visibleOfMemory } from '../../memory/visible.ts';
import { systemActions } from '../../system/actions/index.ts';
import { systemTools } from '../../system/tools.ts';
import { Verification } from '../../system/verification.ts';
import { visibleOfAccess } from '../../system/visible.ts';
import { expandKept } from '../../transient/handles.ts';
import { Records } from '../../transient/records/index.ts';
import { transientTools } from '../../transient/tools.ts';
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
import type { Prepare } from '../../window/requests/prepare.ts';
import { Traffic } from '../../window/requests/traffic.ts';
import { WindowDoor } from '../../window/requests/window-door.ts';
import { visibleOfWindow } from '../../window/visible.ts';
import { progressBar } from '../progress.ts';
import type { Samples } from '../samples/index.ts';
import { sampleSources } from '../samples/source.ts';
import { FORGETTERS } from './forgetters.ts';
import { PROJECTIONS } from './projections.ts';

export async function openJournal(config: Config): Promise<SqliteJournal> {
  const bar = progressBar('upgrading the data folder');
  try {
    return await SqliteJournal.open({
      folder: config.data,
      projections: PROJECTIONS,
      limits: config.limits,
      onRebuild: bar.update,
    });
  } finally {
    bar.done();
  }
}

/** For commands that look at what is there: a mistyped folder is not made, and not taken for an empty one. */
export async function openExistingJournal(config: Config): Promise<SqliteJournal> {
  if (!existsSync(config.data) && config.data !== DEFAULT_DATA) {
    throw new InfoldError('not_found', `There is no data folder ${config.data}; check --data`);
  }
  return openJournal(config);
}

/** To serve from: every call of an agent writes. */
export async function openJournalToServe(config: Config): Promise<SqliteJournal> {
  const journal = await openJournal(config);
  if (!mayOnlyBeRead(journal.database.path)) return journal;
  await journal.close();
  throw new InfoldError(
    'storage_read_only',
    `${journal.database.path} is read-only and cannot be written. It can be verified and searched from the command line`,
  );
}

const DOOR_TOOLS: readonly ToolDefinition[] = [
  ...foldTools,
  ...libraryTools,
  ...memoryTools,
  ...transientTools,
  ...gatewayTools,
];

const toolNames = () => DOOR_TOOLS.map(({ action }) => action.name);

export function createRegistry(config: Config): ToolRegistry {
  return new ToolRegistry([...systemTools, ...DOOR_TOOLS], config);
}

/** In the spelling that most models read. */
function toolListOf(
  registry: ToolRegistry,
  { toolNames = 'portable' }: Config,
): ReturnType<Parts['toolList']> {
  const { each, all } = toolListCost(registry.list(toolNames));
  const tools = registry.tools.map(({ name, title, action: { door } }, place) => ({
    name,
    title,
    door,
    tokens: each[place]!,
  }));
  return { tools, tokens: all };
}

/** Every action that has an address. */
const ACTIONS: readonly Action[] = [
  ...foldActions,
  ...gatewayActions,
  ...libraryActions,
  ...memoryActions,
  ...systemActions,
  ...windowActions,
];

/** Everything that a call needs, on an open journal. */
export interface Services extends McpServices {
  /** What can be done over HTTP besides the tools, in whichever door. */
  actions: readonly Action[];
  meter: Meter;
  records: Records;
  /** What becomes of a conversation on its way to a model. */
  prepare: Prepare;
  /**
   * Begins with the first who asks for it, who says whether this process serves pods; one that only speaks MCP may never
   * need it.
   */
  openGateway(serves?: boolean): Gateway;
  /** Lets everything that is under way come to its end. */
  settle(): Promise<void>;
}

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
    denials: new DenialLog(journal, (error) => log.warn({ err: error }, 'a denial was not recorded')),
    scrubber,
    log,
    meter: new Meter(journal, scrubber, config, (error) =>
      log.warn({ err: error }, 'an operation was not counted'),
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
