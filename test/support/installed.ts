import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Where the first of these programs is; the Debian package that has it is installed first where that can be done. */
export async function findProgram(
  names: readonly string[],
  debianPackage: string,
): Promise<string | undefined> {
  const found = installedAt(names);
  if (found || !mayInstall()) return found;
  const aptGet = (...args: string[]) =>
    promisify(execFile)('apt-get', ['-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 300_000,
    }).catch(() => {});
  const install = [
    'install',
    '-y',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=240',
    debianPackage,
  ];
  for (let tries = 0; tries < 3; tries++) {
    // A list that is there already may do, and another test may be fetching one or installing something at this moment.
    await aptGet('update');
    await aptGet(...install);
    const installed = installedAt(names);
    if (installed) return installed;
    await wait(1_000);
  }
  return undefined;
}

function mayInstall(): boolean {
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return process.getuid?.() === 0 && /^ID=debian$/m.test(system);
}

function installedAt(names: readonly string[]): string | undefined {
  // Debian puts servers where only root's PATH looks.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
