import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run test:hosts [-- -t codex]`: the tests with real hosts, which are installed from npm for it and removed again.
 * INFOLD_TEST_HOSTS=DIR keeps them there for the next time.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs');

await import('./build.mjs');
if (!process.exitCode) {
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'e2e', 'test/e2e/hosts', ...process.argv.slice(2)],
    { cwd: root, stdio: 'inherit', env: { INFOLD_TEST_HOSTS: '1', ...process.env } },
  );
  process.exitCode = status ?? 1;
}
