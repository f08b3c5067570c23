import type { Command } from 'commander';
import type { CommandLine, ProjectFlag } from '../command-line.ts';

/** Governed rules, workflows and context: files in and out, drafts and their review, what agents made of them. */
export function addLibrary(line: CommandLine): void {
  const { program } = line;
  program
    .command('init [folder]')
    .description(
      'Give the project a meta prompt, two example rules and a workflow; write them to a folder too',
    )
    .option('--project <project>', FOLDER_PROJECT)
    .action(
      line.action<ProjectFlag>(async (run, flags, folder) =>
        (await import('./init.ts')).init(run, flags, folder),
      ),
    );

  const library = program
    .command('library')
    .description('Manage the rules, workflows and context of a project');
  addFiles(line, library);
  addReview(line, library);

  const attest = program
    .command('attest')
    .description('Show what agents loaded, and what they said they applied');
  withProject(attest.command('report'))
    .description('Show how often rules and constraints were used')
    .option('--days <number>', 'only the last N days (default: all)')
    .option('--by <what>', 'rule, constraint, agent, day or project', 'rule')
    .option('--agent <name>', 'only this agent')
    .option('--csv', 'as comma-separated values')
    .action(
      line.action<import('./attest.ts').ReportFlags>(async (run, flags) =>
        (await import('./attest.ts')).attestReport(run, flags),
      ),
    );
  withProject(attest.command('turns'))
    .description('Show the latest turns: what was loaded, what was claimed, how they ended')
    .option('--limit <number>', 'how many', '20')
    .action(
      line.action<ProjectFlag & { limit: string }>(async (run, flags) =>
        (await import('./attest.ts')).attestTurns(run, flags),
      ),
    );
}

const PROJECT =
  'id, name or path of the project (default: that of the working folder if known, else "default")';
const FOLDER_PROJECT = 'id, name or path of the project (default: the working folder)';

function withProject(command: Command): Command {
  return command.option('--project <project>', PROJECT);
}

function addFiles(line: CommandLine, library: Command): void {
  library
    .command('import <folder>')
    .option('--project <project>', FOLDER_PROJECT)
    .description(
      'Import the Markdown of a folder as drafts (AGENTS.md, CLAUDE.md, and rule files of other tools: .cursor/rules, …)',
    )
    .option('--publish', 'publish at once instead of making drafts')
    .action(
      line.action<ProjectFlag & { publish?: boolean }>(async (run, flags, folder) =>
        (await import('./import.ts')).libraryImport(run, flags, folder!),
      ),
    );
  withProject(library.command('export <folder>'))
    .description('Write the published files to a folder')
    .action(
      line.action<ProjectFlag>(async (run, flags, folder) =>
        (await import('./export.ts')).libraryExport(run, flags, folder!),
      ),
    );
  withProject(library.command('status'))
    .description('Show the revision, files and open drafts')
    .action(
      line.action<ProjectFlag>(async (run, flags) => (await import('./status.ts')).libraryStatus(run, flags)),
    );
  withProject(library.command('history <path>'))
    .description('List every revision of a path')
    .action(
      line.action<ProjectFlag>(async (run, flags, path) =>
        (await import('./history.ts')).libraryHistory(run, flags, path!),
      ),
    );
  withProject(library.command('restore <path> <revision>'))
    .description('Publish the content that a path had at an earlier revision')
    .action(
      line.action<ProjectFlag>(async (run, flags, path, revision) =>
        (await import('./restore.ts')).libraryRestore(run, flags, path!, revision!),
      ),
    );
}

function addReview(line: CommandLine, library: Command): void {
  withProject(library.command('drafts'))
    .description('List open drafts')
    .option('--all', 'also closed ones')
    .action(
      line.action<ProjectFlag & { all?: boolean }>(async (run, flags) =>
        (await import('./drafts.ts')).libraryDrafts(run, flags),
      ),
    );
  withProject(library.command('diff [draft]'))
    .description(
      'Show what a draft, or every open draft, would change; on a conflict, what was published since',
    )
    .action(
      line.action<ProjectFlag>(async (run, flags, draft) =>
        (await import('./diff.ts')).libraryDiff(run, flags, draft),
      ),
    );
  const steps = {
    submit: 'Hand drafts in for review',
    approve: 'Approve submitted drafts',
    decline: 'Decline submitted drafts',
    discard: 'Drop drafts',
  };
  for (const step of ['submit', 'approve', 'decline', 'discard'] as const) {
    const command = withProject(library.command(`${step} [drafts...]`))
      .description(`${steps[step]}, by path or id`)
      .option(
        '--all',
        step === 'submit' || step === 'discard'
          ? 'all of your own that are not in review'
          : 'all that wait for review',
      );
    if (step === 'approve' || step === 'decline') command.option('--note <text>', 'why');
    if (step === 'discard') command.option('--force', 'with --all: also those in review');
    command.action(
      line.action<import('./review.ts').StepFlags>(async (run, flags, drafts) =>
        (await import('./review.ts')).libraryStep(run, flags, step, drafts as unknown as string[]),
      ),
    );
  }
  withProject(library.command('comment <draft> <text>'))
    .description('Comment on a draft')
    .action(
      line.action<ProjectFlag>(async (run, flags, draft, text) =>
        (await import('./review.ts')).libraryComment(run, flags, draft!, text!),
      ),
    );
  withProject(library.command('publish [drafts...]'))
    .description('Publish approved drafts in one step, or none of them')
    .option('--all', 'all that are approved')
    .option('--note <text>', 'a note on this publication')
    .action(
      line.action<import('./review.ts').StepFlags>(async (run, flags, drafts) =>
        (await import('./publish.ts')).libraryPublish(run, flags, drafts as unknown as string[]),
      ),
    );
  withProject(library.command('rebase <draft>'))
    .description('Rebase a draft onto what is published now')
    .option('--take <side>', 'draft or published: which side wins if both changed the same lines')
    .option('--body <file>', 'a file with the content, merged by hand')
    .action(
      line.action<ProjectFlag & { take?: string; body?: string }>(async (run, flags, draft) =>
        (await import('./rebase.ts')).libraryRebase(run, flags, draft!),
      ),
    );
}
