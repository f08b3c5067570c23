/**
 * The address of a compiled file of this package. Threads can only load what is built, whether the code that starts
 * them runs from the sources (in tests), file by file, or from the bundle.
 */
export function builtFile(path: string, here: string = import.meta.url): URL {
  const folder = here.includes('/dist/') ? '/dist/' : '/src/';
  return new URL(`${here.slice(0, here.lastIndexOf(folder))}/dist/${path}`);
}
