import type { CachePrices } from '../collapse/policy.ts';
import { findBranches } from './branches.ts';
import { type CacheState, type Cost, costOf } from './economy.ts';
import { editJson } from './json.ts';
import { editsOf, type Layout, layOut, Results, weighLayout, weighResult } from './layout.ts';
import type { Parent } from './parents.ts';
import type { Digest, Reading } from './read.ts';
import { repeated, shortened, shownAgain } from './rules/at-birth.ts';
import { type Candidate, usesOf, type View } from './rules/candidate.ts';
import { type Consumed, consumed } from './rules/consumed.ts';
import { discarded, folded, reopened } from './rules/folded.ts';
import { aged, resolved, superseded } from './rules/outdated.ts';
import type { Decision, Rule } from './types.ts';

/** One that was taken, with the time of the request that it was taken for. */
export type KnownDecision = Decision & { at: number };

/** What is known of a conversation when its next request comes. */
export interface WindowState {
  /** In the order in which they were taken. */
  decisions: readonly KnownDecision[];
  /** What this one goes on from, one for each prompt that was asked with: the longest first. */
  parents: readonly Parent[];
  /** What was saved so far by estimate, in input tokens. */
  balance: number;
  /** Requests so far. */
  turns: number;
  /** The provider's tokens for one of ours, by its last answer. */
  scale?: number;
  /** Results that their server says were used. */
  consumed?: readonly Consumed[];
}

export interface WindowSettings {
  /** Rules that are off. */
  off?: ReadonlySet<Rule>;
  prices: CachePrices;
  /** After so many milliseconds without a request the provider's cache surely holds nothing. */
  lifetime: number;
  /** Tokens that the model takes; unknown where nothing is said. */
  contextWindow?: number;
  digest: Digest;
  newHandle: () => string;
}

export interface Taken {
  decision: Decision;
  tool: string;
  original: string;
}

/** What is sent for a request, and why. */
export interface Plan {
  /** Undefined where the request goes as it came. */
  text: string | undefined;
  taken: readonly Taken[];
  held: {
    system: number;
    tools: number;
    text: number;
    results: { tool: string; count: number; tokens: number }[];
  };
  gone: { rule: Rule; count: number; tokens: number }[];
  /** Calls whose results are new to the model, with what they and their results weigh as they are sent. */
  calls: NewCall[];
  tokens: { asked: number; sent: number };
  cost: { asked: number; sent: number };
  isCold: boolean;
}

export interface NewCall {
  id: string;
  tool: string;
  input: number;
  output: number;
}

const NOTHING: Layout = { texts: new Map(), dropped: new Map(), moved: new Map(), applied: [] };
/** Rules that leave out what only the archive still has. */
const LOSSY: readonly Rule[] = ['shortened', 'resolved', 'aged'];
/** Of the time after which a provider surely holds nothing, the part for which it surely does. */
export const SURELY_HELD = 0.8;
/** From this share of the model's window on a host may compact at any moment. */
const PRESSING = 0.75;
/** … and from this one on the provider refuses the next request. */
const FULL = 0.95;
/** Room is made down to this share. */
const ROOMY = 0.55;

