import { readdirSync, rmSync, statSync } from 'node:fs';
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
  await bundleProgram();
  await bundlePlugins();
}

async function bundleProgram() {
  if (isFresh(join(folder, 'main.js'), ['scrub', 'protocol', 'client', 'server'])) return;
  const { rolldown } = await import('rolldown');
  rmSync(folder, { recursive: true, force: true });
  const build = await rolldown({
    input: join(built, 'cli', 'main.js'),
    platform: 'node',
    // Native code, what is loaded only when it is needed, and what looks for its own files as it runs.
    external: [
      '@photostructure/sqlite',
      'pg',
      '@infold/demo',
      'jose',
      'jsonc-parser',
      /^gpt-tokenizer/,
      /^node:/,
    ],
    logLevel: 'warn',
    // In a bundle it does no harm; unbundled, a command still loads less for it.
    checks: { ineffectiveDynamicImport: false },
  });
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: 'main.js',
    chunkFileNames: 'chunks/[name].js',
    // A start waits until all of it is read. In one byte a character that is faster, and nobody reads the comments.
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
    // Commands load what they need, and most of them need the same: in one file, which costs a fifth less than in a hundred.
    codeSplitting: {
      groups: [
        // Many commands could need it, and nobody does without a cluster.
        { name: 'nats', test: /node_modules\/(@nats-io|tweetnacl)/, priority: 2 },
        { name: 'main-parts', tags: ['$initial'], priority: 1 },
        { name: 'common', minShareCount: 6 },
      ],
    },
  });
  await build.close();
}

/** What OpenCode and Pi load, each in one file: an installation names it by its path, with nothing beside it. */
async function bundlePlugins() {
  for (const name of ['opencode', 'pi']) {
    const file = join(built, 'plugins', `${name}.mjs`);
    if (isFresh(file, ['protocol', 'client', name])) continue;
    const { rolldown } = await import('rolldown');
    const build = await rolldown({
      input: join(root, 'packages', name, 'dist', 'index.js'),
      platform: 'node',
      external: [/^node:/],
      logLevel: 'warn',
    });
    await build.write({ file, format: 'esm' });
    await build.close();
  }
}

/** @param {string} file @param {readonly string[]} packages Those that it was made of. */
function isFresh(file, packages) {
  const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (time === undefined) return false;
  return packages.every((name) => {
    const records = readdirSync(join(root, 'packages', name)).filter((path) => path.endsWith('.tsbuildinfo'));
    return (
      records.length > 0 &&
      records.every((path) => statSync(join(root, 'packages', name, path)).mtimeMs <= time)
    );
  });
}
