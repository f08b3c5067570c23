export type { Stats } from './collapse/accounts.ts';
export type {
  CollapseEvent,
  Collapser,
  CollapserOptions,
  Observation,
  Outcome,
} from './collapse/collapser.ts';
export { resultText } from './collapse/content.ts';
export { createCollapser } from './collapse/create-collapser.ts';
export type { Phase, TrackedResult } from './collapse/ledger.ts';
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
} from './collapse/policy.ts';
export { createReporter, type Operation, type Reporter, type ReporterOptions } from './collapse/reporter.ts';
export type { Snapshot } from './collapse/snapshot.ts';
export { estimateTokens, type TokenCounter } from './collapse/tokens.ts';
export type { ListedTool } from './collapse/tools.ts';
export type { Warning, WarningCode } from './collapse/warnings.ts';
export type { MessageFormat, Shrink } from './formats/format.ts';
