import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { benchmark, interleave } from '../harness.mjs';
import { BARE_STDIO, PROGRAM, temporaryFolder } from '../support/server-process.mjs';

const version = '2026-07-28';
const LIST_TOOLS = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/** What a host waits for when it starts: from spawning the process to the tools it offers. */
export default benchmark({
  target: 'at most 1.6 × a bare SDK stdio server',
  async run({ quick }) {
    const data = temporaryFolder();
    const project = temporaryFolder();
    const samples = await interleave({
      rounds: quick ? 5 : 21,
      // The first start makes the data folder; later ones are what happens every day.
      warmup: 2,
      ours: () => timeToTools([PROGRAM, 'stdio', '--data', data, '--project', project]),
      floor: () => timeToTools([BARE_STDIO]),
    });
    return [
      {
        what: 'stdio cold start, spawn to answered `tools/list`',
        unit: 'ms',
        against: 'bare SDK stdio server',
        ...samples,
        limit: { ratioAtMost: 1.6 },
      },
    ];
  },
});

/** @param {string[]} program */
async function timeToTools(program) {
  const started = performance.now();
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${LIST_TOOLS}\n`);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const elapsed = performance.now() - started;
  const ended = once(child, 'exit');
  child.stdin.end();
  if (!JSON.parse(line).result?.tools) throw new Error(`${program[0]} answered ${line}`);
  await ended;
  return elapsed;
}
