/** `npm start`: builds what is stale, then serves in this same process, so that signals reach it directly. */
await import('./build.mjs');
if (process.exitCode) process.exit();

const { main } = await import('../packages/server/dist/bundle/main.js');
process.exitCode = await main(['serve', ...process.argv.slice(2)]);
