import type { CommandLine } from '../command-line.ts';
import type { ProofFlags } from './verify-entry.ts';

/** Looking after the data folder and this machine. */
export function addMaintenance(line: CommandLine): void {
  const { program } = line;
  program
    .command('verify')
    .description('Check that no journal entry was changed, dropped or reordered (exit code 4 if one was)')
    .option('--tables', 'also compare the tables with what the journal makes of them')
    .option('--entry <id>', 'one entry, by its id or position, with --proof')
    .option(
      '--proof <file>',
      'write the proof of the entry; where FILE is there, verify it without the journal',
    )
    .option('--with-body', 'put into the proof what the entry says, not only its digest')
    .option('--key <key>', 'whose proof it must be: the id of a key, or a file with the public key')
    .action(
      line.action(async (run, flags: { tables?: boolean } & ProofFlags) => {
        const one = [flags.entry, flags.proof, flags.key, flags.withBody].some((flag) => flag !== undefined);
        if (one) return (await import('./verify-entry.ts')).verifyEntry(run.report.config, run.output, flags);
        return (await import('./verify.ts')).verifyAll(run, flags);
      }),
    );
  const key = program.command('key').description('The key that checkpoints of the journal are signed with');
  key
    .command('show')
    .description('Show the public key in use, former ones and what each signed')
    .action(
      line.action(async ({ report, output }) => (await import('./key.ts')).keyShow(report.config, output)),
    );
  key
    .command('rotate')
    .description('Put a new key in use; the old one signs that it follows, and can sign no more')
    .action(
      line.action(async ({ report, output }) => (await import('./key.ts')).keyRotate(report.config, output)),
    );
  program
    .command('rebuild')
    .description('Make all tables anew from the journal')
    .action(
      line.action(async ({ report, output }) => (await import('./verify.ts')).rebuild(report.config, output)),
    );
  program
    .command('doctor')
    .description('Check this machine and the data folder, with advice')
    .action(
      line.action(async ({ report, output }) => (await import('../doctor/doctor.ts')).doctor(report, output)),
    );
  program
    .command('config')
    .description('Show the effective configuration and where each value came from')
    .action(
      line.action(async ({ report, output }) => (await import('./config.ts')).showConfig(report, output)),
    );
}
