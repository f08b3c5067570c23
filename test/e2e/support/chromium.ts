import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
export const NEEDS_CHROMIUM = '(needs Chromium in the PATH, such as by "apt-get install chromium")';

/** Where Chromium is; it is installed first where that can be done. Undefined: tests are skipped. */
export async function findChromium(): Promise<string | undefined> {
  const found = installedAt();
  if (found || !mayInstall()) return found;
  const aptGet = (...args: string[]) =>
    promisify(execFile)('apt-get', ['-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 300_000,
    });
  // A list that is there already may do, and another test may be installing something at this moment.
  await aptGet('update').catch(() => {});
  const install = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=240', 'chromium'];
  await aptGet(...install).catch(() => {});
  return installedAt();
}

function mayInstall(): boolean {
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return process.getuid?.() === 0 && /^ID=debian$/m.test(system);
}

function installedAt(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A browser without a window. */
export function launchChromium(program: string, flags: readonly string[] = []): Promise<Browser> {
  const own = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-dev-shm-usage',
    '--no-proxy-server',
  ];
  return chromium.launch({ executablePath: program, args: [...own, ...flags] });
}
