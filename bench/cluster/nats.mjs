import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { importSource } from '../support/typescript.mjs';

/**
 * A NATS server with JetStream on files, as the tests start it. Undefined, and said, where there is none: then a benchmark
 * has no rows, and those on the page stay.
 *
 * @returns {Promise<{ url: string, stop(): Promise<void> } | undefined>}
 */
export async function startNats() {
  const { natsServer, startNats: start, NEEDS_NATS } = await importSource('test/support/nats.ts');
  if (natsServer !== undefined) return start();
  process.stderr.write(`  left out ${NEEDS_NATS}\n`);
  return undefined;
}

/**
 * The settings of a node.
 *
 * @param {string} data its folder
 * @param {string} url of NATS
 */
export function nodeConfig(data, url) {
  return loadConfig({ data, nats: { url } }, {});
}
