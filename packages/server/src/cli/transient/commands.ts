import type { CommandLine } from '../command-line.ts';

/** What agents can page through. */
export function addTransient(line: CommandLine): void {
  line.program
    .command('records [model]')
    .description('Show the record sources of the configuration and how far they are indexed')
    .option('--index', 'bring the indexes of files up to date now (exit code 3 if lines could not be read)')
    .action(
      line.action<{ index?: boolean }>(async (run, flags, model) =>
        (await import('./records.ts')).records(run, model, flags),
      ),
    );
}
