import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * `npm start`: builds what is stale in a process that ends, so that the server does not carry the bundler in its
 * memory, then serves in this same process, so that signals reach it directly.
 */
const build = fileURLToPath(new URL('./build.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(status ?? 1);

// Who ends npm means the server too, but npm's shell ends without telling it: then it ends by itself, as it would when told.
const parent = process.ppid;
const watch = () => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
};
setInterval(watch, 1000).unref();

const { main } = await import('../packages/server/dist/bundle/main.js');
process.exitCode = await main(['serve', ...process.argv.slice(2)]);
