import type { ScrubFlags } from '@infold/scrub/command';
import type { CommandLine } from '../command-line.ts';
import type { ForgetFlags } from './backup.ts';

/** Secrets, limits, and what is kept or forgotten. */
export function addTrust(line: CommandLine): void {
  const { program } = line;
  program
    .command('scrub [file]')
    .description('Take secrets out of a file or standard input')
    .option('--check', 'only tell what is there (exit code 4 if something is)')
    .option('--jsonl', 'one JSON record a line in, {text, count, kinds} a line out')
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
    .description('Show who was refused what, and how often')
    .action(line.action(async (run) => (await import('./token.ts')).denials(run)));
  program
    .command('forget')
    .description('Erase what is held of something; the chain keeps its digests and still verifies')
    .option('--item <id>', 'an item of memory')
    .option('--branch <id>', 'a branch: its texts, what happened in it, and what its pod was told of it')
    .option('--session <id>', 'a whole session')
    .option('--principal <name>', 'everything that somebody wrote')
    .option('--org <org>', "the principal's organisation (default: local)")
    .action(
      line.action<ForgetFlags>(async (run, flags) => (await import('./backup.ts')).forgetTarget(run, flags)),
    );
  program
    .command('backup <file>')
    .description('Copy the data folder into one file, verified, while others go on writing')
    .option('--without-key', 'leave out the private key: who has the copy cannot sign as this folder')
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
