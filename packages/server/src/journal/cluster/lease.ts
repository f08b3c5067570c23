import type { Stores } from './stores.ts';

/** How long what is held is held without being renewed. */
const LIFE = 10_000;
const RENEWAL = 3000;

/**
 * Runs the work if no other node does such work, and keeps others from it until it ends. Answers whether it ran. Work that
 * goes on for long must end with its signal: another node may have begun by then.
 */
export async function alone(
  stores: Pick<Stores, 'bucket'>,
  name: string,
  node: string,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const leases = await stores.bucket('leases', { ttl: LIFE });
  let revision: number;
  try {
    revision = await leases.create(name, node);
  } catch {
    return false;
  }
  const lost = new AbortController();
  let renewedAt = performance.now();
  const renewing = setInterval(() => {
    const askedAt = performance.now();
    leases.update(name, node, revision).then(
      (next) => {
        revision = next;
        renewedAt = askedAt;
      },
      () => {
        if (performance.now() - renewedAt > LIFE - RENEWAL) lost.abort();
      },
    );
    // Where NATS does not even refuse.
    if (askedAt - renewedAt > LIFE - RENEWAL / 2) lost.abort();
  }, RENEWAL);
  try {
    await work(lost.signal);
    return true;
  } finally {
    clearInterval(renewing);
    await leases.delete(name, { previousSeq: revision }).catch(() => {});
  }
}
