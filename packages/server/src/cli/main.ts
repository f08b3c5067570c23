import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type ConfigReport, DOORS, type Flags, loadConfig, parseList, SPELLINGS } from '../kernel/config.ts';
import type { LogLevel } from '../kernel/log.ts';
import { VERSION } from '../kernel/version.ts';
import { createOutput, EXIT, exitCodeOf, type Output, printError } from './output.ts';

// Kept here too: loading the logger only to know its levels would slow every start.
const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

interface GlobalFlags {
  data?: string;
  config?: string;
  json?: boolean;
  logLevel: LogLevel;
}

interface Run {
  report: ConfigReport;
  output: Output;
  logLevel: LogLevel;
}

// biome-ignore lint/suspicious/noConfusingVoidType: most commands answer nothing, some an exit code
type Work<Own> = (run: Run, flags: Own, ...values: string[]) => Promise<number | void>;

/** Runs the command line. Each command is loaded when it is called, so that none pays for the others. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  let json = argv.includes('--json');

  /** Reads the configuration, runs the command, remembers its exit code. */
  function action<Own extends object>(work: Work<Own>, configFlags: (flags: Own) => Flags = () => ({})) {
    return async (...values: unknown[]) => {
      const command = values.at(-1) as Command;
      const flags = command.optsWithGlobals<GlobalFlags & Own>();
      json = flags.json ?? false;
      const report = loadConfig({ data: flags.data, config: flags.config, ...configFlags(flags) });
      const run = { report, output: createOutput(json), logLevel: flags.logLevel };
      exitCode = (await work(run, flags, ...(values.slice(0, -2) as string[]))) ?? EXIT.done;
    };
  }

  const program = new Command('infold')
    .description(
      'The context layer for LLM agents: branch and fold, governed rules, memory, shared reasoning.',
    )
    .version(VERSION, '--version')
    .option('--data <dir>', 'data folder (default: ~/.infold)')
    .option('--config <file>', 'configuration file (default: ./infold.config.json if there)')
    .option('--json', 'answer in JSON')
    .addOption(new Option('--log-level <level>', 'what to log on stderr').choices(LOG_LEVELS).default('info'))
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
    .showHelpAfterError('(infold --help lists the commands)');

  const serveFlags = (flags: { port?: number; host?: string } & ToolFlags): Flags => ({
    port: flags.port,
    host: flags.host,
    toolsets: flags.toolsets,
    toolNames: flags.toolNames,
  });

  withToolFlags(program.command('serve'))
    .description('Serve MCP over HTTP, the REST API and the console on one port')
    .option('--port <port>', 'port to listen on, 0 for any free one (default: 9090)', parsePort)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .action(
      action<{ port?: number; host?: string } & ToolFlags>(async ({ report, logLevel }) => {
        await (await import('./serve.ts')).serve(report.config, logLevel);
      }, serveFlags),
    );

  withToolFlags(program.command('stdio'))
    .description('Serve MCP on standard input and output, for a host that starts this program')
    .option('--project <project>', 'id, name or path of the project (default: the working folder)')
    .action(
      action<{ project?: string } & ToolFlags>(async ({ report, logLevel }, flags) => {
        const level = logLevel === 'info' ? 'warn' : logLevel;
        await (await import('./stdio.ts')).stdio(report.config, level, flags.project);
      }, serveFlags),
    );

  program
    .command('sessions')
    .description('List live sessions with their tokens')
    .option('--all', 'ended ones too')
    .action(
      action<{ all?: boolean }>(async ({ report, output }, flags) =>
        (await import('./tree.ts')).sessions(report.config, output, flags),
      ),
    );
  program
    .command('tree [session]')
    .description('Draw the context tree of a session (default: the one used last)')
    .option('--watch', 'draw it again whenever it changes')
    .action(
      action<{ watch?: boolean }>(async ({ report, output }, flags, session) =>
        (await import('./tree.ts')).tree(report.config, output, session, flags),
      ),
    );

  const token = program.command('token').description('Make, list and revoke access tokens');
  token
    .command('create')
    .description('Make a token and show it once. From then on HTTP callers need one')
    .requiredOption('--name <name>', 'who holds it: the principal, and the participant id in the gateway')
    .option('--org <org>', 'organisation (default: local)')
    .option('--project <project...>', 'projects that it opens (default: all)')
    .option('--scope <scopes>', 'comma-separated: read, write, review, admin', 'read,write')
    .option('--capability <capability...>', 'what it may send in the gateway (default: *)')
    .option('--expires <duration>', 'such as 30d, 12h, 45m (default: never)')
    .action(
      action<import('./token.ts').TokenFlags>(async ({ report, output }, flags) => {
        await (await import('./token.ts')).tokenCreate(report.config, output, flags);
      }),
    );
  token
    .command('list')
    .description('List tokens, without their secrets')
    .action(
      action(async ({ report, output }) => (await import('./token.ts')).tokenList(report.config, output)),
    );
  token
    .command('revoke <id>')
    .description('End a token at once')
    .action(
      action(async ({ report, output }, _flags, id) =>
        (await import('./token.ts')).tokenRevoke(report.config, output, id!),
      ),
    );

  const project = program.command('project').description('Add and list projects');
  project
    .command('add')
    .description('Add a project, with or without a folder')
    .requiredOption('--name <name>', 'name of the project')
    .option('--path <path>', 'its folder')
    .option('--org <org>', 'organisation (default: local)')
    .action(
      action<{ name: string; path?: string; org?: string }>(async ({ report, output }, flags) =>
        (await import('./project.ts')).projectAdd(report.config, output, flags),
      ),
    );
  project
    .command('list')
    .description('List projects')
    .option('--org <org>', 'organisation (default: local)')
    .action(
      action<{ org?: string }>(async ({ report, output }, flags) =>
        (await import('./project.ts')).projectList(report.config, output, flags.org),
      ),
    );

  program
    .command('verify')
    .description('Check that no journal entry was changed, dropped or reordered (exit code 4 if one was)')
    .action(
      action(async ({ report, output }) => (await import('./maintain.ts')).verify(report.config, output)),
    );
  program
    .command('rebuild')
    .description('Make all tables anew from the journal')
    .action(
      action(async ({ report, output }) => (await import('./maintain.ts')).rebuild(report.config, output)),
    );
  program
    .command('doctor')
    .description('Check this machine and the data folder, with advice')
    .action(action(async ({ report, output }) => (await import('./doctor.ts')).doctor(report, output)));
  program
    .command('config')
    .description('Show the effective configuration and where each value came from')
    .action(action(async ({ report, output }) => (await import('./config.ts')).showConfig(report, output)));

  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    printError(error, json);
    return exitCodeOf(error);
  }
}

interface ToolFlags {
  toolsets?: (typeof DOORS)[number][];
  toolNames?: (typeof SPELLINGS)[number];
}

function withToolFlags(command: Command): Command {
  return command
    .option('--toolsets <doors>', `comma-separated doors: ${DOORS.join(', ')}`, parseList)
    .addOption(
      new Option('--tool-names <spelling>', 'memory.load (seed) or memory_load (portable)').choices(
        SPELLINGS,
      ),
    );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  }
  return port;
}
