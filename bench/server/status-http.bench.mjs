import { benchmark, interleave } from '../harness.mjs';
import { Caller } from '../support/load.mjs';
import { ServerProcess } from '../support/server-process.mjs';

/** What the server's process spends on a call: its latency would measure the load generator too. */
export default benchmark({
  target: 'at most 1.5 × the CPU of a bare SDK server with one no-op tool',
  async run({ quick }) {
    const calls = quick ? 200 : 1000;
    const rounds = quick ? 3 : 12;
    const ours = await ServerProcess.startOurs();
    const bare = await ServerProcess.startBare();
    try {
      const modern = await compare(
        { server: ours, caller: Caller.modern(`${ours.url}/mcp`, 'infold_status') },
        { server: bare, caller: Caller.modern(`${bare.url}/mcp`, 'nothing') },
        { calls, rounds },
      );
      const legacy = await compare(
        { server: ours, caller: await Caller.legacy(`${ours.url}/mcp`, 'infold_status') },
        { server: bare, caller: await Caller.legacy(`${bare.url}/session`, 'nothing') },
        { calls, rounds },
      );
      const against = 'bare SDK server, no-op tool';
      return [
        {
          what: '`infold_status` over HTTP, server CPU per call',
          unit: 'µs',
          against,
          ...modern,
          limit: { ratioAtMost: 1.5 },
        },
        { what: 'the same in a 2025-era session', unit: 'µs', against, ...legacy },
      ];
    } finally {
      await Promise.all([ours.stop(), bare.stop()]);
    }
  },
});

/**
 * @typedef {{ server: ServerProcess, caller: Caller }} Side
 * @param {Side} ours
 * @param {Side} bare
 * @param {{ calls: number, rounds: number }} options
 */
async function compare(ours, bare, { calls, rounds }) {
  const cpuPerCall = async (/** @type {Side} */ { server, caller }) => {
    const before = await server.usage();
    await caller.calls(calls);
    const after = await server.usage();
    return (after.cpuMicroseconds - before.cpuMicroseconds) / calls;
  };
  try {
    return await interleave({
      rounds,
      warmup: 3,
      ours: () => cpuPerCall(ours),
      floor: () => cpuPerCall(bare),
    });
  } finally {
    ours.caller.close();
    bare.caller.close();
  }
}
