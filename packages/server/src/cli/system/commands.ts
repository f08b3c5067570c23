import type { ScrubFlags } from '@infold/scrub/command';
import type { CommandLine } from '../command-line.ts';
import type { ForgetFlags } from './forget.ts';
import type { ProofFlags } from './verify-entry.ts';

/** Tokens and projects; secrets, limits and what is kept; the data folder and this machine. */
export function addSystem(line: CommandLine): void {
  addIdentity(line);
  addTrust(line);
  addMaintenance(line);
}

/** Who may do what: tokens and projects. */
function addIdentity(line: CommandLine): void {
  const { program } = line;
  const token = program.command('token').description('Make, list and revoke access tokens');
  token
    .command('create')
    .description('Make a token and show it once. From then on, HTTP callers need a token')
    .requiredOption('--name <name>', 'who holds it: the principal, and the participant id in the gateway')
    .option('--org <org>', 'organisation (default: local)')
    .option('--project <project...>', 'projects that the token opens (default: all)')
    .option('--scope <scopes>', 'comma-separated: read, write, review, admin', 'read,write')
    .option(
      '--capability <capability...>',
      'kinds of messages that it may send in pods, comma-separated (default: *)',
    )
    .option('--expires <duration>', 'such as 30d, 12h, 45m (default: never)')
    .action(
      line.action<import('./token.ts').TokenFlags>(async (run, flags) =>
        (await import('./token.ts')).tokenCreate(run, flags),
      ),
    );
  token
    .command('list')
    .description('List tokens, without their secrets')
    .action(line.action(async (run) => (await import('./token.ts')).tokenList(run)));
  token
    .command('revoke <id>')
    .description('Revoke a token at once')
    .action(line.action(async (run, _flags, id) => (await import('./token.ts')).tokenRevoke(run, id!)));

  const project = program.command('project').description('Add and list projects');
  project
    .command('add')
    .description('Add a project, with or without a folder')
    .requiredOption('--name <name>', 'name of the project')
    .option('--path <path>', 'its folder')
    .option('--org <org>', 'organisation (default: local)')
    .action(
      line.action<{ name: string; path?: string; org?: string }>(async (run, flags) =>
        (await import('./project.ts')).projectAdd(run, flags),
      ),
    );
  project
    .command('set <project>')
    .description("Show or change a project's settings; a project is named by id, name or path")
    .option(
      '--mirror <level>',
      "what members see of each other's branches: full, summaries, off or default (summaries)",
    )
    .option('--remember <on|off|default>', 'remember the conclusions of contexts in its pod (default: off)')
    .option('--org <org>', 'organisation (default: local)')
    .action(
      line.action<import('./project.ts').ProjectSetFlags>(async (run, flags, project) =>
        (await import('./project.ts')).projectSet(run, project!, flags),
      ),
    );
  project
    .command('list')
    .description('List projects')
    .option('--org <org>', 'organisation (default: local)')
    .action(
      line.action<{ org?: string }>(async (run, flags) =>
        (await import('./project.ts')).projectList(run, flags),
      ),
    );
}

/** Secrets, limits, and what is kept or forgotten. */
function addTrust(line: CommandLine): void {
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
      line.action(async ({ report, output }) => (await import('./limits.ts')).showLimits(report, output)),
    );
  program
    .command('denials')
    .description('Show who was denied what, and how often')
    .action(line.action(async (run) => (await import('./denials.ts')).denials(run)));
  program
    .command('forget')
    .description('Erase stored texts; the chain keeps their digests and still verifies')
    .option('--item <id>', 'a memory item')
    .option('--branch <id>', "a branch: its texts, its operations, and its messages in the project's pod")
    .option('--session <id>', 'a whole session')
    .option('--principal <name>', 'everything that this principal wrote')
    .option('--org <org>', "the principal's organisation (default: local)")
    .action(
      line.action<ForgetFlags>(async (run, flags) => (await import('./forget.ts')).forgetTarget(run, flags)),
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
        (await import('./restore.ts')).restoreBackup(report.config, output, file!),
      ),
    );
}

/** Looking after the data folder and this machine. */
function addMaintenance(line: CommandLine): void {
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
      line.action(async ({ report, output }) =>
        (await import('./rebuild.ts')).rebuild(report.config, output),
      ),
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
