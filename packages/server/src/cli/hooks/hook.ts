import { HOST_NAMES } from '@infold/protocol';
import type { CommandLine } from '../command-line.ts';

const HELP = `
Hosts: ${HOST_NAMES.join(', ')}

Sends what the host writes to standard input to the server of the data folder ("infold serve", or the process that a host
started), and prints the answer. When no server is running, the event is stored and read later. A host is never blocked: on
any error, this prints nothing and exits with 0. "infold install" writes these commands for you.

Examples:
  infold hook claude-code SessionStart < payload.json
  infold hook codex PostToolUse --data ~/.infold < payload.json`;

/** Only what it says of itself: `bin/infold.mjs` runs `bin/hook.mjs` before any of this is loaded. */
export function addHook(line: CommandLine): void {
  line.program
    .command('hook')
    .description('Pass on what a host reports at one of its events; run by hosts')
    .argument('<host>')
    .argument('<event>', 'the event, as the host names it')
    .addHelpText('after', HELP);
}
