import type { CommandLine } from '../command-line.ts';
import type { RunFlags } from './run.ts';

const HELP = `
Examples:
  infold run claude-code                      a host, with its window kept small and Infold's tools, for this one run
  infold run codex -- exec "Fix the tests"    what follows "--" is the host's own
  infold run -- node agent.js                 any command: the addresses of model APIs are set in its environment
  infold run --dry-run gemini                 show what would be run

Hosts: claude-code, codex, gemini, qwen, opencode.

Nothing is written to a host's settings. Requests go to the same model with the same key or login as without Infold. If an
address for the model is already set, such as a company's gateway, they still go there. The exit code is the command's.

A server on the configured port ("port", INFOLD_PORT) is used if it serves the same data folder and needs no token.
Otherwise this process starts a server that ends with the command. It knows the upstreams of the configuration, but not
those that another server was given with --upstream.`;

/** One host or command with the window door, and nothing installed. */
export function addRun(line: CommandLine): void {
  line.program
    .command('run')
    .usage('[options] HOST [-- ARGUMENTS] | [options] -- COMMAND [ARGUMENTS]')
    .description('Run a host, or any command, with its model behind the window door')
    .argument('[words...]')
    .option('--dry-run', 'show the command and its settings, and run nothing')
    .option('--receipt <file>', 'write the receipt to a file, as JSON, instead of printing it')
    .option('--no-receipt', 'print no receipt')
    .addHelpText('after', HELP)
    .action(
      line.action<RunFlags>(async (running, flags, ...given) => {
        const words = given.flat();
        const { run, wantedOf } = await import('./run.ts');
        return run(running, flags, wantedOf(words, line.argv));
      }),
    );
}
