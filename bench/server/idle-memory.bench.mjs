import { setTimeout as sleep } from 'node:timers/promises';
import { benchmark, interleave } from '../harness.mjs';
import { Caller } from '../support/load.mjs';
import { ServerProcess } from '../support/server-process.mjs';

/** What a server keeps while nobody uses it: started, used a little so that everything is loaded, left alone. */
export default benchmark({
  target: 'at most 1.6 × the bare SDK HTTP server',
  async run({ quick }) {
    const idle = quick ? 500 : 2000;
    const samples = await interleave({
      rounds: quick ? 2 : 7,
      warmup: 0,
      ours: () => idleMemory(() => ServerProcess.startOurs(), 'infold_status', idle),
      floor: () => idleMemory(() => ServerProcess.startBare(), 'nothing', idle),
    });
    return [
      {
        what: 'idle memory of `serve`',
        unit: 'MB',
        against: 'bare SDK HTTP server',
        ...samples,
        limit: { ratioAtMost: 1.6 },
      },
    ];
  },
});

/**
 * @param {() => Promise<ServerProcess>} start
 * @param {string} tool
 * @param {number} idle
 */
async function idleMemory(start, tool, idle) {
  const server = await start();
  try {
    const caller = Caller.modern(`${server.url}/mcp`, tool);
    await caller.calls(10);
    caller.close();
    await sleep(idle);
    return (await server.usage()).residentBytes / 1e6;
  } finally {
    await server.stop();
  }
}
