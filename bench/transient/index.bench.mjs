import { spawn } from 'node:child_process';
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchmark } from '../harness.mjs';
import { PROGRAM, temporaryFolder } from '../support/server-process.mjs';
import { writeActivities } from './activities.mjs';

/** `infold records --index` on a large file, beside a loop that only reads the lines and parses them. */
export default benchmark({
  target: 'at least 100 MB a minute, within 300 MB of memory',
  async run({ quick }) {
    const folder = temporaryFolder();
    const path = join(folder, 'activities.jsonl');
    await writeActivities(path, quick ? 50_000 : 1_080_000);
    const megabytes = statSync(path).size / 1e6;
    const config = join(folder, 'infold.config.json');
    writeFileSync(config, JSON.stringify({ sources: { activity: { type: 'jsonl', path } } }));
    const ours = { rate: /** @type {number[]} */ ([]), memory: /** @type {number[]} */ ([]) };
    const floor = { rate: /** @type {number[]} */ ([]), memory: /** @type {number[]} */ ([]) };
    for (let round = 0; round < (quick ? 1 : 2); round++) {
      const indexed = await index(config);
      ours.rate.push(megabytes / (indexed.seconds / 60));
      ours.memory.push(indexed.memory);
      const idle = await run(['--version']);
      floor.memory.push(idle.memory);
      const started = performance.now();
      for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
      floor.rate.push(megabytes / ((performance.now() - started) / 60_000));
    }
    const size = `${Math.round(megabytes)} MB of JSONL`;
    return [
      {
        what: `indexing ${size}`,
        unit: 'MB/min',
        against: 'reading its lines and parsing them',
        ours: ours.rate,
        floor: floor.rate,
        limit: { atLeast: 100 },
      },
      {
        what: `most memory while indexing ${size}`,
        unit: 'MB',
        against: 'the program telling its version',
        ours: ours.memory,
        floor: floor.memory,
        limit: { atMost: 300 },
      },
    ];
  },
});

/** @param {string} config */
async function index(config) {
  const result = await run(['--data', temporaryFolder(), '--config', config, '--json', 'records', '--index']);
  const [model] = JSON.parse(result.output).models;
  if (model.state !== 'ready') throw new Error(JSON.stringify(model));
  return result;
}

/**
 * Runs the program to its end and watches how much memory it takes.
 *
 * @param {string[]} args
 */
async function run(args) {
  const started = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let memory = 0;
  const ended = new Promise((resolve) => child.on('close', resolve));
  let running = true;
  void ended.then(() => {
    running = false;
  });
  while (running) {
    memory = Math.max(memory, highestMemory(child.pid));
    await sleep(20);
  }
  return { output, memory, seconds: (performance.now() - started) / 1000 };
}

/** @param {number | undefined} pid */
function highestMemory(pid) {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (Number(kilobytes ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}
