export type { CachePrices } from '../collapse/policy.ts';
export { type NewResult, shortenAtBirth } from './at-birth.ts';
export { editJson, type JsonEdit } from './json.ts';
export { type ToolUse, toolUseOf } from './known-tools.ts';
export { parentsFrom } from './parents.ts';
export {
  type KnownDecision,
  type NewCall,
  type Plan,
  planWindow,
  SURELY_HELD,
  type Taken,
  type WindowSettings,
  type WindowState,
} from './plan.ts';
export { blocksOf, cachedOf, type PromptBlock, textOfBlock } from './prompt.ts';
export { type Digest, type Reading, readRequest } from './read.ts';
export type { Consumed } from './rules/consumed.ts';
export { type Decision, DIALECTS, type Dialect, type Effect, RULES, type Rule } from './types.ts';