export function planWindow(reading: Reading, state: WindowState, settings: WindowSettings): Plan {
  const { messages, canExpand } = reading.conversation;
  const results = new Results(reading, settings.digest);
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const before = layOut(reading, results, state.decisions);
  const { sent, own, others } = cachesOf(reading, state, settings, { before, results, newest });
  const { prices, isCold } = own;

  const view: View = {
    reading,
    results,
    branches: findBranches(results),
    layout: before,
    sent,
    newest,
    newHandle: settings.newHandle,
    useOf: usesOf(),
  };
  // The same request again gets the same bytes again, whatever could be decided by now.
  const isRepeat = state.parents.some((parent) => parent.isSamePrompt && parent.messages === messages.length);
  const isOn = ({ decision: { rule } }: Candidate) =>
    !isRepeat && !settings.off?.has(rule) && (canExpand || !LOSSY.includes(rule));
  const asked = costOf(reading, NOTHING, NOTHING, own);
  const {
    free,
    late,
    forRoom,
    reopened: back,
  } = candidatesIn(view, state, isOn, isCold && others.length === 0);
  const lay = (candidates: readonly Candidate[]) =>
    layOut(reading, results, [...state.decisions, ...candidates.map(({ decision }) => decision)]);
  const cost = (layout: Layout) => costOf(reading, layout, before, own);
  // What it would save another model is not counted.
  const unchanged = others.map((other) => costOf(reading, before, before, other).cost);
  const inAll = (layout: Layout): Cost => {
    const one = cost(layout);
    const lost = others.map((other, place) =>
      Math.max(0, costOf(reading, layout, before, other).cost - unchanged[place]!),
    );
    return { ...one, cost: lost.reduce((sum, loss) => sum + loss, one.cost) };
  };

  const share = (tokens: number) =>
    (tokens * (state.scale ?? 1)) / (settings.contextWindow ?? Number.POSITIVE_INFINITY);
  const withFree = lay(free);
  const plain = inAll(withFree);
  const covered = state.balance + asked.cost - cost(withFree).cost;
  const filled = share(plain.tokens);
  const question: Question = {
    ...{ plain, covered, prices, turns: state.turns, late },
    isPressing: filled > PRESSING,
    isFull: filled > FULL,
    cost: (more) => inAll(lay([...free, ...more])),
  };
  let chosen = [...free, ...thatPay(question)];
  for (const candidate of filled > PRESSING ? forRoom() : []) {
    const more = [...chosen, candidate];
    const spent = inAll(lay(more));
    if (share(inAll(lay(chosen)).tokens) < ROOMY || (filled <= FULL && spent.cost - plain.cost > covered))
      break;
    chosen = more;
  }
  for (const { whole, pointer } of shownAgain({ ...view, layout: lay(chosen) })) {
    if (!isOn(whole)) continue;
    const isPaid = inAll(lay([...chosen, whole])).cost - plain.cost <= SPENDABLE * covered;
    chosen = [...chosen, isPaid || !canExpand ? whole : pointer];
  }
  // What comes back is worth something to the model alone: it must be paid for.
  for (const candidate of back) {
    const [now, then] = [inAll(lay(chosen)), inAll(lay([...chosen, candidate]))];
    const price = then.cost - now.cost + prices.read * (then.tokens - now.tokens) * turnsToCome(state.turns);
    if (price <= SPENDABLE * covered) chosen = [...chosen, candidate];
  }
  const plan = written(reading, results, state.decisions, chosen, cost, asked, isCold);
  return {
    ...plan,
    calls: isRepeat ? [] : callsSince(sent, results, plan.text === undefined ? NOTHING : lay(chosen)),
  };
}

function callsSince(sent: number, results: Results, layout: Layout): NewCall[] {
  return [...results.byCall.values()]
    .filter(({ message }) => message >= sent && !layout.dropped.has(message))
    .map(({ part, call }) => ({
      id: part.id,
      tool: call.name,
      input: call.tokens,
      output: weighResult(part, layout),
    }));
}

