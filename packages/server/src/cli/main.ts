import { CommanderError } from 'commander';
import { InfoldError } from '../kernel/errors.ts';
import { CommandLine } from './command-line.ts';
import { addDemo } from './commands/demo.ts';
import { addFold } from './commands/fold.ts';
import { addGateway } from './commands/gateway.ts';
import { addHook } from './commands/hook.ts';
import { addIdentity } from './commands/identity.ts';
import { addInstall } from './commands/install.ts';
import { addLibrary } from './commands/library.ts';
import { addMaintenance } from './commands/maintenance.ts';
import { addMemory } from './commands/memory.ts';
import { addRun } from './commands/run.ts';
import { addServing } from './commands/serving.ts';
import { addStatusline } from './commands/statusline.ts';
import { addTransient } from './commands/transient.ts';
import { addTrust } from './commands/trust.ts';
import { addWindow } from './commands/window.ts';
import { EXIT, exitCodeOf, printError } from './output.ts';

/** Runs the command line. Each command is loaded when it is called, so that none pays for the others. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = new CommandLine();
  for (const add of [
    addServing,
    addRun,
    addInstall,
    addHook,
    addStatusline,
    addFold,
    addLibrary,
    addMemory,
    addTransient,
    addGateway,
    addWindow,
    addIdentity,
    addTrust,
    addMaintenance,
    addDemo,
  ])
    add(line);
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
