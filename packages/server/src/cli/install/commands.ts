import type { CommandLine } from '../command-line.ts';
import type { InstallFlags, UninstallFlags } from './carry-out.ts';

const HOSTS =
  'Hosts: claude-code, codex, gemini, qwen, opencode, pi, cursor, vscode, copilot, windsurf, zed, goose, cline.';

const INSTALL = `
Examples:
  infold install                            every host that is found on this machine
  infold install --dry-run                  show what would be written, and write nothing
  infold install codex gemini               these two
  infold install --scope project cursor     only in this project; --project DIR names another folder
  infold install --window claude-code       also send its model's requests through the window door of a server

${HOSTS}

Each gets the MCP server, hooks where it has them, and a skill that tells its model when to use them. Files are edited in
place: comments, order and every other entry stay as they are. A file that cannot be parsed is not touched, and neither is
an entry that is not ours. "infold uninstall" removes exactly what was added; installing twice changes nothing.
Exit code 3: something was not written, for one of these reasons or because our entry was edited by hand.`;

const UNINSTALL = `
Examples:
  infold uninstall                          everything that was installed, for you and in this project
  infold uninstall --dry-run                show what would be removed
  infold uninstall codex                    one host
  infold uninstall --scope project          only what is in this project

${HOSTS}

A file that nobody has changed since becomes what it was, byte for byte. From a file that was changed, only our entries are
removed. An entry that was edited by hand stays and is reported (exit code 3); --force removes it too. The data folder
stays: it holds your memory, rules and journal.`;

/** Hosts that have Infold for good, until they are rid of it. */
export function addInstall(line: CommandLine): void {
  line.program
    .command('install')
    .usage('[options] [HOST…]')
    .description('Add Infold to agent hosts: tools, hooks, skill')
    .argument('[hosts...]')
    .option('--scope <scope>', 'user: everywhere; project: in this project (default: user)')
    .option('--project <dir>', "the project's folder (default: this folder)")
    .option('--window', "send requests of the host's model through the window door of a running server")
    .option('--http', 'connect to a running server instead of starting a process for each session')
    .option('--force', 'replace entries that Infold did not write')
    .option('--dry-run', 'show what would be written, and write nothing')
    .addHelpText('after', INSTALL)
    .action(
      line.action<InstallFlags>(async (run, flags, ...given) => {
        const { install } = await import('./install.ts');
        const { installablesFor } = await import('../hosts/installables.ts');
        return install(run, flags, given.flat(), await installablesFor(run, flags));
      }),
    );
  line.program
    .command('uninstall')
    .usage('[options] [HOST…]')
    .description('Remove from agent hosts what "install" wrote')
    .argument('[hosts...]')
    .option('--scope <scope>', 'user or project (default: both)')
    .option('--project <dir>', "the project's folder (default: this folder)")
    .option('--force', 'also remove entries that were edited by hand')
    .option('--dry-run', 'show what would be removed, and change nothing')
    .addHelpText('after', UNINSTALL)
    .action(
      line.action<UninstallFlags>(async (run, flags, ...given) => {
        const { uninstall } = await import('./uninstall.ts');
        const { installablesFor } = await import('../hosts/installables.ts');
        return uninstall(run, flags, given.flat(), await installablesFor(run, {}));
      }),
    );
}
