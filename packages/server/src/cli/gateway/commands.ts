import type { CommandLine } from '../command-line.ts';

/** What is said in pods, for people and scripts. */
export function addGateway(line: CommandLine): void {
  const pod = line.program.command('pod').description('Follow, read and write the messages of a pod');
  const read = (name: string, description: string) =>
    pod
      .command(`${name} <pod>`)
      .description(description)
      .option('--org <org>', 'organisation (default: local)')
      .option('--context <id>', 'only this context')
      .option('--type <type>', 'only this type of context')
      .option('--kind <kind>', 'only this kind; * matches any text')
      .option('--from <participant>', 'only this participant')
      .option('--text <words>', 'only messages with these words')
      .option('--since <seq>', 'after this position, or after this time');
  type ReadFlags = import('./pod.ts').ReadFlags;

  read('tail', 'Show the last messages, and new ones as they come')
    .option('--limit <number>', 'how many of the latest messages', '10')
    .option('--once', 'do not wait for new messages')
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
    .description('Send a message; connected participants receive it')
    .option('--org <org>', 'organisation (default: local)')
    .option('--from <participant>', 'the sender (default: owner)')
    .option('--kind <kind>', 'kind of the message', 'chat')
    .option('--id <id>', 'its id (default: a new one)')
    .option('--to <participant...>', 'the participants that it is addressed to')
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
