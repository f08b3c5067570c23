import { benchmark, interleave } from '../harness.mjs';
import { Caller } from '../support/load.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';
import { startNats } from './nats.mjs';

const NODES = 3;
const WARM = 2000;
/** @type {Record<string, object>} */
const INPUTS = { infold_status: {}, context_branch_status: { project_path: '/bench/reads' } };

/**
 * What all nodes spend on reads that are spread over them, against a cluster of one node that gets as many over as many
 * connections. Each cluster has a NATS server of its own; what nodes do besides is in the figure.
 */
export default benchmark({
  target: 'at most 1.1 × the CPU per read of one node',
  async run({ quick }) {
    const [many, one] = [await startNats(), await startNats()];
    if (!many || !one) return [];
    /** @type {ServerProcess[]} */
    const started = [];
    const node = async (/** @type {string} */ url) => {
      const server = await ServerProcess.start(PROGRAM, [
        ...['serve', '--nats', url, '--port', '0', '--data', temporaryFolder(), '--log-level', 'warn'],
      ]);
      started.push(server);
      return server;
    };
    try {
      const spread = [];
      for (let count = 0; count < NODES; count++) spread.push(await node(many.url));
      const alone = await node(one.url);
      const calls = quick ? 100 : 500;
      const rounds = quick ? 3 : 12;
      const rows = [];
      for (const tool of Object.keys(INPUTS)) {
        // Every node has compiled what it runs: one that answers a third of the calls would otherwise be later in that.
        for (const server of started) await cpuPerRead([server], [server], tool, WARM);
        const samples = await interleave({
          rounds,
          warmup: 3,
          ours: () => cpuPerRead(spread, spread, tool, calls),
          floor: () => cpuPerRead([alone], [alone, alone, alone], tool, calls),
        });
        rows.push({
          what: `\`${tool}\` over HTTP on three nodes, CPU of all nodes per call`,
          unit: 'µs',
          against: 'on one node',
          ...samples,
          limit: { ratioAtMost: 1.1 },
        });
      }
      return rows;
    } finally {
      await Promise.all(started.map((server) => server.stop()));
      await Promise.all([many.stop(), one.stop()]);
    }
  },
});

/**
 * @param {ServerProcess[]} servers
 * @param {ServerProcess[]} asked who gets calls, each over connections of its own
 * @param {string} tool
 * @param {number} calls to each
 */
async function cpuPerRead(servers, asked, tool, calls) {
  const callers = asked.map(({ url }) => Caller.modern(`${url}/mcp`, tool, INPUTS[tool]));
  const spent = async () => {
    const usages = await Promise.all(servers.map((server) => server.usage()));
    return usages.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0);
  };
  // Connections are made before.
  for (const caller of callers) await caller.calls(8);
  const before = await spent();
  // One after the other: three nodes are three machines, and here they would take the cores from each other.
  for (const caller of callers) await caller.calls(calls);
  const after = await spent();
  for (const caller of callers) caller.close();
  return (after - before) / (calls * asked.length);
}
