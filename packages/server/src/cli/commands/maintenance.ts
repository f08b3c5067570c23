import type { CommandLine } from '../command-line.ts';

/** Looking after the data folder and this machine. */
export function addMaintenance(line: CommandLine): void {
  const { program } = line;
  program
    .command('verify')
    .description('Check that no journal entry was changed, dropped or reordered (exit code 4 if one was)')
    .option('--tables', 'also compare the tables with what the journal makes of them')
    .action(
      line.action(async ({ report, output }, flags: { tables?: boolean }) =>
        (await import('../maintain.ts')).verify(report.config, output, flags),
      ),
    );
  program
    .command('rebuild')
    .description('Make all tables anew from the journal')
    .action(
      line.action(async ({ report, output }) =>
        (await import('../maintain.ts')).rebuild(report.config, output),
      ),
    );
  program
    .command('doctor')
    .description('Check this machine and the data folder, with advice')
    .action(line.action(async ({ report, output }) => (await import('../doctor.ts')).doctor(report, output)));
  program
    .command('config')
    .description('Show the effective configuration and where each value came from')
    .action(
      line.action(async ({ report, output }) => (await import('../config.ts')).showConfig(report, output)),
    );
}
