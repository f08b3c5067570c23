import { HOST_NAMES } from '@infold/protocol';
import type { CommandLine } from '../command-line.ts';

const HELP = `
Hosts: ${HOST_NAMES.join(', ')}

What the host writes to standard input is handed to whoever serves the data folder ("infold serve", or the process that a
host started), and what that answers is printed. Where nobody listens, it is kept and taken in later. A host is never held
up: whatever goes wrong, this ends with 0 and prints nothing. "infold install" writes these commands for you.

Examples:
  infold hook claude-code SessionStart < payload.json
  infold hook codex PostToolUse --data ~/.infold < payload.json`;

/** Only what it says of itself: `bin/infold.mjs` runs `bin/hook.mjs` before any of this is loaded. */
export function addHook(line: CommandLine): void {
  line.program
    .command('hook')
    .description('Pass on what a host reports at one of its events; run by hosts')
    .argument('<host>')
    .argument('<event>', "the host's own name of it")
    .addHelpText('after', HELP);
}
