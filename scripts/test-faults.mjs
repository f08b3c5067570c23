import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run test:faults`: the fault tests in their long form (hundreds of kills instead of a few). */
const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs');

await import('./build.mjs');
if (!process.exitCode) {
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'faults', ...process.argv.slice(2)],
    { cwd: root, stdio: 'inherit', env: { ...process.env, INFOLD_FAULTS: 'long' } },
  );
  process.exitCode = status ?? 1;
}
