/**
 * Loaded into a measured server with `--import`, so that ours and the peer are measured by the same code, from
 * within: nothing outside a process knows the CPU time of its threads as exactly.
 */
process.on('message', (question) => {
  if (question !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() });
});
// The parent's channel must not keep a server alive that has ended.
process.channel?.unref();
