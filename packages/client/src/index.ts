export type { Stats } from './accounts.ts';
export {
  type CollapseEvent,
  type Collapser,
  type CollapserOptions,
  createCollapser,
  type Observation,
  type Outcome,
} from './collapser.ts';
export { resultText } from './content.ts';
export type { MessageFormat, Shrink } from './format.ts';
export type { Phase, TrackedResult } from './ledger.ts';
export {
  type BatchedOptions,
  batched,
  type CacheAwareOptions,
  type CachePrices,
  cacheAware,
  eager,
  type Policy,
  type PolicyView,
  type WaitingResult,
} from './policy.ts';
export { createReporter, type Operation, type Reporter, type ReporterOptions } from './reporter.ts';
export type { Snapshot } from './snapshot.ts';
export { estimateTokens, type TokenCounter } from './tokens.ts';
export type { ListedTool } from './tools.ts';
export type { Warning, WarningCode } from './warnings.ts';
