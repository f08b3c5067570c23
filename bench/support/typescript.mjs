import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Imports what tests share, which is never built: the one way for a benchmark or a script to use what they do.
 *
 * @param {string} path from the root of the checkout
 * @returns {Promise<any>}
 */
export async function importSource(path) {
  // Beside the modules that it imports, so that they are found.
  const file = join(
    root,
    'node_modules/.cache/infold-bench',
    `${path.replaceAll(/\W+/g, '-')}.${process.pid}.mjs`,
  );
  mkdirSync(dirname(file), { recursive: true });
  const external = [/^node:/, /^gpt-tokenizer/, /^fast-check/, /^playwright-core/];
  const bundle = await rolldown({ input: join(root, path), platform: 'node', external, logLevel: 'silent' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}
