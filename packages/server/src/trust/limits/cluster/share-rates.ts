import { randomUUID } from 'node:crypto';
import type { Cluster } from '../../../journal/cluster/cluster.ts';
import type { RateLimiter } from '../rate.ts';
import { type RateMessage, RateSharing } from './rate-sharing.ts';

const SUBJECT = 'infold-rates';
const ROUND = 100;

/** Counts rates together with the other nodes, by messages that nobody keeps. Returns the way to stop it. */
export function shareRates(
  limiter: RateLimiter,
  { node, connection }: Pick<Cluster, 'node' | 'connection'>,
): () => void {
  const sharing = new RateSharing(node, randomUUID(), (rate) => limiter.sizeOf(rate));
  const subscription = connection.subscribe(SUBJECT, {
    callback: (error, message) => {
      if (!error) sharing.hear(message.json<RateMessage>(), performance.now());
    },
  });
  // Without a server the client would keep what is published, in memory, until there is one.
  let isConnected = true;
  const watch = async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') isConnected = false;
      if (type === 'reconnect') isConnected = true;
    }
  };
  const publish = () => {
    if (!isConnected || connection.isClosed() || connection.isDraining()) return;
    for (const message of sharing.round(performance.now())) {
      connection.publish(SUBJECT, JSON.stringify(message));
    }
  };
  const timer = setInterval(publish, ROUND).unref();
  limiter.share(sharing);
  publish();
  void watch();
  return () => {
    clearInterval(timer);
    subscription.unsubscribe();
  };
}
