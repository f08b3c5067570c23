import type { CommandLine } from '../command-line.ts';
import type { ProofFlags } from './verify-entry.ts';

/** Looking after the data folder and this machine. */
export function addMaintenance(line: CommandLine): void {
  const { program } = line;
  program
    .command('verify')
    .description('Check that no journal entry was changed, removed or reordered (exit code 4 if one was)')
    .option('--tables', 'also compare the tables with the journal')
    .option('--entry <id>', 'one entry, by its id or position, with --proof')
    .option(
      '--proof <file>',
      'write the proof of the entry; where FILE is there, verify it without the journal',
    )
    .option('--with-body', "include the entry's data in the proof, not only its digest")
    .option('--key <key>', 'the key that must have signed the proof: its id, or a file with the public key')
    .action(
      line.action(async (run, flags: { tables?: boolean } & ProofFlags) => {
        const one = [flags.entry, flags.proof, flags.key, flags.withBody].some((flag) => flag !== undefined);
        if (one) return (await import('./verify-entry.ts')).verifyEntry(run.report.config, run.output, flags);
        return (await import('./verify.ts')).verifyAll(run, flags);
      }),
    );
  const key = program
    .command('key')
    .description("Show or replace the key that signs the journal's checkpoints");
  key
    .command('show')
    .description('Show the current public key, former ones, and what each signed')
    .action(
      line.action(async ({ report, output }) => (await import('./key.ts')).keyShow(report.config, output)),
    );
  key
    .command('rotate')
    .description('Switch to a new key; the old one signs the handover and is then retired')
    .action(
      line.action(async ({ report, output }) => (await import('./key.ts')).keyRotate(report.config, output)),
    );
  program
    .command('rebuild')
    .description('Rebuild all tables from the journal')
    .action(
      line.action(async ({ report, output }) => (await import('./verify.ts')).rebuild(report.config, output)),
    );
  program
    .command('doctor')
    .description('Check this machine, the data folder and each host, and give advice')
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
