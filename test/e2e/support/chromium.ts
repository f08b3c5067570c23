import { type Browser, chromium } from 'playwright-core';
import { findProgram } from '../../support/installed.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
export const NEEDS_CHROMIUM = '(needs Chromium in the PATH, such as by "apt-get install chromium")';

/** Where Chromium is; it is installed first where that can be done. Undefined: tests are skipped. */
export const findChromium = (): Promise<string | undefined> => findProgram(NAMES, 'chromium');

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
