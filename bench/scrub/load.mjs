import { pathToFileURL } from 'node:url';

const compiled = new URL('../../packages/scrub/dist/index.js', import.meta.url).href;

/** The scrubber as it is shipped: compiled JavaScript, by default that of the last build. */
export async function loadScrubber(path) {
  const { createScrubber } = await import(path === undefined ? compiled : pathToFileURL(path).href);
  return createScrubber();
}
