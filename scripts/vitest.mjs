import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs');

/**
 * Builds, and runs some of the tests; the command line says more.
 *
 * @param {readonly string[]} tests
 * @param {Record<string, string | undefined>} env
 */
export async function runTests(tests, env) {
  await import('./build.mjs');
  if (process.exitCode) return;
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...tests, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  process.exitCode = status ?? 1;
}
