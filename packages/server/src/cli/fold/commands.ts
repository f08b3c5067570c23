import type { CommandLine } from '../command-line.ts';

/** What agents do now, for people. */
export function addFold(line: CommandLine): void {
  const { program } = line;
  program
    .command('sessions')
    .description('List live sessions with their tokens')
    .option('--all', 'also ended ones')
    .action(
      line.action<{ all?: boolean }>(async ({ report, output }, flags) =>
        (await import('./sessions.ts')).sessions(report.config, output, flags),
      ),
    );
  program
    .command('tree [session]')
    .description('Draw the context tree of a session (default: the most recently used)')
    .option('--watch', 'draw it again whenever it changes')
    .action(
      line.action<{ watch?: boolean }>(async ({ report, output }, flags, session) =>
        (await import('./tree.ts')).tree(report.config, output, session, flags),
      ),
    );
}
