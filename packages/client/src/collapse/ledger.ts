import type { Pair, Signals } from './meta.ts';
import { consumerOf, toolName } from './names.ts';
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
  /** A plain result that takes no signal: it is not marked, or has taken one. */
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
      const { consumes } = signals;
      return [...new Set(consumes)].flatMap((handle) => this.#named(server, tool, handle, callId, warn));
    }
    const match = this.#paired(server, tool, matching, warn);
    return match ? [match] : [];
  }

  #named(server: string, tool: string, handle: string, consumer: string, warn: Warn): TrackedResult[] {
    const own = this.withHandle(server, handle);
    const offered = own.length > 0 ? own : this.#offered(server, tool, handle);
    if (offered.length > 0) {
      const kept = offered.filter(({ phase }) => phase === 'plain');
      if (kept.length > 0) warn('ignored_signal', `it used up ${handle}, which cannot be collapsed`);
      return offered.filter(({ phase }) => phase === 'pending');
    }
    // A server speaks only for its own results, unless the server that sent them says so.
    if (this.byHandle(handle)) {
      warn('foreign_handle', `it names ${handle} as its source, which is another server's; ignored`);
      return [];
    }
    const early = inner(this.early, server);
    if (early.size < EARLY_HANDLES) early.set(handle, consumer);
    else
      warn(
        'ignored_signal',
        `it used up ${handle}, which is unknown, and no more unknown handles can be kept`,
      );
    return [];
  }

  /** Results of other servers whose workflow offers them to this consumer. */
  #offered(server: string, tool: string, handle: string): TrackedResult[] {
    return [...this.#toolsFor(server, tool)].flatMap(([publisher, tools]) =>
      publisher === server
        ? []
        : this.withHandle(publisher, handle).filter((result) => tools.has(toolName(result.tool, publisher))),
    );
  }

  /**
   * By server, the tools whose results a consumer uses up. A workflow may name a tool of another server, in full, and then
   * offers its own server's results to it. A bare name is never another server's: any could have a tool of that name.
   */
  #toolsFor(server: string, tool: string): Map<string, ReadonlySet<string>> {
    const name = toolName(tool, server);
    const own = this.pairs.get(server)?.get(name);
    const found = new Map<string, ReadonlySet<string>>(own ? [[server, own]] : []);
    for (const [publisher, consumers] of this.pairs) {
      if (publisher === server) continue;
      const tools = consumers.get(consumerOf(server, name));
      if (tools) found.set(publisher, tools);
    }
    return found;
  }

  /** Only marked results stand in the queue: a short lookup of the same tool is nothing that a signal is meant for. */
  #paired(
    server: string,
    tool: string,
    { order, unregistered }: Matching,
    warn: Warn,
  ): TrackedResult | undefined {
    const offered = this.#toolsFor(server, tool);
    const anyConsumer = unregistered === 'any-consumer';
    if (offered.size === 0 && !anyConsumer) {
      warn('ignored_signal', `no workflow names ${tool} as a consumer, and it does not say what it used up`);
      return undefined;
    }
    const registered = new Set([...(this.pairs.get(server)?.values() ?? [])].flatMap((names) => [...names]));
    let found: TrackedResult | undefined;
    for (const result of this.results.values()) {
      const name = toolName(result.tool, result.server);
      const isOpen = result.phase === 'pending' || (result.phase === 'plain' && !result.spent);
      const isUnregistered = anyConsumer && result.server === server && !registered.has(name);
      const isMeant = offered.get(result.server)?.has(name) || (isUnregistered && result.phase === 'pending');
      if (!isOpen || !isMeant) continue;
      found = result;
      if (order === 'oldest') break;
    }
    if (!found) warn('ignored_signal', `${tool} has used up something, but nothing is pending for it`);
    else if (found.phase === 'plain')
      warn('ignored_signal', `${tool} used up a result that cannot be collapsed`);
    return found;
  }
}
