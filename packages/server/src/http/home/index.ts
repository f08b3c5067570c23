import { fileURLToPath } from 'node:url';
import type { Context } from 'hono';
import { builtFile } from '../../kernel/built-files.ts';
import { VERSION } from '../../kernel/version.ts';
import type { McpServices } from '../../mcp/tools/call.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { isLocalOwner, LOCAL_ORG } from '../../trust/identity/caller.ts';
import { listProjects } from '../../trust/identity/queries.ts';
import { MODEL_PREFIX } from '../model/address.ts';
import { TOKEN, waysToConnect } from './connect-instructions.ts';

type HomeServices = Pick<McpServices, 'journal' | 'config' | 'registry'>;

/**
 * `GET /` as data: what this is and how to connect to it. Only who owns the machine is told what is running, and only who is
 * known where models are asked.
 */
export function answerHome(context: Context, services: HomeServices, caller: Caller | undefined): Response {
  const owns = caller !== undefined && isLocalOwner(caller);
  const { origin } = new URL(context.req.url);
  // The portable spelling is one that every host and every model API takes.
  const address = `${origin}/mcp?names=portable`;
  const program = owns ? fileURLToPath(builtFile('../bin/infold.mjs')) : undefined;
  return context.json({
    name: 'infold',
    mcp: address,
    ...(owns && runningOf(services)),
    ...(caller && { models: modelsOf(services, `${origin}${MODEL_PREFIX}`, owns) }),
    connect: waysToConnect({ address, needsToken: !owns, program }),
  });
}

function runningOf({ journal, config, registry }: HomeServices) {
  return {
    version: VERSION,
    projects: listProjects(journal.database, LOCAL_ORG).length,
    doors: registry.doors(),
    data: config.data,
  };
}

/** What a host is given as the address of its provider. */
function modelsOf({ config }: HomeServices, prefix: string, owns: boolean) {
  return Object.entries(config.window.upstreams).map(([upstream, { dialect }]) => ({
    upstream,
    dialect,
    address: `${prefix}${upstream}${owns ? '' : `/~${TOKEN}`}`,
  }));
}
