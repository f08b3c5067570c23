import type { CommandLine } from '../command-line.ts';

/** Who may do what: tokens and projects. */
export function addIdentity(line: CommandLine): void {
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
