import type { CommandLine } from '../command-line.ts';

/** What hosts send to models. */
export function addWindow(line: CommandLine): void {
  const window = line.program
    .command('window [id]')
    .description('List conversations with models, or show the requests of one, turn by turn')
    .option('--watch', 'keep running and show new turns as they come')
    .option('--turns <n>', 'how many of the latest turns to show', '20')
    .addHelpText(
      'after',
      '\nID is the id of a conversation or its beginning, the host’s session id, or "last".',
    )
    .action(
      line.action<{ watch?: boolean; turns: string }>(async (run, flags, id) =>
        (await import('./window.ts')).showWindow(run, id, flags),
      ),
    );
  window
    .command('receipt <id>')
    .description('Print what a conversation cost, what left it, and the checkpoint that covers these figures')
    .action(line.action(async (run, _flags, id) => (await import('./window.ts')).windowReceipt(run, id!)));
  for (const [name, enabled] of [
    ['off', false],
    ['on', true],
  ] as const) {
    window
      .command(`${name} <id>`)
      .description(`Turn the window ${name} for one conversation`)
      .action(
        line.action(async (run, _flags, id) => (await import('./window.ts')).turnWindow(run, id!, enabled)),
      );
  }
}
