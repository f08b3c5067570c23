import type { CommandLine, ProjectFlag } from '../command-line.ts';

/** A team's server that publishes the library, and this data folder as one of its edges. */
export function addHub(line: CommandLine): void {
  const hub = line.program
    .command('hub')
    .description('Have the library of a team: join its hub, see what goes there, leave it');
  hub
    .command('join <url>')
    .description("Make a project's library that of a project at the hub, and send evidence and drafts there")
    .option(
      '--token <token>',
      'token of the hub (better in INFOLD_HUB_TOKEN: a shell remembers what was typed)',
    )
    .option('--project <project>', 'id, name or path of the project here (default: the working folder)')
    .option(
      '--to <project>',
      'id or name of the project at the hub (default: the one of the same name, or the only one)',
    )
    .action(
      line.action<import('./hub.ts').JoinFlags>(async (run, flags, url) =>
        (await import('./hub.ts')).hubJoin(run, flags, url!),
      ),
    );
  hub
    .command('status')
    .description('Show how old the copy is, what goes up, what waits; at a hub, its edges')
    .action(line.action<ProjectFlag>(async (run) => (await import('./hub.ts')).hubStatus(run)));
  hub
    .command('leave')
    .description('Give projects their own libraries again; what was copied stays in the journal')
    .action(line.action<ProjectFlag>(async (run) => (await import('./hub.ts')).hubLeave(run)));
}
