import { benchmark, interleave } from '../harness.mjs';
import { Caller } from '../support/load.mjs';
import { ServerProcess } from '../support/server-process.mjs';

const PROJECT = '/bench/project';

/** What asking for the state of a session costs beside a call that only tells what the server offers. */
export default benchmark({
  target: 'at most 1.6 × the CPU of `infold_status`',
  async run({ quick }) {
    const calls = quick ? 200 : 1000;
    const server = await ServerProcess.startOurs();
    const address = `${server.url}/mcp`;
    const branch = {
      description: 'Search the logs',
      prompt: 'Find every auth error.',
      project_path: PROJECT,
    };
    const begin = Caller.modern(address, 'context_branch', branch);
    await begin.calls(3);
    const status = Caller.modern(address, 'context_branch_status', { project_path: PROJECT });
    const plain = Caller.modern(address, 'infold_status');
    const cpuPerCall = async (/** @type {Caller} */ caller) => {
      const before = await server.usage();
      await caller.calls(calls);
      const after = await server.usage();
      return (after.cpuMicroseconds - before.cpuMicroseconds) / calls;
    };
    try {
      const samples = await interleave({
        rounds: quick ? 3 : 12,
        warmup: 3,
        ours: () => cpuPerCall(status),
        floor: () => cpuPerCall(plain),
      });
      return [
        {
          what: '`context_branch_status` over HTTP, server CPU per call',
          unit: 'µs',
          against: '`infold_status`',
          ...samples,
          limit: { ratioAtMost: 1.6 },
        },
      ];
    } finally {
      for (const caller of [begin, status, plain]) caller.close();
      await server.stop();
    }
  },
});
