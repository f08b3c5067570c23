import type { CommandLine } from '../command-line.ts';

/** What is said in pods, for people and scripts. */
export function addGateway(line: CommandLine): void {
  const pod = line.program.command('pod').description('Follow, read and join what is said in a pod');
  const read = (name: string, description: string) =>
    pod
      .command(`${name} <pod>`)
      .description(description)
      .option('--org <org>', 'organisation (default: local)')
      .option('--context <id>', 'of one context')
      .option('--type <type>', 'of one type of context')
      .option('--kind <kind>', 'of one kind; * stands for any text')
      .option('--from <participant>', 'of one participant')
      .option('--text <words>', 'with these words')
      .option('--since <seq>', 'after this position, or after this time');
  type ReadFlags = import('./pod.ts').ReadFlags;

  read('tail', 'Show the last messages, and new ones as they come')
    .option('--limit <number>', 'how many of the last ones', '10')
    .option('--once', 'do not wait for new ones')
    .action(
      line.action<ReadFlags>(async (run, flags, name) =>
        (await import('./pod.ts')).podTail(run, name!, flags),
      ),
    );
  read('replay', 'Show messages from history')
    .option('--limit <number>', 'how many', '100')
    .action(
      line.action<ReadFlags>(async (run, flags, name) =>
        (await import('./pod.ts')).podReplay(run, name!, flags),
      ),
    );
  read('export', 'Write all messages as JSON lines').action(
    line.action<ReadFlags>(async (run, flags, name) =>
      (await import('./pod.ts')).podExport(run, name!, flags),
    ),
  );
  pod
    .command('contexts <pod>')
    .description('Draw the tree of contexts')
    .option('--org <org>', 'organisation (default: local)')
    .action(
      line.action<{ org?: string }>(async (run, flags, name) =>
        (await import('./pod.ts')).podContexts(run, name!, flags),
      ),
    );
  pod
    .command('resolve <id>')
    .description('Find a context by its id in all pods, and what refers to it')
    .option('--org <org>', 'organisation (default: local)')
    .action(
      line.action<{ org?: string }>(async (run, flags, id) =>
        (await import('./pod.ts')).podResolve(run, id!, flags),
      ),
    );
  pod
    .command('send <pod> <text>')
    .description('Say something; connected participants hear it')
    .option('--org <org>', 'organisation (default: local)')
    .option('--from <participant>', 'who says it (default: owner)')
    .option('--kind <kind>', 'kind of the message', 'chat')
    .option('--id <id>', 'its id (default: a new one)')
    .option('--to <participant...>', 'whom it is addressed to')
    .option('--context <id>', 'the context that it belongs to')
    .option('--type <type>', 'type of that context')
    .option('--parent <id>', 'parent of that context')
    .option('--correlation <id>', 'the message or context that it follows from')
    .action(
      line.action<import('./pod.ts').SendFlags>(async (run, flags, name, text) =>
        (await import('./pod.ts')).podSend(run, name!, text!, flags),
      ),
    );
}