/** What providers hold of a request: of its own prompt, and of others that it was asked with. */
function cachesOf(
  { conversation: { messages, cache, dialect } }: Reading,
  { parents, decisions }: WindowState,
  settings: WindowSettings,
  { before, results, newest }: { before: Layout; results: Results; newest: number },
): { sent: number; own: CacheState; others: CacheState[] } {
  const sent = Math.min(parents[0]?.messages ?? newest, messages.length);
  // Who marks nothing gets no cache from a provider that wants marks.
  const prices = dialect === 'anthropic' && !cache ? { read: 1, write: 1 } : settings.prices;
  const times = new Map<Decision, number>(decisions.map((decision) => [decision, decision.at]));
  const changes = before.applied.map((decision) => ({
    at: times.get(decision) ?? 0,
    place: placeOf(decision, results),
  }));
  // Of a conversation that nothing is known about, the provider may hold what it was asked without us.
  const isUnknown = parents.length === 0 && newest > 0;
  const cacheOf = (parent: Parent | undefined): CacheState => ({
    prices,
    isCold: !parent && !isUnknown,
    sent: Math.min(parent?.messages ?? sent, messages.length),
    ends: (parent?.ends ?? [])
      .filter(({ age }) => age <= SURELY_HELD * settings.lifetime)
      // What was decided since has made other bytes of what it held.
      .filter(({ messages: count, at }) => !changes.some((change) => change.at > at && change.place < count))
      .map(({ messages: count }) => count),
  });
  const live = parents.filter(({ age }) => age <= settings.lifetime);
  const own = live.find(({ isSamePrompt }) => isSamePrompt);
  // Another model's cache is lost by a rewriting too, and may be asked for again.
  return { sent, own: cacheOf(own), others: live.filter((parent) => parent !== own).map(cacheOf) };
}

/** The first message that a decision changes. */
function placeOf({ anchors, effect }: Decision, results: Results): number {
  const { step, message } = results.find(anchors[0]!)!;
  return effect.kind === 'discard' ? step.first : message;
}

/** What costs nothing now, what costs the cache something, what only makes room, and what comes back. */
function candidatesIn(
  view: View,
  state: WindowState,
  isOn: (candidate: Candidate) => boolean,
  isCold: boolean,
): Record<'free' | 'late' | 'reopened', Candidate[]> & { forRoom: () => Candidate[] } {
  const spans = [...folded(view), ...discarded(view)].filter(isOn);
  const gone = layOut(view.reading, view.results, [
    ...view.layout.applied,
    ...spans.map(({ decision }) => decision),
  ]);
  const about = new Set<string>();
  const isNew = ({ decision, place }: Candidate) => {
    const call = decision.anchors[0]!.call;
    if (about.has(call) || gone.dropped.has(place)) return false;
    about.add(call);
    return true;
  };
  const later = [...consumed(view, state.consumed), ...superseded(view), ...resolved(view)];
  const births = [...repeated(view), ...shortened(view)];
  const single = [...later, ...births].filter(isOn).filter(isNew);
  const isFree = ({ place }: Candidate) => isCold || place >= view.sent;
  const all = [...spans, ...single];
  return {
    free: all.filter(isFree),
    late: all.filter((candidate) => !isFree(candidate)),
    forRoom: () => [...aged(view)].filter(isOn).filter(isNew),
    reopened: [...reopened(view)].filter(isOn),
  };
}

/** Estimates are off by different amounts for different things: what is written again may be so much more than it seems. */
const DOUBT = 0.15;
/** … the whole may be so much less, … */
const UNSURE = 0.06;
/** … and in short conversations all that says little: a gain has to have so many tokens besides. */
const LEAST = 150;
/** Of what was saved so far, so much may be spent on a forecast. */
const SPENDABLE = 0.8;
const MOST_CUTS = 16;

/** A conversation of which nothing else is known lasts for as long again as it has. */
const turnsToCome = (turns: number) => Math.min(Math.max(turns, 3), 60);

interface Question {
  late: readonly Candidate[];
  /** What is sent without any of them. */
  plain: Cost;
  /** What was saved so far. */
  covered: number;
  prices: CachePrices;
  turns: number;
  /** The host may compact soon; the provider will refuse. */
  isPressing: boolean;
  isFull: boolean;
  cost: (more: readonly Candidate[]) => Cost;
}

/**
 * Those from some place on: whatever changes first costs the cache from there, so all that stand behind it come along for
 * nothing. They are taken when the next request is cheaper with them, or when they are forecast to pay and what was saved
 * before covers what they cost. Where the window is nearly full, no forecast is needed.
 */
