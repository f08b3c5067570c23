import type { ScrubFlags } from '@infold/scrub/command';
import type { CommandLine } from '../command-line.ts';
import type { ForgetFlags } from './backup.ts';

/** Secrets, limits, and what is kept or forgotten. */
export function addTrust(line: CommandLine): void {
  const { program } = line;
  program
    .command('scrub [file]')
    .description('Remove secrets from a file or standard input')
    .option('--check', 'only report secrets (exit code 4 if there are any)')
    .option('--jsonl', 'read one JSON record per line, write {text, count, kinds} per line')
    .option('--field <name>', 'the field that holds the text, with --jsonl', 'text')
    .action(
      line.action<ScrubFlags>(async ({ report }, flags, file) =>
        (await import('./scrub.ts')).scrub(report.config, file, flags),
      ),
    );
  program
    .command('limits')
    .description('Show every limit and where it came from')
    .action(
      line.action(async ({ report, output }) => (await import('./config.ts')).showLimits(report, output)),
    );
  program
    .command('denials')
    .description('Show who was denied what, and how often')
    .action(line.action(async (run) => (await import('./token.ts')).denials(run)));
  program
    .command('forget')
    .description('Erase stored texts; the chain keeps their digests and still verifies')
    .option('--item <id>', 'a memory item')
    .option('--branch <id>', "a branch: its texts, its operations, and its messages in the project's pod")
    .option('--session <id>', 'a whole session')
    .option('--principal <name>', 'everything that this principal wrote')
    .option('--org <org>', "the principal's organisation (default: local)")
    .action(
      line.action<ForgetFlags>(async (run, flags) => (await import('./backup.ts')).forgetTarget(run, flags)),
    );
  program
    .command('backup <file>')
    .description('Copy the data folder into one verified file, while others go on writing')
    .option('--without-key', 'omit the private key: nobody with the copy can sign as this folder')
    .action(
      line.action<{ withoutKey?: boolean }>(async ({ report, output }, flags, file) =>
        (await import('./backup.ts')).backup(report.config, output, file!, flags),
      ),
    );
  program
    .command('restore <file>')
    .description('Make a data folder from a backup')
    .action(
      line.action(async ({ report, output }, _flags, file) =>
        (await import('./backup.ts')).restoreBackup(report.config, output, file!),
      ),
    );
}
