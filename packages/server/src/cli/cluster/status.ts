import type { ClusterView } from '@infold/protocol';
import { connectToNats } from '../../journal/cluster/connect.ts';
import { readClusterStatus } from '../../journal/cluster/status.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { EXIT, type Output, table } from '../output.ts';

/** Exit code 4 when somebody should look at it. */
export async function clusterStatus({ nats }: Config, output: Output): Promise<number> {
  if (nats.url === undefined) {
    throw new InfoldError('invalid_arguments', 'Say where NATS is: --nats nats://host:4222, or set nats.url');
  }
  const connection = await connectToNats(nats, { name: 'infold cluster status' });
  try {
    const status = await readClusterStatus(connection);
    output.answer(status, () => describe(status));
    return isWhole(status) ? EXIT.done : EXIT.found;
  } finally {
    await connection.close();
  }
}

function isWhole({ journal, nodes, agree }: ClusterView): boolean {
  return (
    journal !== null &&
    agree &&
    nodes.every(({ state }) => state === 'ready') &&
    journal.servers.every(({ state }) => state === 'current') &&
    (journal.leader !== null || journal.replicas === 1)
  );
}

function describe({ server, journal, snapshot, nodes, agree }: ClusterView): string {
  const asked = `Asked ${server.name} (nats-server ${server.version}).`;
  if (!journal) return `${asked} There is no journal yet: start a node with "infold serve --nats URL".`;
  const replicas = journal.replicas === 1 ? '1 replica' : `${journal.replicas} replicas`;
  const size = `${journal.messages} messages, ${(journal.bytes / 1e6).toFixed(1)} MB`;
  const leads = journal.leader ?? (journal.replicas === 1 ? server.name : 'NONE, writes wait');
  const servers = table(
    journal.servers.map(({ name, leader, state, lag }) => [name, leader ? 'leader' : state, String(lag)]),
    ['SERVER', 'STATE', 'LAG'],
  );
  const rows = nodes.map(({ node, state, seq, head, lag, forgotten, clock, seen, version }) => [
    ...[node, state, String(seq), head.slice(0, 12), String(lag), String(forgotten)],
    ...[`${clock >= 0 ? '+' : ''}${clock} ms`, `${seen.toFixed(0)} s ago`, version],
  ]);
  return [
    asked,
    `Journal ${journal.stream}: leader ${leads}, ${replicas}, ${size}.`,
    snapshot
      ? `Newest snapshot: ${snapshot.seq === null ? '' : `entry ${snapshot.seq}, `}${duration(snapshot.age)} ago.`
      : 'There is no snapshot yet.',
    ...(journal.servers.length > 0 ? ['', servers] : []),
    '',
    rows.length === 0
      ? 'No node has reported.'
      : table(rows, ['NODE', 'STATE', 'ENTRIES', 'HEAD', 'LAG', 'FORGOTTEN', 'CLOCK', 'SEEN', 'VERSION']),
    ...nodes.flatMap(({ node, reason }) => (reason === undefined ? [] : [`${node}: ${reason}`])),
    ...(agree
      ? []
      : ['', 'NODES DISAGREE: two of them have different heads at one entry. See docs/operations.md.']),
  ].join('\n');
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
