import type { CommandLine, ProjectFlag } from '../command-line.ts';

/** Who is told what happens in libraries. */
export function addWebhooks(line: CommandLine): void {
  const webhook = line.program
    .command('webhook')
    .description('See who is told of drafts, reviews and publications, and what failed');
  webhook
    .command('list')
    .description('Show the webhooks of the configuration: last delivery, what waits, what failed')
    .action(line.action<ProjectFlag>(async (run) => (await import('./webhook.ts')).webhookList(run)));
  webhook
    .command('test <webhook>')
    .description('Send a signed ping now (exit code 1 if the receiver does not take it)')
    .action(
      line.action<ProjectFlag>(async (run, _flags, name) =>
        (await import('./webhook.ts')).webhookTest(run, name!),
      ),
    );
  webhook
    .command('retry <webhook> [delivery]')
    .description('Send what was given up again, under the same ids; try a failing webhook at once')
    .action(
      line.action<ProjectFlag>(async (run, _flags, name, delivery) =>
        (await import('./webhook.ts')).webhookRetry(run, name!, delivery),
      ),
    );
}
