import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareWith } from './against.mjs';
import { findBenchmarks, listBenchmarks } from './list.mjs';
import { table, write } from './report.mjs';
import { judge } from './statistics.mjs';

const USAGE = 'npm run bench -- [names or doors…] [--quick] [--no-write] [--against CHECKOUT [--rounds 5]]';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    'no-write': { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
  },
});

const benchmarks = listBenchmarks(fileURLToPath(new URL('.', import.meta.url)));
const names = [...benchmarks.keys()];
if (values.help) {
  process.stdout.write(`${USAGE}\n\nBenchmarks: ${names.join(', ')}\n`);
  process.exit();
}
const unknown = positionals.filter((asked) => findBenchmarks(names, asked).length === 0);
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}. There are: ${names.join(', ')}\n`);
  process.exit(2);
}

if ((loadavg()[0] ?? 0) >= cpus().length) {
  process.stderr.write('The machine is busy with other work: the figures will be noisy.\n');
}

const asked = positionals.flatMap((name) => findBenchmarks(names, name));
const chosen = new Map([...benchmarks].filter(([name]) => asked.length === 0 || asked.includes(name)));

if (values.against !== undefined) {
  const rounds = Number(values.rounds);
  process.stdout.write(await compareWith(values.against, chosen, { quick: values.quick, rounds }));
  process.exit();
}

/** @type {import('./statistics.mjs').Result[]} */
const results = [];
for (const [name, address] of chosen) {
  /** @type {{ default: import('./harness.mjs').Benchmark }} */
  const { default: benchmark } = await import(address);
  const load = Number((loadavg()[0] ?? 0).toFixed(2));
  process.stderr.write(`${name} (target: ${benchmark.target}) …\n`);
  const rows = await benchmark.run({ quick: values.quick });
  const run = { measured: `${new Date().toISOString().slice(0, 16)}Z`, load, quick: values.quick };
  results.push(...rows.map((row) => judge(name, row, run)));
}

process.stdout.write(`${table(results)}\n`);
// A quick run shows that a benchmark works; its figures are too noisy to keep.
if (!values['no-write'] && !values.quick) write(results, names);
if (results.some((result) => result.met === false)) process.stderr.write('Some targets were missed.\n');
