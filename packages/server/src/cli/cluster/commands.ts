import type { CommandLine } from '../command-line.ts';

/** The nodes that share a journal on NATS. */
export function addCluster(line: CommandLine): void {
  const cluster = line.program
    .command('cluster')
    .description('Look at the nodes that share a journal on NATS');
  cluster
    .command('status')
    .description('Show nodes, their lag and heads, the servers of the journal and the newest snapshot')
    .option('--nats <url>', 'NATS servers of the cluster, separated by commas')
    .action(
      line.action<{ nats?: string }>(
        async ({ report, output }) => (await import('./status.ts')).clusterStatus(report.config, output),
        at,
      ),
    );
  line.program
    .command('migrate')
    .description('Move the data folder into a cluster on NATS, or a node of one out of it')
    .requiredOption('--to <where>', '"nats" or "sqlite"')
    .option('--nats <url>', 'NATS servers of the cluster, separated by commas')
    .addHelpText(
      'after',
      '\nStop every Infold that uses the folder first. The head of the chain is compared before and after.',
    )
    .action(
      line.action<{ nats?: string; to: string }>(
        async ({ report, output }, { to }) =>
          (await import('./migrate.ts')).migrate(report.config, output, to),
        at,
      ),
    );
}

function at({ nats }: { nats?: string }): { nats: { url: string } | undefined } {
  return { nats: nats === undefined ? undefined : { url: nats } };
}
