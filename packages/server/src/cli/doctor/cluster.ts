import type { ClusterView } from '@infold/protocol';
import { connectToNats } from '../../journal/cluster/connect.ts';
import { readClusterStatus } from '../../journal/cluster/status.ts';
import { messageOf } from '../../kernel/errors.ts';
import { addressesIn, type NatsConfig } from '../../kernel/nats-config.ts';
import type { Check } from './check.ts';

/** Clocks that differ by more make times in answers wrong, and leases end early. */
const CLOCKS_DIFFER = 1000;
/** What a NATS server does unless it is told otherwise, and what those before 2.10 always do. */
const DEFAULT_SYNC = 120_000;
/** A second's writes at most are lost with the power of a machine. */
const SHORT_SYNC = 1000;
const MONITOR_PORT = 8222;

/** The cluster of this machine's node: whether it is whole, and what would lose entries that were acknowledged. */
export async function checkCluster(nats: NatsConfig, monitorPort = MONITOR_PORT): Promise<Check[]> {
  let status: ClusterView;
  try {
    const connection = await connectToNats(nats, { name: 'infold doctor' });
    try {
      status = await readClusterStatus(connection);
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [{ name: 'cluster', state: 'problem', detail: messageOf(error) }];
  }
  const { journal } = status;
  if (!journal) {
    const detail = 'NATS answers; there is no journal yet';
    return [{ name: 'cluster', state: 'ok', detail, advice: 'The first node makes it: infold serve' }];
  }
  const sync = await syncInterval(nats, status.server.version, monitorPort);
  return [
    checkNodes(status),
    checkReplicas(journal),
    checkSync(journal.replicas, sync, status.server.version),
    checkClocks(status),
  ];
}

function checkNodes({ journal, nodes, agree }: ClusterView): Check {
  const name = 'cluster';
  const counted = nodes.length === 1 ? '1 node' : `${nodes.length} nodes`;
  if (!agree) {
    const detail = `${counted}; two of them have different heads at one entry`;
    const advice =
      'infold cluster status names them; "infold verify --tables" on each tells which one is wrong';
    return { name, state: 'problem', detail, advice };
  }
  const troubles = [
    ...nodes.filter(({ state }) => state !== 'ready').map(({ node, state }) => `${node} is ${state}`),
    ...journal!.servers
      .filter(({ state }) => state !== 'current')
      .map(({ name, state }) => `NATS server ${name} is ${state}`),
  ];
  if (troubles.length === 0) return { name, state: 'ok', detail: counted };
  const advice = 'infold cluster status tells more';
  return { name, state: 'warning', detail: `${counted}; ${troubles.join('; ')}`, advice };
}

function checkReplicas({ replicas }: NonNullable<ClusterView['journal']>): Check {
  const name = 'replicas';
  if (replicas > 1) return { name, state: 'ok', detail: `each entry is on ${replicas} NATS servers` };
  return {
    ...{ name, state: 'warning', detail: 'each entry is on one NATS server alone' },
    advice:
      'Writes stop with it, and its disk is the journal. Run three NATS servers and set nats.replicas to 3',
  };
}

/** Undefined where it cannot be seen; 0 where every write reaches the disk before it is acknowledged. */
type Sync = number | undefined;

export function checkSync(replicas: number, sync: Sync, version: string): Check {
  const name = 'sync_interval';
  if (sync === 0) return { name, state: 'ok', detail: 'NATS writes to disk before it acknowledges' };
  const every =
    sync === undefined
      ? `cannot be seen from here; unless it was set, NATS writes to disk every ${DEFAULT_SYNC / 1000} s`
      : `NATS writes to disk every ${sync / 1000} s`;
  const loses =
    replicas === 1
      ? 'a crash of its operating system, or a power failure, loses what was acknowledged since'
      : `if ${Math.ceil(replicas / 2)} of ${replicas} machines lose power at once, what was acknowledged since is lost`;
  const isShort = replicas > 1 && sync !== undefined && sync <= SHORT_SYNC;
  const upgrade = isBefore210(version) ? ` This needs nats-server 2.10 or later; it is ${version}.` : '';
  return {
    ...{ name, state: isShort ? 'ok' : 'warning', detail: `${every}; ${loses}` },
    ...(isShort ? {} : { advice: `Set sync_interval: always in the jetstream block of NATS.${upgrade}` }),
  };
}

function checkClocks({ server, nodes }: ClusterView): Check {
  const name = 'clocks';
  const clocks = [
    ...nodes.filter(({ state }) => state !== 'silent').map(({ node, clock }) => ({ who: node, clock })),
    { who: 'this machine', clock: server.clock },
  ];
  const wrong = clocks.filter(({ clock }) => Math.abs(clock) > CLOCKS_DIFFER);
  if (wrong.length === 0) return { name, state: 'ok', detail: 'nodes and NATS have the same time' };
  const told = wrong.map(
    ({ who, clock }) =>
      `${who} is ${(Math.abs(clock) / 1000).toFixed(1)} s ${clock > 0 ? 'ahead of' : 'behind'} NATS`,
  );
  const advice = 'Synchronise the clocks, such as with chrony or systemd-timesyncd';
  return { name, state: 'warning', detail: told.join('; '), advice };
}

/** A client is not told; the monitoring port tells, where it is open to this machine. */
async function syncInterval({ url }: NatsConfig, version: string, port: number): Promise<Sync> {
  if (isBefore210(version)) return DEFAULT_SYNC;
  const hosts = new Set(addressesIn(url!).map((address) => new URL(address).hostname));
  const found = await Promise.all([...hosts].map((host) => askMonitor(host, port)));
  const known = found.filter((sync) => sync !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

interface Monitored {
  jetstream?: { config?: { sync_interval?: number; sync_always?: boolean } };
}

async function askMonitor(host: string, port: number): Promise<Sync> {
  try {
    const answer = await fetch(`http://${host}:${port}/varz`, { signal: AbortSignal.timeout(1500) });
    return readSync((await answer.json()) as Monitored);
  } catch {
    return undefined;
  }
}

/** The interval comes in nanoseconds. */
export function readSync({ jetstream }: Monitored): Sync {
  const { sync_interval, sync_always } = jetstream?.config ?? {};
  if (sync_always) return 0;
  return sync_interval === undefined ? undefined : sync_interval / 1_000_000;
}

function isBefore210(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 2 || (major === 2 && minor < 10);
}
