import fc from 'fast-check';
import { histories } from '../histories.suite.ts';
import type { Content } from './content.suite.ts';
import type { Host } from './host.suite.ts';
import type { Script } from './script.suite.ts';

export { contentOf } from './content.suite.ts';
export { compactionsOf, costOfTrace, lastPromptShare } from './cost.suite.ts';
export { hostNamed } from './play.suite.ts';
export { TRACES } from './traces.suite.ts';

/** Random conversations, the same for the same seed, under a prompt that is long enough for a provider to keep. */
export function randomScripts(content: Content, host: Host, count: number, seed: number): Script[] {
  const system = content.file('docs/operations.md').slice(0, 12_000);
  return fc
    .sample(histories({ hosts: [host], episodes: 16 }), { numRuns: count, seed })
    .map(({ script }, index) => ({
      ...script,
      name: `random ${index}`,
      prompt: { ...script.prompt, system },
    }));
}
