import { createRequire } from 'node:module';

type Yaml = typeof import('yaml');

const require = createRequire(import.meta.url);
let loaded: Yaml | undefined;

/** Loaded for the first text that needs it: most starts never do, and all would wait for it. */
export function yaml(): Yaml {
  loaded ??= require('yaml') as Yaml;
  return loaded;
}
