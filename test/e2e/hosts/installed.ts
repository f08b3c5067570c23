import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The versions that are tested: hosts change fast, and a test that follows them tests nothing in particular. */
const PACKAGES = {
  codex: { packages: ['@openai/codex@0.166.0'], program: 'codex' },
  gemini: { packages: ['@google/gemini-cli@0.61.0'], program: 'gemini' },
  // It needs a newer Node than we do.
  qwen: { packages: ['@qwen-code/qwen-code@0.24.4', 'node@22'], program: 'qwen' },
  opencode: {
    packages: ['opencode-ai@1.18.33'],
    program: 'opencode',
    afterwards: 'node_modules/opencode-ai/postinstall.mjs',
  },
  // It needs a newer Node than we do.
  pi: { packages: ['@earendil-works/pi-coding-agent@0.87.1', 'node@22'], program: 'pi' },
  'claude-code': {
    packages: ['@anthropic-ai/claude-code@2.1.325'],
    program: 'claude',
    afterwards: 'node_modules/@anthropic-ai/claude-code/install.cjs',
  },
} as const;

type Installed = keyof typeof PACKAGES;
/** Those that `infold run` starts. */
export type HostName = Exclude<Installed, 'pi'>;

/** Somebody's own, which is kept for the next time, or one that goes with the tests. */
const kept = process.env.INFOLD_TEST_HOSTS;
const isKept = kept !== undefined && kept !== '1';
const FOLDER = isKept ? resolve(kept) : join(tmpdir(), `infold-hosts-${process.pid}`);

export function removeInstalled(): void {
  if (!isKept) rmSync(FOLDER, { recursive: true, force: true });
}

/** Where its programs are, from npm at the version that is named above; none of it is ever part of Infold. */
export function installed(name: Installed): { bin: string; program: string } {
  const { packages, program, ...more } = PACKAGES[name];
  const folder = join(FOLDER, name);
  const bin = join(folder, 'node_modules', '.bin');
  if (!existsSync(join(bin, program))) {
    mkdirSync(folder, { recursive: true });
    const npm = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...packages];
    execFileSync('npm', npm, { env: ownEnvironment(), stdio: ['ignore', 'inherit', 'inherit'] });
    if ('afterwards' in more)
      execFileSync(process.execPath, [join(folder, more.afterwards)], { cwd: folder });
  }
  return { bin, program };
}

/** Without what `npm run` says of our own package: the install scripts of a host would take it for theirs. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
}
