import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds: what is on time is late by this. Only where it is asked for, since it keeps a process awake. */
const RESOLUTION = 1;
const delays =
  process.env.BENCH_STALLS === undefined ? undefined : monitorEventLoopDelay({ resolution: RESOLUTION });
delays?.enable();

/**
 * Loaded into a measured server with `--import`, so that ours and the peer are measured by the same code, from
 * within: nothing outside a process knows the CPU time of its threads as exactly.
 */
process.on('message', (question) => {
  if (question === 'stall') {
    process.send?.(Math.max(0, (delays?.max ?? 0) / 1e6 - RESOLUTION));
    delays?.reset();
  }
  if (question !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() });
});
// The parent's channel must not keep a server alive that has ended.
process.channel?.unref();
