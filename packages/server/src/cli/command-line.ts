import type { ScrubOptions } from '@infold/scrub';
import { Command, Option } from 'commander';
import { type ConfigReport, type Flags, loadConfig } from '../kernel/config.ts';
import type { LogLevel } from '../kernel/log.ts';
import { VERSION } from '../kernel/version.ts';
import { createOutput, EXIT, type Output } from './output.ts';

// Kept here too: loading the logger only to know its levels would slow every start.
const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

interface GlobalFlags {
  data?: string;
  config?: string;
  json?: boolean;
  logLevel: LogLevel;
}

/** What a command gets besides its own flags. */
export interface Run {
  report: ConfigReport;
  output: Output;
  logLevel: LogLevel;
}

export interface ProjectFlag {
  project?: string;
}

// biome-ignore lint/suspicious/noConfusingVoidType: most commands answer nothing, some an exit code
export type CommandWork<Own> = (run: Run, flags: Own, ...values: string[]) => Promise<number | void>;

/** The command line while it is put together: doors add their commands, and one of them is run. */
export class CommandLine {
  readonly program: Command;
  exitCode: number = EXIT.done;
  json = false;
  /** As it was typed. */
  argv: readonly string[] = [];

  constructor() {
    this.program = new Command('infold')
      .description(
        'The context layer for LLM agents: branch and fold, governed rules, memory, shared reasoning.',
      )
      .version(VERSION, '--version')
      .option('--data <dir>', 'data folder (default: ~/.infold)')
      .option('--config <file>', 'configuration file (default: ./infold.config.json, if it exists)')
      .option('--json', 'answer in JSON')
      .addOption(
        new Option('--log-level <level>', 'what to log on stderr').choices(LOG_LEVELS).default('info'),
      )
      .exitOverride()
      // With --json what is wrong is told once, as other errors are.
      .configureOutput({ writeErr: (text) => void (this.asksForJson || process.stderr.write(text)) })
      .showHelpAfterError('(infold --help lists the commands)');
  }

  /** Also where the words could not be understood. What follows "--" is another program's. */
  get asksForJson(): boolean {
    const end = this.argv.indexOf('--');
    return (end < 0 ? this.argv : this.argv.slice(0, end)).includes('--json');
  }

  /** Reads the configuration, runs the command, remembers its exit code. */
  action<Own extends object>(work: CommandWork<Own>, configFlags: (flags: Own) => Flags = () => ({})) {
    return async (...values: unknown[]): Promise<void> => {
      const command = values.at(-1) as Command;
      const flags = command.optsWithGlobals<GlobalFlags & Own>();
      this.json = flags.json ?? false;
      const report = loadConfig({ data: flags.data, config: flags.config, ...configFlags(flags) });
      await refuseSecretNames({ ...flags, ...namedArguments(command) }, report.config.scrub);
      const run = { report, output: createOutput(this.json), logLevel: flags.logLevel };
      this.exitCode = (await work(run, flags, ...(values.slice(0, -2) as string[]))) ?? EXIT.done;
    };
  }
}

function namedArguments({ registeredArguments, processedArgs }: Command): Record<string, unknown> {
  return Object.fromEntries(registeredArguments.map((one, index) => [one.name(), processedArgs[index]]));
}

/** Flags and arguments that name what a command writes. */
const NAMES = [
  'project',
  'pod',
  'name',
  'path',
  'org',
  'session',
  'agent',
  'from',
  'kind',
  'id',
  'to',
  'type',
  'capability',
];

/** KERN-12. The rules for secrets are loaded for such flags alone. */
async function refuseSecretNames(flags: object, scrub: ConfigReport['config']['scrub']): Promise<void> {
  if (!NAMES.some((name) => Object.hasOwn(flags, name))) return;
  const { createScrubber } = await import('@infold/scrub');
  const { checkNames } = await import('../trust/secrets/identifiers.ts');
  checkNames(createScrubber(scrub as ScrubOptions | undefined), flags, NAMES);
}
