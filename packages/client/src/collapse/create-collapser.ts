import { anyFormat } from '../formats/any-format.ts';
import type { MessageFormat } from '../formats/format.ts';
import { Accounts } from './accounts.ts';
import type { CollapseEvent, Collapser, CollapserOptions, Observation, Outcome } from './collapser.ts';
import { contentTokens, isShorter, shownContent } from './content.ts';
import { Ledger, type TrackedResult } from './ledger.ts';
import { readSignals, type Signals } from './meta.ts';
import { toolName } from './names.ts';
import { eager } from './policy.ts';
import { createProjection } from './projection.ts';
import { restored, snapshotOf } from './snapshot.ts';
import { estimateTokens } from './tokens.ts';
import { consoleOnce, type Warn } from './warnings.ts';

const IGNORED: Outcome = { accepted: false, transient: false, consumed: [], collapsed: [] };
/** What a call costs in the prompt besides its result, where its arguments are not told. */
const CALL_TOKENS = 60;
/** Ids and framing around a call's arguments. */
const FRAME_TOKENS = 15;

export function createCollapser(options: CollapserOptions = {}): Collapser {
  const { policy = eager(), order = 'oldest', unregistered = 'handle' } = options;
  const { countTokens = estimateTokens, expandTool = 'context_expand', localHandles = false } = options;
  oneOf('order', order, ['oldest', 'newest']);
  oneOf('unregistered', unregistered, ['handle', 'any-consumer']);
  if (typeof policy?.decide !== 'function')
    throw new TypeError('policy must be eager(), batched() or cacheAware()');
  const onWarning = options.onWarning ?? consoleOnce();

  let ledger = new Ledger();
  let accounts = new Accounts(policy);
  let originals = new Map<string, unknown>();
  const projection = createProjection(countTokens);
  const listeners = new Set<(event: CollapseEvent) => void>(options.onCollapse ? [options.onCollapse] : []);

  const warnAbout =
    (about: { server?: string; callId?: string }): Warn =>
    (code, message) => {
      accounts.warned(code);
      quietly(() => onWarning({ code, message, ...about }));
    };
  const quietly = (listener: () => void) => {
    try {
      listener();
    } catch {
      accounts.warned('listener_failed');
    }
  };

  function observe(observation: Observation): Outcome {
    if (!isObservation(observation)) {
      warnAbout({})(
        'bad_observation',
        'an observation needs server, tool, callId (texts) and result (an object)',
      );
      return IGNORED;
    }
    const { server, callId } = observation;
    const warn = warnAbout({ server, callId });
    if (ledger.results.has(callId)) {
      warn('duplicate_result', 'a result was observed twice; the second time was ignored');
      return IGNORED;
    }
    try {
      return accept(observation, warn);
    } catch (error) {
      // Getters and proxies of a hostile result can throw anywhere.
      warn('bad_meta', `a result could not be read: ${String(error)}`);
      return IGNORED;
    }
  }

  function accept(observation: Observation, warn: Warn): Outcome {
    const { result: answer, callId, server } = observation;
    const failed = (answer as { isError?: unknown }).isError === true;
    const signals = readSignals(answer, server, warn);
    const result = tracked(observation, failed, signals, warn);
    // Everything that can throw has been read: from here on the observation counts as a whole.
    const consumed: TrackedResult[] = [];
    const consume = (target: TrackedResult, by: string) => {
      target.consumedBy = by;
      target.consumedTurn = accounts.turn;
      if (target.phase === 'plain') target.spent = true;
      else {
        target.phase = 'consumed';
        accounts.consumed(target);
        consumed.push(target);
      }
    };
    if (!failed) {
      ledger.register(server, signals.hints, warn);
      if (signals.consumed) {
        const targets = ledger.matches(observation, signals, { order, unregistered }, warn);
        for (const target of targets) consume(target, callId);
        if (targets.length > 0) result.consumes = targets.map((target) => target.callId);
      }
    } else if (signals.consumed) warn('ignored_signal', 'it failed, so nothing was used up');
    ledger.add(result);
    accounts.observed();
    if (result.phase === 'pending') {
      originals.set(callId, answer);
      const early = result.handle === undefined ? undefined : ledger.takeEarly(server, result.handle);
      if (early !== undefined) consume(result, early);
    }
    const collapsed = settle(warn);
    return {
      accepted: true,
      transient: signals.transient && !failed,
      consumed: consumed.map((target) => target.callId),
      collapsed,
    };
  }

  function tracked(observation: Observation, failed: boolean, signals: Signals, warn: Warn): TrackedResult {
    const { server, tool, callId, input } = observation;
    const shown = shownContent(observation.result as object);
    const result: TrackedResult = {
      callId,
      server,
      tool,
      phase: 'plain',
      // What is not marked, or failed, is nothing that a signal could be about.
      spent: failed || !signals.transient,
      turn: accounts.turn,
      tokens: contentTokens(shown, countTokens),
      callTokens:
        input === undefined
          ? CALL_TOKENS
          : FRAME_TOKENS + contentTokens({ content: input, isData: true }, countTokens),
    };
    if (failed || signals.summary === undefined) return result;
    const handle = signals.handle ?? (localHandles ? unusedHandle() : undefined);
    const text =
      expandTool && handle ? `${signals.summary}\n[collapsed: ${expandTool} ${handle}]` : signals.summary;
    const textTokens = countTokens(text);
    if (handle !== undefined) result.handle = handle;
    if (isShorter(text, textTokens, shown, countTokens)) {
      Object.assign(result, { phase: 'pending', summary: signals.summary, text, textTokens });
    } else warn('bad_summary', 'a summary is not shorter than its result, which will not collapse');
    return result;
  }

  function unusedHandle(): string {
    let number = originals.size + 1;
    while (ledger.byHandle(`local_${number}`)) number++;
    return `local_${number}`;
  }

  /** Lets the policy decide, and collapses what it says. */
  function settle(warn: Warn): readonly string[] {
    const view = accounts.view(ledger.results);
    if (view.waiting.length === 0) return [];
    try {
      return collapse(policy.decide(view));
    } catch (error) {
      warn('policy_failed', `the policy failed, nothing was collapsed: ${String(error)}`);
      return [];
    }
  }

  function collapse(callIds: readonly string[]): readonly string[] {
    const results = callIds.flatMap((callId) => {
      const result = ledger.results.get(callId);
      return result?.phase === 'consumed' ? [result] : [];
    });
    if (results.length === 0) return [];
    const rewriteTokens = accounts.collapsing(ledger.results, results);
    for (const result of results) result.phase = 'collapsed';
    const details = results.map(({ callId, server, tool, handle, tokens, textTokens = 0, text = '' }) => {
      return { callId, server, tool, ...(handle !== undefined && { handle }), tokens, textTokens, text };
    });
    const tokensSaved = details.reduce((sum, { tokens, textTokens }) => sum + tokens - textTokens, 0);
    const event = { policy: policy.name, results: details, tokensSaved, rewriteTokens };
    for (const listener of listeners) quietly(() => listener(event));
    return details.map(({ callId }) => callId);
  }

  const copyOf = (callId: string | undefined) => {
    const kept = callId === undefined ? undefined : originals.get(callId);
    return kept === undefined ? undefined : structuredClone(kept);
  };

  return {
    observe,
    project<Message>(
      messages: readonly Message[],
      format = anyFormat as MessageFormat<unknown> as MessageFormat<Message>,
    ) {
      if (!Array.isArray(messages)) {
        warnAbout({})('unknown_message', 'messages are not an array; they are sent unchanged');
        return messages as never;
      }
      accounts.projected(messages.length, ledger.results);
      return projection(messages, format, ledger.results, warnAbout({}));
    },
    original: copyOf,
    expand: (handle) => copyOf(ledger.byHandle(handle)?.callId),
    state: () => ({
      results: [...ledger.results.values()].map((result) => ({ ...result })),
      pairs: [...ledger.pairs].flatMap(([server, consumers]) =>
        [...consumers].map(([consumer, tools]) => ({ server, consumer, tools: [...tools] })),
      ),
    }),
    stats: () => accounts.stats(ledger.results),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    warn: (code, message) => warnAbout({})(code, message),
    has: (callId) => ledger.results.has(callId),
    isFresh(callId) {
      const result = ledger.results.get(callId);
      if (result?.phase !== 'pending' || result.turn < accounts.turn - 1) return false;
      const name = toolName(result.tool, result.server);
      return [...(ledger.pairs.get(result.server)?.values() ?? [])].some((tools) => tools.has(name));
    },
    flush: () => collapse([...ledger.results.values()].map(({ callId }) => callId)),
    forget(callId) {
      originals.delete(callId);
      return ledger.remove(callId) !== undefined;
    },
    snapshot: ({ originals: wanted = false } = {}) =>
      snapshotOf(ledger, accounts, wanted ? originals : undefined),
    restore(snapshot) {
      ({ ledger, accounts, originals } = restored(snapshot, policy));
    },
  };
}

function isObservation(value: unknown): value is Observation {
  const { server, tool, callId, result } = (value ?? {}) as Partial<Observation>;
  const named = [server, tool, callId].every((name) => typeof name === 'string' && name !== '');
  return named && typeof result === 'object' && result !== null;
}

function oneOf(name: string, value: unknown, valid: readonly string[]): void {
  if (valid.includes(value as string)) return;
  throw new TypeError(`${name} must be one of ${valid.join(', ')}; it is ${String(value)}`);
}
