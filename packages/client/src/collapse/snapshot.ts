import { Accounts, type Totals } from './accounts.ts';
import { Ledger, PHASES, type TrackedResult } from './ledger.ts';
import type { Policy } from './policy.ts';

/** What `snapshot()` answers: JSON, lists only, so that no key in it can be mistaken for a property. */
export interface Snapshot {
  version: 1;
  totals: Totals;
  pairs: { server: string; consumer: string; tools: string[] }[];
  results: TrackedResult[];
  /** Handles named before their results came. */
  early: { server: string; handle: string; consumer: string }[];
  originals?: { callId: string; result: unknown }[];
}

export function snapshotOf(
  ledger: Ledger,
  accounts: Accounts,
  originals: ReadonlyMap<string, unknown> | undefined,
): Snapshot {
  return {
    version: 1,
    totals: { ...accounts.totals },
    pairs: [...ledger.pairs].flatMap(([server, consumers]) =>
      [...consumers].map(([consumer, tools]) => ({ server, consumer, tools: [...tools] })),
    ),
    results: [...ledger.results.values()].map((result) => ({ ...result })),
    early: [...ledger.early].flatMap(([server, handles]) =>
      [...handles].map(([handle, consumer]) => ({ server, handle, consumer })),
    ),
    ...(originals && { originals: [...originals].map(([callId, result]) => ({ callId, result })) }),
  };
}

export interface Restored {
  ledger: Ledger;
  accounts: Accounts;
  originals: Map<string, unknown>;
}

const TOTALS = [
  'turn',
  'messages',
  'tokensNotSent',
  'rewriteTokens',
  'consumed',
  'consumedNextTurn',
] as const;
const TEXTS = ['callId', 'server', 'tool'] as const;
const NUMBERS = ['turn', 'tokens', 'callTokens'] as const;

/** Makes everything anew before anything is replaced: a bad snapshot leaves the collapser as it was. */
export function restored(snapshot: unknown, policy: Policy): Restored {
  const { version, totals, pairs, results, early, originals = [] } = (snapshot ?? {}) as Partial<Snapshot>;
  if (version !== 1) throw bad(`its version is ${JSON.stringify(version)}, not 1`);
  if (!totals || !TOTALS.every((name) => isCount(totals[name]))) throw bad('totals is incomplete');
  const ledger = new Ledger();
  for (const result of list('results', results)) ledger.add(checkedResult(result, ledger));
  for (const pair of list('pairs', pairs)) {
    if (![pair?.server, pair?.consumer].every(isText)) throw bad('a pair has no server or consumer');
    for (const tool of list('tools', pair.tools)) {
      if (!isText(tool)) throw bad('a pair has a tool that is not a name');
      ledger.register(pair.server, [{ tool, consumer: pair.consumer }], () => {});
    }
  }
  for (const item of list('early', early)) {
    if (![item?.server, item?.handle, item?.consumer].every(isText))
      throw bad('an early handle is incomplete');
    const handles = ledger.early.get(item.server) ?? new Map<string, string>();
    ledger.early.set(item.server, handles.set(item.handle, item.consumer));
  }
  const kept = list('originals', originals).map(({ callId, result }): [string, unknown] => [callId, result]);
  const own = Object.fromEntries(TOTALS.map((name) => [name, totals[name]])) as unknown as Totals;
  return { ledger, accounts: new Accounts(policy, own), originals: new Map(kept) };
}

function checkedResult(value: TrackedResult, { results }: Ledger): TrackedResult {
  const whole =
    TEXTS.every((name) => isText(value?.[name])) &&
    NUMBERS.every((name) => isCount(value[name])) &&
    typeof value.spent === 'boolean' &&
    PHASES.includes(value.phase);
  const collapsible = value?.phase === 'plain' || (isText(value?.text) && isCount(value.textTokens));
  if (!whole || !collapsible) throw bad('a result is incomplete');
  if (results.has(value.callId)) throw bad(`the result ${value.callId} is there twice`);
  return { ...value };
}

function list<Item>(name: string, value: readonly Item[] | undefined): readonly Item[] {
  if (!Array.isArray(value)) throw bad(`${name} is not a list`);
  return value as readonly Item[];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
const bad = (reason: string) => new TypeError(`Not a snapshot of a collapser: ${reason}`);
