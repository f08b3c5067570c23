import type { CommandLine } from '../command-line.ts';

const HELP = `
Reads what the host reports about its session from standard input (Claude Code's JSON: session_id, context_window, …) and
prints one line: how full the window is, the open branch, and the tokens that were saved in this session. When no server is
running, it shows the host's own figures; when there is nothing to show, it prints nothing. It always exits with 0.

With --json: {"window":{"percent","tokens","size"},"branch":{"id","description","depth"},"subagents","saved"}, each where known.

Examples:
  infold statusline < status.json
  in ~/.claude/settings.json, as "infold install claude-code" writes it, with your own paths:
    "statusLine": {"type": "command", "command": "node /path/to/infold/packages/server/bin/infold.mjs statusline"}`;

/** Only what it says of itself: `bin/infold.mjs` runs `bin/statusline.mjs` before any of this is loaded. */
export function addStatusline(line: CommandLine): void {
  line.program
    .command('statusline')
    .description('Print one line about the window, the open branch and what was saved; shown by hosts')
    .addHelpText('after', HELP);
}
