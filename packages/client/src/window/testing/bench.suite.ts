/** What the benchmark of the window's cost takes from here. */
export { contentOf } from './content.suite.ts';
export { compactionsOf, costOfTrace, lastPromptShare } from './cost.suite.ts';
export { hostNamed } from './play.suite.ts';
export { TRACES } from './traces.suite.ts';
