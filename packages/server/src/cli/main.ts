import { CommanderError } from 'commander';
import { InfoldError } from '../kernel/errors.ts';
import { addCluster } from './cluster/commands.ts';
import { CommandLine } from './command-line.ts';
import { addDemo } from './demo/demo.ts';
import { addFold } from './fold/commands.ts';
import { addGateway } from './gateway/commands.ts';
import { addHook } from './hooks/hook.ts';
import { addStatusline } from './hooks/statusline.ts';
import { addHub } from './hub/commands.ts';
import { addInstall } from './install/commands.ts';
import { addLibrary } from './library/commands.ts';
import { addMemory } from './memory/commands.ts';
import { EXIT, exitCodeOf, printError } from './output.ts';
import { addRun } from './run/commands.ts';
import { addServing } from './serve/commands.ts';
import { addSystem } from './system/commands.ts';
import { addTransient } from './transient/commands.ts';
import { addWebhooks } from './webhook/commands.ts';
import { addWindow } from './window/commands.ts';

/** Every command, in the order in which `--help` lists them. */
export function commandLine(): CommandLine {
  const line = new CommandLine();
  for (const add of [
    addServing,
    addRun,
    addInstall,
    addHook,
    addStatusline,
    addFold,
    addLibrary,
    addHub,
    addWebhooks,
    addMemory,
    addTransient,
    addGateway,
    addWindow,
    addSystem,
    addCluster,
    addDemo,
  ])
    add(line);
  return line;
}

/** Runs the command line. Each command is loaded when it is called, so that none pays for the others. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine();
  line.argv = argv;
  try {
    await line.program.parseAsync(argv, { from: 'user' });
    return line.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done;
      if (line.asksForJson) printError(usageError(error), true);
      return EXIT.usage;
    }
    printError(error, line.json || line.asksForJson);
    return exitCodeOf(error);
  }
}

function usageError({ code, message }: CommanderError): InfoldError {
  const what = code === 'commander.help' ? 'A command is missing' : message.replace(/^error: /, '');
  return new InfoldError(
    'invalid_arguments',
    `${what.replace(/\s*\n\s*/g, ' ')} (infold --help lists the commands)`,
  );
}
