import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = file('../dist/cli/main.js');
const bundle = file('../dist/bundle/main.js');
const build = file('../../../scripts/build.mjs');

// In a fresh checkout nothing is built yet. Build output goes to stderr: stdout may be a protocol stream.
if (!existsSync(program) && existsSync(build)) {
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

/** The bundle starts faster, but in a checkout the compiler may have written something newer. */
function bundleIsFresh() {
  const time = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs;
  if (time === undefined) return false;
  return ['scrub', 'protocol', 'client', 'server'].every((name) => {
    const record = statSync(file(`../../${name}/tsconfig.tsbuildinfo`), { throwIfNoEntry: false });
    return record === undefined || record.mtimeMs <= time;
  });
}

const { main } = await import(bundleIsFresh() ? bundle : program);
process.exitCode = await main(process.argv.slice(2));
// Whatever still keeps the event loop busy (a host's open stdin, say) must not keep an ended program alive.
setTimeout(() => process.exit(), 500).unref();
