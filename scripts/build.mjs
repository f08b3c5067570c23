import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { buildConsole } from './console.mjs';

/** Builds what is stale: the compiler's project references know what that is. */
const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

const { status } = spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: ['ignore', 2, 2] });
process.exitCode = status ?? 1;
if (status === 0) {
  await bundle();
  copyPlugin();
  if (!buildConsole()) process.exitCode = 1;
}

/** `plugin/` is packed with the server, and npm packs nothing from outside a package's own folder. */
function copyPlugin() {
  const copy = join(root, 'packages', 'server', 'plugin');
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(root, 'plugin'), copy, { recursive: true });
}
