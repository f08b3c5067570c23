import { parseArgs } from 'node:util';

/** `node bench/run-one.mjs ADDRESS [--quick]`: one benchmark of any checkout in a process of its own, its rows over IPC. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});

/** @type {{ default: import('./harness.mjs').Benchmark }} */
const { default: benchmark } = await import(/** @type {string} */ (positionals[0]));
const rows = await benchmark.run({ quick: values.quick });
process.send?.(rows, () => process.exit());
