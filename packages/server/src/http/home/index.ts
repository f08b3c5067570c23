import { fileURLToPath } from 'node:url';
import type { Context } from 'hono';
import { builtFile } from '../../kernel/built.ts';
import { VERSION } from '../../kernel/version.ts';
import type { McpServices } from '../../mcp/call.ts';
import type { Caller } from '../../trust/caller.ts';
import { isLocalOwner, LOCAL_ORG } from '../../trust/caller.ts';
import { listProjects } from '../../trust/identity/queries.ts';
import { waysToConnect } from './connect.ts';
import { type Home, PAGE_POLICY, type Running, renderHome } from './page.ts';

type HomeServices = Pick<McpServices, 'journal' | 'config' | 'registry'>;

/** `GET /`: tells a person, or a program that asks for JSON, what this is and how to connect to it. */
export function answerHome(context: Context, services: HomeServices, caller: Caller | undefined): Response {
  const owns = caller !== undefined && isLocalOwner(caller);
  // The portable spelling is one that every host and every model API takes.
  const address = `${new URL(context.req.url).origin}/mcp?names=portable`;
  const program = owns ? fileURLToPath(builtFile('../bin/infold.mjs')) : undefined;
  const ways = waysToConnect({ address, needsToken: !owns, program });
  const home: Home = { address, needsToken: !owns, running: owns ? runningOf(services) : undefined, ways };
  if (wantsJson(context.req.header('accept'))) {
    return context.json({ name: 'infold', mcp: address, ...home.running, connect: ways });
  }
  return context.html(renderHome(home), 200, { 'Content-Security-Policy': PAGE_POLICY });
}

function runningOf({ journal, config, registry }: HomeServices): Running {
  return {
    version: VERSION,
    projects: listProjects(journal.database, LOCAL_ORG).length,
    doors: registry.doors(),
    data: config.data,
  };
}

function wantsJson(accept = ''): boolean {
  return /\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept);
}
