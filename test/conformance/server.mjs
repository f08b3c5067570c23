import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { openJournal } from '../../packages/server/dist/cli/services/journal.js';
import { untilStopped } from '../../packages/server/dist/cli/signals.js';
import { createHttpApp } from '../../packages/server/dist/http/app.js';
import { listen, stopListening } from '../../packages/server/dist/http/connections/listen.js';
import { Metrics } from '../../packages/server/dist/http/metrics.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { ResourceHub } from '../../packages/server/dist/mcp/protocol/resources.js';
import { ToolRegistry } from '../../packages/server/dist/mcp/tools/registry.js';
import { prompts } from './prompts.mjs';
import { resources } from './resources.mjs';
import { tools } from './tools.mjs';

/**
 * `node server.mjs FOLDER`: the program's own HTTP and MCP layers on a real journal, with the tools, resources and
 * prompts that the public conformance suite calls by name in place of the doors.
 */
const { config } = loadConfig({ data: process.argv[2], port: 0, toolsets: [] }, {});
const journal = await openJournal(config);
const services = {
  ...createServices(config, journal, 'warn'),
  registry: new ToolRegistry(tools, config),
  resources: new ResourceHub(journal, resources),
  prompts: [prompts],
  metrics: new Metrics(journal),
  ready: () => true,
};
const app = createHttpApp(services);
const listening = await listen({ host: config.host, port: config.port, fetch: app.fetch });
process.stdout.write(`conformance fixtures listening on ${listening.url}\n`);
await untilStopped();
await stopListening(listening, 1000, () => app.close());
await services.settle();
await journal.close();
