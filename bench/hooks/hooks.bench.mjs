import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { benchmark, interleave } from '../harness.mjs';
import { Caller } from '../support/load.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

const HOOK = fileURLToPath(new URL('../../packages/server/bin/hook.mjs', import.meta.url));

let calls = 0;
/** What Claude Code tells after each tool; every call is another one. */
const payload = () => ({
  session_id: 'bench',
  transcript_path: '/bench/transcript.jsonl',
  cwd: '/bench/project',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'git log --oneline -20', description: 'Look at the last commits' },
  tool_response: {
    stdout: 'a1b2c3d Fix the total of an order that has no lines\n'.repeat(20),
    ...{ stderr: '', interrupted: false, isImage: false },
  },
  tool_use_id: `toolu_${calls++}`,
});

/** What a host pays for each of its tools: a process that it waits for, or a request. */
export default benchmark({
  target:
    'spawn to exit at most 1.6 × `node -e 0`, nobody listening 2 ×; over HTTP 2 × the CPU of `infold_status`',
  async run({ quick }) {
    const data = temporaryFolder();
    const alone = temporaryFolder();
    const server = await ServerProcess.start(PROGRAM, [
      'serve',
      ...['--port', '0', '--data', data, '--log-level', 'warn'],
    ]);
    while (!existsSync(join(data, 'hooks.sock'))) await pause(20);
    const floor = () => timeToExit(['-e', '0']);
    const spawned = { rounds: quick ? 7 : 41, warmup: 3, floor };
    const listening = await interleave({ ...spawned, ours: () => timeToExit(hookOn(data)) });
    const asCommand = await interleave({
      ...spawned,
      ours: () => timeToExit([PROGRAM, 'hook', ...hookOn(data).slice(1)]),
    });
    const nobody = await interleave({
      ...spawned,
      ours: async () => {
        const elapsed = await timeToExit(hookOn(alone));
        // A spool that grows would be another thing to measure each time.
        rmSync(join(alone, 'spool'), { recursive: true });
        return elapsed;
      },
    });
    const hook = new Caller(`${server.url}/hooks/claude-code`, {}, { toJSON: payload });
    const status = Caller.modern(`${server.url}/mcp`, 'infold_status');
    const count = quick ? 200 : 1000;
    const cpuPerCall = async (/** @type {Caller} */ caller) => {
      const before = await server.usage();
      await caller.calls(count);
      const after = await server.usage();
      return (after.cpuMicroseconds - before.cpuMicroseconds) / count;
    };
    try {
      const overHttp = await interleave({
        ...{ rounds: quick ? 3 : 12, warmup: 3 },
        ours: () => cpuPerCall(hook),
        floor: () => cpuPerCall(status),
      });
      const against = '`node -e 0`';
      return [
        {
          ...{ what: 'a hook after a tool, spawn to exit, server up', unit: 'ms', against },
          ...listening,
          limit: { ratioAtMost: 1.6 },
        },
        {
          ...{ what: 'the same as `infold hook`', unit: 'ms', against },
          ...asCommand,
          limit: { ratioAtMost: 1.6 },
        },
        {
          ...{ what: 'the same, nobody listening', unit: 'ms', against },
          ...nobody,
          limit: { ratioAtMost: 2 },
        },
        {
          ...{ what: 'a hook after a tool over HTTP, server CPU per call', unit: 'µs' },
          against: '`infold_status`',
          ...overHttp,
          limit: { ratioAtMost: 2 },
        },
      ];
    } finally {
      hook.close();
      status.close();
      await server.stop();
    }
  },
});

/** @param {string} data */
const hookOn = (data) => [HOOK, 'claude-code', 'PostToolUse', '--data', data];

/** @param {string[]} program */
async function timeToExit(program) {
  const text = JSON.stringify(payload());
  const started = performance.now();
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const [code] = await once(child, 'exit');
  const elapsed = performance.now() - started;
  if (code !== 0) throw new Error(`${program[0]} ended with ${code}`);
  return elapsed;
}
