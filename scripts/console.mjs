import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Builds the console into the server's package, where it changed since the last time. Answers whether that went well. */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'packages', 'console');
const built = join(root, 'packages', 'server', 'dist', 'console', 'index.html');

export function buildConsole() {
  if (isFresh()) return true;
  const require = createRequire(join(folder, 'package.json'));
  const vite = join(dirname(require.resolve('vite/package.json')), 'bin', 'vite.js');
  // A process of its own: the bundler's memory goes with it.
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  return status === 0;
}

function isFresh() {
  if (!existsSync(built)) return false;
  const time = statSync(built).mtimeMs;
  const records = ['protocol', 'client', 'demo'].map((name) =>
    join(root, 'packages', name, 'tsconfig.tsbuildinfo'),
  );
  return [...sources(), ...records].every((path) => statSync(path).mtimeMs <= time);
}

function sources() {
  const own = ['index.html', 'vite.config.ts', 'package.json'].map((name) => join(folder, name));
  const files = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  return [
    ...own,
    // With the folder itself, and those in it: what is gone or moved leaves its mark there.
    ...['.', ...files].filter((name) => !name.endsWith('.test.ts')).map((name) => join(folder, 'src', name)),
  ];
}
