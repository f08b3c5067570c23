import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../kernel/built-files.ts';
import type { ConfigReport } from '../../kernel/config.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { anyTokenMade } from '../../trust/identity/queries.ts';
import { newToken } from '../../trust/identity/tokens.ts';
import { actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';
import type { Additions, Mcp, RunConnection, RunnableHost } from '../hosts/host.ts';
import { RUNNABLE, runnableNamed } from '../hosts/index.ts';
import { programNamed } from '../hosts/machine/program.ts';
import { surroundingsOf } from '../hosts/machine/surroundings.ts';
import { type Ours, oursOf } from '../hosts/our-program.ts';
import { EXIT, printError } from '../output.ts';
import { anyCommand } from './any-command.ts';
import { type Invocation, runChild } from './child.ts';
import { showPlan } from './dry-run.ts';
import {
  checkReceiptFile,
  type Ended,
  type Receipt,
  readReceipt,
  showReceipt,
  writeReceipt,
} from './receipt.ts';
import { findServer, openOwnServer } from './server.ts';
import { type Addresses, addressesOf, baseAt } from './upstreams.ts';

export interface RunFlags {
  dryRun?: boolean;
  /** A file that the receipt is written to as JSON; false: none at all. */
  receipt?: string | boolean;
}

/** What is run: a host by its name, or a command as it is. */
export interface Wanted {
  host?: string;
  program?: string;
  args: readonly string[];
}

/** Where every word stands behind "--", the first one is a command and not the name of a host. */
export function wantedOf(words: readonly string[], argv: readonly string[]): Wanted {
  const [first, ...args] = words;
  if (first === undefined) {
    throw new InfoldError(
      'invalid_arguments',
      `Say what to run: a host (${RUNNABLE.map(({ name }) => name).join(', ')}), or "-- COMMAND"`,
    );
  }
  const behind = argv.includes('--') ? argv.length - argv.indexOf('--') - 1 : 0;
  return behind === words.length ? { program: first, args } : { host: first, args };
}

/** The code that shells answer with for a command that is not there. */
const NOT_FOUND = 127;

export async function run(running: Run, flags: RunFlags, wanted: Wanted): Promise<number> {
  const { report, output } = running;
  if (typeof flags.receipt === 'string') checkReceiptFile(flags.receipt);
  const host = wanted.host === undefined ? undefined : runnableNamed(wanted.host);
  const name = host?.program ?? wanted.program!;
  const program = programNamed(name, process.env.PATH);
  if (program === undefined) {
    printError(new InfoldError('not_found', notInstalled(name, host)), output.json);
    return NOT_FOUND;
  }
  const surroundings = surroundingsOf(program);
  const found = host ? await host.run.look(surroundings) : anyCommand.look(surroundings);
  const addresses = await addressesOf(found);
  for (const note of found.notes ?? []) output.note(`infold: ${note}`);
  const invoke = (server: string, token: string | undefined): Invocation => {
    const mcp = host && !found.hasMcp ? mcpOf(report) : undefined;
    const hooks = found.hasHooks ? undefined : hooksOf(report);
    const connection = {
      base: baseAt(server, token, addresses),
      mcp,
      hooks,
      found,
      environment: process.env,
    };
    const additions = additionsOf(host, connection);
    return {
      program,
      args: [...additions.args, ...wanted.args],
      environment: { ...process.env, ...additions.environment },
    };
  };
  if (flags.dryRun) {
    const isThere = existsSync(report.config.data);
    const needsToken = isThere && (await stateOf(running, false)).needsToken;
    await showPlan(output, report.config, addresses, invoke, needsToken);
    return EXIT.done;
  }
  const startedAt = Date.now();
  const { seq, needsToken } = await stateOf(running);
  const ended = await runThroughDoor(running, addresses, needsToken ? newToken() : undefined, invoke);
  if (flags.receipt === false) return ended.code;
  try {
    tell(running, flags, await readReceipt(running, { ...ended, command: name, startedAt, since: seq }));
  } catch (error) {
    // What the command came to is not lost for it.
    output.note(`infold: there is no receipt: ${messageOf(error)}`);
  }
  return ended.code;
}

function notInstalled(name: string, host: RunnableHost | undefined): string {
  return host
    ? `${host.title} is not installed: there is no "${name}" on the PATH. ${host.install} installs it`
    : `There is no command "${name}" on the PATH`;
}

function additionsOf(host: RunnableHost | undefined, connection: RunConnection): Additions {
  return host ? host.run.connect(connection) : anyCommand.connect(connection);
}

/** Where the journal stands, and whether callers need a token. */
function stateOf(running: Run, makesFolder = true): Promise<{ seq: number; needsToken: boolean }> {
  return actInFolder(running, { makesFolder }, async (_call, { journal }) => ({
    seq: journal.head().seq,
    needsToken: anyTokenMade(journal.database),
  }));
}

async function runThroughDoor(
  { report, output, logLevel }: Run,
  { upstreams, doors }: Addresses,
  token: string | undefined,
  invoke: (server: string, token: string | undefined) => Invocation,
): Promise<Ended> {
  const { config } = report;
  // A server that runs already has upstreams of its own; and where it asks for tokens, we would not be the owner there.
  const canShare = Object.keys(upstreams).length === 0 && token === undefined && !config.oauth;
  const there = canShare ? await findServer(config) : {};
  if ('url' in there) return { code: await runChild(invoke(there.url, undefined)), shared: there.url };
  if (there.note) output.note(`infold: ${there.note}`);
  // The terminal is the command's: what a server logs would be written across it.
  const own = await openOwnServer(report, upstreams, token, logLevel === 'info' ? 'silent' : logLevel);
  let code: number;
  try {
    code = await runChild(invoke(own.url, token));
  } catch (error) {
    await own.close();
    throw error;
  }
  const passed = await own.close();
  const [other] = Object.values(doors);
  return other === undefined ? { code, passed } : { code, shared: new URL(other).origin };
}

function mcpOf({ config, file }: ConfigReport): Mcp {
  const program = fileURLToPath(builtFile('../bin/infold.mjs'));
  const where = [
    '--data',
    config.data,
    ...(file === null ? [] : ['--config', file]),
    '--project',
    process.cwd(),
  ];
  return { command: process.execPath, args: [program, 'stdio', ...where] };
}

/** Hooks of one run speak to the data folder of that run. */
function hooksOf(report: ConfigReport): Ours {
  return { ...oursOf(report), isCached: false, dataFlags: ['--data', report.config.data] };
}

/** Standard output is the command's. */
function tell({ output }: Run, { receipt: file }: RunFlags, receipt: Receipt): void {
  if (typeof file === 'string') writeReceipt(file, receipt);
  else if (output.json) output.note(JSON.stringify(receipt, null, 2));
  else output.note(showReceipt(receipt));
}
