#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const build = fileURLToPath(new URL('../../../scripts/build.mjs', import.meta.url));

// In a fresh checkout nothing is built yet. Build output goes to stderr: stdout may be a protocol stream.
if (!existsSync(program) && existsSync(build)) {
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

const { main } = await import(program);
process.exitCode = await main(process.argv.slice(2));
// Whatever still keeps the event loop busy (a host's open stdin, say) must not keep an ended program alive.
setTimeout(() => process.exit(), 500).unref();
