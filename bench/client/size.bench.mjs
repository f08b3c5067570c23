import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { benchmark } from '../harness.mjs';

const ALLOWED = 12_000;
const ENTRIES = ['', '/anthropic', '/openai-chat', '/openai-responses', '/ai-sdk', '/mcp'].map(
  (entry) => `@infold/client${entry}`,
);

/** @param {string} name */
async function gzipped(name) {
  const input = fileURLToPath(import.meta.resolve(name));
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const left = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []));
  if (left.length > 0) throw new Error(`${name} is not whole by itself: it imports ${left.join(', ')}`);
  return gzipSync(output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('')).length;
}

/** What a web page loads: everything that an entry imports, minified and gzipped. */
export default benchmark({
  target: 'the core at most 12 kB gzipped',
  async run() {
    const sizes = await Promise.all(ENTRIES.map(async (name) => ({ name, size: await gzipped(name) })));
    return sizes.map(({ name, size }) => ({
      what: `\`${name}\`, bundled, minified, gzipped`,
      unit: 'bytes',
      against: 'the most that is allowed',
      ours: [size],
      floor: [ALLOWED],
      limit: { ratioAtMost: 1 },
    }));
  },
});
