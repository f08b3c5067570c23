import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run check`: nothing in the sources is dead, and what is published can be installed and imported with its types.
 * Each check prints what it ran.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** @param {string} name The program of a package that is named as its package, or the only one that it has. */
function programOf(name) {
  const folder = packageFolder(name);
  const { bin, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const path = typeof bin === 'string' ? bin : (bin[name] ?? Object.values(bin)[0]);
  return { path: join(folder, path), version };
}

/** @param {string} name */
function packageFolder(name) {
  const paths = require.resolve.paths(name) ?? [];
  const found = paths
    .map((path) => join(path, name))
    .find((path) => {
      try {
        return readdirSync(path).includes('package.json');
      } catch {
        return false;
      }
    });
  if (!found) throw new Error(`${name} is not installed; run "npm ci"`);
  return found;
}

/** @param {string} name @param {string[]} args @param {string} cwd */
function check(name, args, cwd = root) {
  const { path, version } = programOf(name);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { cwd, encoding: 'utf8' });
  const what = cwd === root ? '' : ` ${cwd.slice(root.length)}`;
  process.stdout.write(`${status === 0 ? 'ok    ' : 'failed'} ${name} ${version}${what}\n`);
  if (status === 0) return;
  process.stdout.write(stdout + stderr);
  process.exitCode = 1;
}

check('knip', ['--no-progress']);
for (const name of readdirSync(join(root, 'packages'))) {
  const folder = dirname(join(root, 'packages', name, 'package.json'));
  if (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).private) continue;
  check('publint', ['--strict'], folder);
  check('@arethetypeswrong/cli', ['--pack', '.', '--profile', 'esm-only'], folder);
}
