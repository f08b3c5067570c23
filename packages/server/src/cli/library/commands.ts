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
  addWorkspaces(line, library);

  const attest = program
    .command('attest')
    .description('Show and prove what agents loaded, and what they said they applied');
  attest
    .command('report')
    .description(
      'Show how often rules and constraints were used, here and at edges; which are dead or fought over',
    )
    .option('--project <project>', 'id, name or path of the project (default: every project)')
    .option('--by <what>', 'rule, constraint, project, agent, model or day', 'rule')
    .option('--days <number>', 'only the last N days (default: all)')
    .option('--since <date>', 'only from this day on (UTC), such as 2026-05-31')
    .option('--rule <rule>', 'only this rule, by id or path; needs --project')
    .option('--agent <name>', 'only this agent')
    .option('--model <name>', 'only this model')
    .option('--only <verdict>', 'by rule: only those that are dead, or fought-over')
    .option('--published-days <number>', 'a younger rule is not called dead (default: 30)')
    .option('--min-turns <number>', 'of fewer turns nothing is concluded (default: 20)')
    .option('--fought-share <share>', 'fought over: at least this share of turns is rejected (default: 0.2)')
    .option('--min-edits <number>', 'fought over: so many new wordings and declined drafts (default: 4)')
    .option('--csv', 'as comma-separated values')
    .option('--ndjson', 'as lines of JSON')
    .action(
      line.action<import('./attest.ts').ReportFlags>(async (run, flags) =>
        (await import('./attest.ts')).attestReport(run, flags),
      ),
    );
  withProject(attest.command('trend <rule>'))
    .description('Show whether agents follow a rule more since a revision, or reject it less')
    .option('--revision <number>', 'of the library (default: the last one of this rule)')
    .option('--min-turns <number>', 'of fewer turns nothing is concluded (default: 20)')
    .action(
      line.action<ProjectFlag & { revision?: string; minTurns?: string }>(async (run, flags, rule) =>
        (await import('./attest.ts')).attestTrend(run, flags, rule!),
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
  attest
    .command('prove <session> [file]')
    .description(
      'Write a file that proves, without the data folder, which rules were in force, loaded and declared',
    )
    .option('--with-content', 'also show the texts: rules, reasons, summaries (default: hashes only)')
    .action(
      line.action<import('../attest/prove.ts').ProveFlags>(async (run, flags, session, file) =>
        (await import('../attest/prove.ts')).attestProve(run, flags, session!, file),
      ),
    );
  attest
    .command('verify <file>')
    .description('Verify such a file; needs no data folder (exit code 4 if it does not hold)')
    .option('--key <key>', 'the key that must have signed it: its id, or a file with the public key')
    .action(
      line.action<{ key?: string }>(async (run, flags, file) =>
        (await import('../attest/verify.ts')).attestVerify(run, flags, file!),
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
  library
    .command('check <folder>')
    .description(
      'Check the rules of a folder before they are published: vague words, contradictions, dead links, size, front matter',
    )
    .option('--format <format>', 'text, json or sarif (for code hosts)', 'text')
    .option('--max-tokens <number>', 'a file that costs more is too long', '2000')
    .option('--strict', 'warnings count as errors for the exit code (4)')
    .action(
      line.action<import('./check.ts').CheckFlags>(async (run, flags, folder) =>
        (await import('./check.ts')).libraryCheck(run, flags, folder!),
      ),
    );
  withProject(library.command('export <folder>'))
    .description('Write the published files to a folder')
    .action(
      line.action<ProjectFlag>(async (run, flags, folder) =>
        (await import('./export.ts')).libraryExport(run, flags, folder!),
      ),
    );
  library
    .command('sync')
    .description('Fetch what changed at the hub, and send what waits, now')
    .action(line.action<ProjectFlag>(async (run) => (await import('./sync.ts')).librarySync(run)));
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

function addWorkspaces(line: CommandLine, library: Command): void {
  withProject(library.command('select'))
    .description('Select files of the organisation\'s library (project "organisation") for a project')
    .option('--path <pattern...>', 'paths such as coding/** or *.md (default: any)')
    .option('--tag <tag...>', 'tags in the front matter, of which a file has one (default: any)')
    .option('--revision <revision>', 'latest, or the number of a revision that stays', 'latest')
    .option('--none', 'select nothing any more')
    .action(
      line.action<import('./select.ts').SelectFlags>(async (run, flags) =>
        (await import('./select.ts')).librarySelect(run, flags),
      ),
    );
  withProject(library.command('selection'))
    .description("Show what a project selects from the organisation's library")
    .action(
      line.action<ProjectFlag>(async (run, flags) =>
        (await import('./select.ts')).librarySelection(run, flags),
      ),
    );
  withProject(library.command('protect [pattern]'))
    .description('Say who must approve what is published at paths; without a pattern, list what is protected')
    .option('--reviewer <name...>', 'whose approval counts (default: anybody who may review)')
    .option('--approvals <number>', 'how many are needed (default: 1)')
    .option('--none', 'lift the protection of this pattern')
    .action(
      line.action<import('./protect.ts').ProtectFlags>(async (run, flags, pattern) =>
        (await import('./protect.ts')).libraryProtect(run, flags, pattern),
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
    .option('--line <number>', 'a line of the diff (default: the whole draft)')
    .option('--side <side>', 'with --line: of the draft or of what is published (default: draft)')
    .action(
      line.action<import('./review.ts').CommentFlags>(async (run, flags, draft, text) =>
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
