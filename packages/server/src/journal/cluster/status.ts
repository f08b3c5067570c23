import type { ClusterView } from '@infold/protocol';
import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';

/** A node that has not reported for so long is not there, or cannot reach NATS. */
const SILENT_AFTER = 15_000;
const NO_STREAM = 10059;
const NO_MESSAGE = 10037;

/** What a node tells of itself; what an older or newer version leaves out is not known. */
interface NodeReport {
  node: string;
  version?: string;
  seq?: number;
  hash?: string;
  position?: number;
  lag?: number;
  /** By its own clock. */
  at?: number;
  ready?: boolean;
  reason?: string;
  /** The last forgetting that left nothing on the node and in NATS. */
  forgotten?: number;
}

type NodeView = ClusterView['nodes'][number];

/** Asked of NATS alone, so that it can be told where no node is. */
export async function readClusterStatus(
  connection: NatsConnection,
  name = 'infold',
  silentAfter: number = SILENT_AFTER,
): Promise<ClusterView> {
  const { jetstreamManager } = await import('@nats-io/jetstream');
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const stream = await unlessMissing(manager.streams.info(name.toUpperCase()));
    const asked = Date.now();
    const now = stream ? await serverTime(manager, stream) : asked;
    // It told the time somewhere between.
    const clock = stream ? ahead(now, asked, Date.now()) : 0;
    const { last_seq: last = 0 } = stream?.state ?? {};
    const nodes =
      (await unlessMissing(nodesOf(connection, `${name}_nodes`, { now, last, silentAfter }))) ?? [];
    const info = connection.info!;
    return {
      server: { name: info.server_name ?? info.server_id, version: info.version, clock },
      journal: stream ? journalOf(stream) : null,
      snapshot: stream ? await snapshotOf(manager, stream, `${name}.mark.snapshot`, now) : null,
      nodes,
      agree: !differ(nodes),
    };
  } catch (error) {
    const message = `The cluster cannot be asked: ${messageOf(error)}`;
    throw new InfoldError('unavailable', message, { retryable: true, retryAfter: 1, cause: error });
  }
}

function journalOf({ config, state, cluster }: StreamInfo): NonNullable<ClusterView['journal']> {
  const leader = cluster?.leader ?? null;
  const followers = (cluster?.replicas ?? []).map(({ name, current, offline = false, lag = 0 }) => ({
    name,
    leader: false,
    state: offline ? ('offline' as const) : current ? ('current' as const) : ('behind' as const),
    lag,
  }));
  const first = leader === null ? [] : [{ name: leader, leader: true, state: 'current' as const, lag: 0 }];
  return {
    stream: config.name,
    leader,
    replicas: config.num_replicas,
    servers: [...first, ...followers],
    messages: state.messages,
    bytes: state.bytes,
    position: state.last_seq,
  };
}

/** The clock of NATS, by which reports are as old as they are; ours may differ. A consumer tells when it was made. */
async function serverTime(manager: JetStreamManager, { config }: StreamInfo): Promise<number> {
  const { created, name } = await manager.consumers.add(config.name, {
    ack_policy: 'none',
    deliver_policy: 'new',
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: 5_000_000_000,
  });
  await manager.consumers.delete(config.name, name);
  return Date.parse(created);
}

function ahead(told: number, from: number, to: number): number {
  if (told < from) return Math.round(from - told);
  return told > to ? Math.round(to - told) : 0;
}

async function nodesOf(connection: NatsConnection, bucketName: string, moment: Moment): Promise<NodeView[]> {
  const { Kvm } = await import('@nats-io/kv');
  const bucket = await new Kvm(connection).open(bucketName);
  const nodes: NodeView[] = [];
  const keys: string[] = [];
  for await (const key of await bucket.keys()) keys.push(key);
  for (const key of keys) {
    const entry = await bucket.get(key);
    if (entry?.operation !== 'PUT') continue;
    nodes.push(nodeOf(entry.json<NodeReport>(), entry.created.getTime(), moment));
  }
  return nodes.sort((one, other) => (one.node < other.node ? -1 : 1));
}

/** When it is looked at, by the clock of NATS, and how far the stream is then. */
interface Moment {
  now: number;
  last: number;
  silentAfter: number;
}

function nodeOf(report: NodeReport, written: number, { now, last, silentAfter }: Moment): NodeView {
  const { node, version = 'unknown', seq = 0, hash = '', position = 0, at = written, ready, reason } = report;
  const isSilent = now - written > silentAfter;
  const lag = isSilent ? Math.max(0, last - position) : (report.lag ?? 0);
  const isReady = ready ?? lag === 0;
  return {
    node,
    version,
    state: isSilent ? 'silent' : isReady ? 'ready' : reason === undefined ? 'catching up' : 'stopped',
    ...(reason !== undefined && { reason }),
    seq,
    head: hash,
    lag,
    forgotten: report.forgotten ?? 0,
    clock: at - written,
    seen: Math.max(0, now - written) / 1000,
  };
}

async function snapshotOf(
  manager: JetStreamManager,
  { config }: StreamInfo,
  subject: string,
  now: number,
): Promise<ClusterView['snapshot']> {
  const message = await unlessMissing(manager.streams.getMessage(config.name, { last_by_subj: subject }));
  if (!message) return null;
  const { seq = null } = message.json<{ seq?: number }>();
  const at = message.time.getTime();
  return { seq, at: isoTime(at), age: Math.max(0, Math.round((now - at) / 1000)) };
}

function differ(nodes: readonly NodeView[]): boolean {
  const heads = new Map<number, string>();
  return nodes.some(({ seq, head }) => {
    const other = heads.get(seq) ?? head;
    heads.set(seq, head);
    return other !== head;
  });
}

async function unlessMissing<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ([NO_STREAM, NO_MESSAGE].includes((error as { code?: number }).code ?? 0)) return undefined;
    throw error;
  }
}