function thatPay(question: Question): readonly Candidate[] {
  const { late, plain, covered, prices, turns, isPressing, isFull, cost } = question;
  const places = [...new Set(late.map(({ place }) => place))].sort((one, other) => other - one);
  const apart = Math.ceil(places.length / MOST_CUTS);
  const cuts = places.filter((_, rank) => rank % apart === 0 || rank === places.length - 1);
  const toCome = turnsToCome(turns);
  let best: readonly Candidate[] = [];
  let most = 0;
  for (const cut of cuts) {
    const some = late.filter(({ place }) => place >= cut);
    const { cost: own, tokens, written: rewritten } = cost(some);
    const more = Math.max(0, rewritten - plain.written);
    const doubt = DOUBT * (prices.write - prices.read) * more + UNSURE * plain.cost + LEAST;
    const now = plain.cost - own - doubt;
    const later = prices.read * (plain.tokens - tokens) * toCome;
    const isPaid = now >= 0 || (-now <= SPENDABLE * covered && later > -now);
    const isNeeded = isPressing && (isFull || -now <= covered);
    if (!isPaid && !isNeeded) continue;
    const worth = isNeeded ? plain.tokens - tokens : now + later;
    if (worth <= most) continue;
    best = some;
    most = worth;
  }
  return best;
}

function written(
  reading: Reading,
  results: Results,
  decisions: readonly Decision[],
  chosen: readonly Candidate[],
  cost: (layout: Layout) => Cost,
  asked: Cost,
  isCold: boolean,
): Omit<Plan, 'calls'> {
  const request = reading.digests.at(-1)!;
  const layout = layOut(reading, results, [...decisions, ...chosen.map(({ decision }) => decision)]);
  const { cost: own, tokens, mark } = cost(layout);
  const known = decisions.find(({ effect }) => effect.mark?.request === request)?.effect.mark?.message;
  const edits = editsOf(reading, results, layout, known ?? mark);
  const text = edits.length === 0 ? undefined : editJson(reading.text, edits);
  const isShorter = text !== undefined && text.length < reading.text.length;
  if (!isShorter && chosen.length > 0) {
    return written(reading, results, decisions, [], cost, asked, isCold);
  }
  const final = isShorter ? layout : NOTHING;
  const taken = chosen.map(({ decision, tool, original }) => ({ decision, tool, original: original() }));
  // Who asks the same again gets the same again, the mark too.
  if (taken[0] && mark !== undefined) {
    const { decision } = taken[0];
    taken[0] = {
      ...taken[0],
      decision: { ...decision, effect: { ...decision.effect, mark: { request, message: mark } } },
    };
  }
  return {
    text: isShorter ? text : undefined,
    taken,
    held: heldIn(reading, results, final),
    gone: goneBy(final),
    tokens: { asked: asked.tokens, sent: isShorter ? tokens : asked.tokens },
    cost: { asked: asked.cost, sent: isShorter ? own : asked.cost },
    isCold,
  };
}

function heldIn(reading: Reading, results: Results, layout: Layout): Plan['held'] {
  const { system, tools } = reading.conversation;
  const byTool = new Map<string, { tool: string; count: number; tokens: number }>();
  let all = 0;
  for (const { part, message, call } of results.byCall.values()) {
    if (layout.dropped.has(message)) continue;
    const tokens = weighResult(part, layout);
    const sum = byTool.get(call.name) ?? { tool: call.name, count: 0, tokens: 0 };
    byTool.set(call.name, { ...sum, count: sum.count + 1, tokens: sum.tokens + tokens });
    all += tokens;
  }
  const messages = weighLayout(reading, layout).reduce((sum, one) => sum + one, 0);
  return {
    system: system.tokens,
    tools: tools.tokens,
    text: messages - all,
    results: [...byTool.values()].sort((one, other) => other.tokens - one.tokens),
  };
}

function goneBy({ applied }: Layout): Plan['gone'] {
  const byRule = new Map<Rule, { rule: Rule; count: number; tokens: number }>();
  for (const { rule, tokens } of applied) {
    const sum = byRule.get(rule) ?? { rule, count: 0, tokens: 0 };
    byRule.set(rule, { rule, count: sum.count + 1, tokens: sum.tokens + tokens.before - tokens.after });
  }
  return [...byRule.values()];
}
