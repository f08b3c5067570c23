import { type Pair, type Signals, toolName } from './meta.ts';
import type { Warn } from './warnings.ts';

/**
 * `plain` results never collapse, `pending` ones are transient and shown in full, `consumed` ones wait for the policy,
 * `collapsed` ones are shown as their summary.
 */
export type Phase = 'plain' | 'pending' | 'consumed' | 'collapsed';
export const PHASES: readonly Phase[] = ['plain', 'pending', 'consumed', 'collapsed'];

/** A tool result that was observed. */
export interface TrackedResult {
  callId: string;
  server: string;
  tool: string;
  phase: Phase;
  /** A plain result that a consumed signal was meant for: it cannot take another one. */
  spent: boolean;
  /** The model call after which it came, counted from 0. */
  turn: number;
  tokens: number;
  /** Of the call that led to it: the model's words and arguments. */
  callTokens: number;
  handle?: string;
  summary?: string;
  /** What is sent instead, and its tokens. */
  text?: string;
  textTokens?: number;
  consumedBy?: string;
  consumedTurn?: number;
  /** The results that this one consumed. */
  consumes?: string[];
}

export interface Matching {
  order: 'oldest' | 'newest';
  unregistered: 'handle' | 'any-consumer';
}

const PAIRS = 4096;
const EARLY_HANDLES = 1024;

type Nested<Value> = Map<string, Map<string, Value>>;

function inner<Value>(map: Nested<Value>, key: string): Map<string, Value> {
  const found = map.get(key) ?? new Map<string, Value>();
  map.set(key, found);
  return found;
}

/** Which results there are, which tools belong together, and which result a signal means. */
export class Ledger {
  readonly results = new Map<string, TrackedResult>();
  /** Server, consumer, the tools whose results it consumes. */
  readonly pairs: Nested<Set<string>> = new Map();
  /** Server, handle, the results that have it. */
  readonly #handles: Nested<TrackedResult[]> = new Map();
  /** Handles that a consumer named before their results were observed. */
  readonly early: Nested<string> = new Map();
  #pairCount = 0;

  /** Step A. Several tools may share a consumer; registering a pair again changes nothing. */
  register(server: string, pairs: readonly Pair[], warn: Warn): void {
    for (const { tool, consumer } of pairs) {
      const consumers = inner(this.pairs, server);
      const tools = consumers.get(consumer) ?? new Set();
      if (tools.has(tool)) continue;
      if (this.#pairCount >= PAIRS) {
        warn('too_many_pairs', `more than ${PAIRS} pairs were registered; the rest is ignored`);
        return;
      }
      consumers.set(consumer, tools.add(tool));
      this.#pairCount++;
    }
  }

  add(result: TrackedResult): void {
    this.results.set(result.callId, result);
    if (result.handle === undefined) return;
    const same = inner(this.#handles, result.server);
    const known = same.get(result.handle);
    if (known) known.push(result);
    else same.set(result.handle, [result]);
  }

  remove(callId: string): TrackedResult | undefined {
    const result = this.results.get(callId);
    if (!result) return undefined;
    this.results.delete(callId);
    const same = result.handle !== undefined ? this.withHandle(result.server, result.handle) : [];
    const place = same.indexOf(result);
    if (place >= 0) same.splice(place, 1);
    return result;
  }

  withHandle(server: string, handle: string): TrackedResult[] {
    return this.#handles.get(server)?.get(handle) ?? [];
  }

  /** The first result, of any server, that a handle names: what a model means when it quotes it. */
  byHandle(handle: string): TrackedResult | undefined {
    for (const handles of this.#handles.values()) {
      const found = handles.get(handle)?.[0];
      if (found) return found;
    }
    return undefined;
  }

  /** Whether a consumer named this handle before the result came; true once. */
  takeEarly(server: string, handle: string): string | undefined {
    const consumer = this.early.get(server)?.get(handle);
    if (consumer !== undefined) this.early.get(server)!.delete(handle);
    return consumer;
  }

  /** Step C: the results that a consumer's signal means. Sources that it names win over pairs. */
  matches(
    { server, tool, callId }: { server: string; tool: string; callId: string },
    signals: Signals,
    matching: Matching,
    warn: Warn,
  ): TrackedResult[] {
    if (signals.consumes) {
      return [...new Set(signals.consumes)].flatMap((handle) => this.#named(server, handle, callId, warn));
    }
    const match = this.#paired(server, toolName(tool), matching);
    return match ? [match] : [];
  }

  #named(server: string, handle: string, consumer: string, warn: Warn): TrackedResult[] {
    const known = this.withHandle(server, handle);
    if (known.length > 0) return known.filter(({ phase }) => phase === 'pending');
    // A server speaks only for its own results.
    if (this.byHandle(handle)) {
      warn('foreign_handle', `it names ${handle} as its source, which is another server's; ignored`);
      return [];
    }
    const early = inner(this.early, server);
    if (early.size < EARLY_HANDLES) early.set(handle, consumer);
    return [];
  }

  /**
   * A result without the mark (a short page) stands in the queue too: the signal was meant for it, and collapsing the
   * next page instead would take away what nobody has read.
   */
  #paired(server: string, consumer: string, { order, unregistered }: Matching): TrackedResult | undefined {
    const consumers = this.pairs.get(server);
    const tools = consumers?.get(consumer);
    const anyConsumer = unregistered === 'any-consumer';
    if (!tools && !anyConsumer) return undefined;
    const registered = new Set([...(consumers?.values() ?? [])].flatMap((names) => [...names]));
    let found: TrackedResult | undefined;
    for (const result of this.results.values()) {
      if (result.server !== server) continue;
      const name = toolName(result.tool);
      const open = result.phase === 'pending' || (result.phase === 'plain' && !result.spent);
      const meant = tools?.has(name) || (anyConsumer && result.phase === 'pending' && !registered.has(name));
      if (!open || !meant) continue;
      found = result;
      if (order === 'oldest') break;
    }
    return found;
  }
}
