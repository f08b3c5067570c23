import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * One file where there were hundreds: a host that starts the program waits for its modules to be found and read.
 * The bundle is used while it is newer than what the compiler wrote last, so it can never be stale.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'packages', 'server', 'dist');
const folder = join(built, 'bundle');

export async function bundle() {
  if (isFresh()) return;
  const { rolldown } = await import('rolldown');
  rmSync(folder, { recursive: true, force: true });
  const build = await rolldown({
    input: join(built, 'cli', 'main.js'),
    platform: 'node',
    // Native code, and what is loaded only when it is needed.
    external: ['@photostructure/sqlite', 'pg', 'jose', /^gpt-tokenizer/, /^node:/],
    logLevel: 'warn',
  });
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: 'main.js',
    chunkFileNames: 'chunks/[name].js',
  });
  await build.close();
}

function isFresh() {
  const main = join(folder, 'main.js');
  if (!existsSync(main)) return false;
  const time = statSync(main).mtimeMs;
  return ['protocol', 'client', 'server'].every((name) => {
    const record = join(root, 'packages', name, 'tsconfig.tsbuildinfo');
    return existsSync(record) && statSync(record).mtimeMs <= time;
  });
}
