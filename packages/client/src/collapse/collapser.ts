import type { MessageFormat } from '../formats/format.ts';
import type { Stats } from './accounts.ts';
import type { Matching, TrackedResult } from './ledger.ts';
import type { Policy } from './policy.ts';
import type { Snapshot } from './snapshot.ts';
import type { TokenCounter } from './tokens.ts';
import type { Warning, WarningCode } from './warnings.ts';

export interface Observation {
  /** A name of your choice for the MCP server. A server can collapse only its own results. */
  server: string;
  tool: string;
  /** The model's id of the tool call, as it stands in the messages. */
  callId: string;
  /** What `callTool` answered, `_meta` included. */
  result: unknown;
  /** The call's arguments: they make the estimate of what a rewrite costs better. */
  input?: unknown;
}

/** What an observation did. All call ids. */
export interface Outcome {
  /** False for what was ignored: seen before, or not an observation. */
  accepted: boolean;
  transient: boolean;
  consumed: readonly string[];
  collapsed: readonly string[];
}

export interface CollapseEvent {
  policy: string;
  results: readonly {
    callId: string;
    server: string;
    tool: string;
    /** Where the result has one. */
    handle?: string;
    tokens: number;
    textTokens: number;
    text: string;
  }[];
  /** Tokens that no later prompt carries. */
  tokensSaved: number;
  /** Tokens that a provider has to write to its cache again because of it. */
  rewriteTokens: number;
}

export interface CollapserOptions extends Partial<Matching> {
  /** When consumed results collapse (default `eager()`). */
  policy?: Policy;
  onCollapse?: (event: CollapseEvent) => void;
  /** Told about everything that is ignored, signals included. Without it, each kind of warning goes to the console once. */
  onWarning?: (warning: Warning) => void;
  countTokens?: TokenCounter;
  /** The tool that gets originals back, as the model knows it; false leaves handles out (default `context_expand`). */
  expandTool?: string | false;
  /** Gives results of servers without handles a short one of ours, for an application that answers `expand()` itself. */
  localHandles?: boolean;
}

export interface Collapser {
  /** Tells it about a tool result, once, where it arrives. Never throws. */
  observe(observation: Observation): Outcome;
  /**
   * The messages to send. Never changes or drops one; results that collapsed are replaced in copies. A format is needed
   * only for messages of another shape than the four that are known.
   */
  project<Message>(messages: readonly Message[], format?: MessageFormat<Message>): Message[];
  /** A copy of a transient result as it was observed. */
  original(callId: string): unknown;
  /** The same by the handle that its summary shows. */
  expand(handle: string): unknown;
  /** Every observed result in order, and the pairs: for displays. */
  state(): {
    results: Readonly<TrackedResult>[];
    pairs: { server: string; consumer: string; tools: string[] }[];
  };
  stats(): Stats;
  /** Tells about every collapse from now on, as `onCollapse` does; answers how to stop. A reporter listens this way. */
  subscribe(listener: (event: CollapseEvent) => void): () => void;
  /** Passes a warning on to whoever listens, and counts it. For adapters. */
  warn(code: WarningCode, message: string): void;
  /** Whether a result was observed. */
  has(callId: string): boolean;
  /** Whether a result is transient, registered, and new in the prompt that was projected last. */
  isFresh(callId: string): boolean;
  /** Collapses everything consumed now, whatever the policy; answers the call ids. */
  flush(): readonly string[];
  /** Stops tracking a result whose message the application has removed, so that no signal is spent on it. */
  forget(callId: string): boolean;
  /** JSON to keep across a restart. Originals are left out unless asked for: the history is with the application. */
  snapshot(options?: { originals?: boolean }): Snapshot;
  /** Goes on where a snapshot was taken. Throws a TypeError for anything else, and is then as it was. */
  restore(snapshot: unknown): void;
}
