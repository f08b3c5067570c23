import { billed, createProvider, PRICES, promptTokens } from '../cache-model.suite.ts';
import type { Rule } from '../types.ts';
import { MemoryDoor } from './door.suite.ts';
import type { Host } from './host.suite.ts';
import { play, type Sent } from './play.suite.ts';
import type { Script } from './script.suite.ts';

/** What one conversation costs as it came, and through the door. */
export interface CostReport {
  name: string;
  host: string;
  turns: number;
  /** Of the largest prompt, and of all of them, as they came. */
  largest: number;
  tokens: number;
  /** Billed, in input tokens. */
  untouched: number;
  billed: number;
  ratio: number;
  /** The largest ratio after any of the turns, and which turn that was. */
  worst: { ratio: number; turn: number };
  /** Tokens of what left, by rule, once for each decision. */
  gone: Partial<Record<Rule, number>>;
  turnsTaken: TurnReport[];
}

export interface TurnReport {
  turn: number;
  untouched: number;
  billed: number;
  prompt: { untouched: number; sent: number };
  cold: boolean;
  taken: { rule: Rule; tool: string; tokens: { before: number; after: number } }[];
  estimated: { asked: number; sent: number };
}

export interface CostOptions {
  /** Rules that are off. */
  off?: ReadonlySet<Rule>;
  /** Sees each request as it came and as it was sent. */
  onRequest?: (sent: Sent, text: string) => void;
}

export function costOfTrace(script: Script, host: Host, options: CostOptions = {}): CostReport {
  const { off, onRequest } = options;
  const prices = PRICES[host.dialect];
  const door = new MemoryDoor({ contextWindow: host.contextWindow, ...(off && { off }) });
  const [plain, doored] = [createProvider(host.dialect), createProvider(host.dialect)];
  const report: CostReport = {
    name: script.name,
    host: host.name,
    turns: 0,
    largest: 0,
    tokens: 0,
    untouched: 0,
    billed: 0,
    ratio: 1,
    worst: { ratio: 0, turn: 0 },
    gone: {},
    turnsTaken: [],
  };
  const requests = play(script, host);
  let next = requests.next();
  while (!next.done) {
    const sent = next.value;
    const plan = door.ask(sent);
    const text = plan.text ?? sent.text;
    onRequest?.(sent, text);
    const before = plain.ask(sent);
    const after = doored.ask(plan.text === undefined ? sent : { ...sent, body: JSON.parse(plan.text) });
    door.answered(promptTokens(after));
    const [cost, own] = [billed(before, prices), billed(after, prices)];
    report.turns++;
    report.tokens += promptTokens(before);
    report.largest = Math.max(report.largest, promptTokens(before));
    report.untouched += cost;
    report.billed += own;
    report.ratio = report.billed / report.untouched;
    if (report.ratio > report.worst.ratio) report.worst = { ratio: report.ratio, turn: report.turns };
    for (const { decision } of plan.taken)
      report.gone[decision.rule] =
        (report.gone[decision.rule] ?? 0) + decision.tokens.before - decision.tokens.after;
    report.turnsTaken.push({
      turn: report.turns,
      untouched: cost,
      billed: own,
      prompt: { untouched: promptTokens(before), sent: promptTokens(after) },
      cold: plan.isCold,
      taken: plan.taken.map(({ decision: { rule, tokens }, tool }) => ({ rule, tool, tokens })),
      estimated: plan.cost,
    });
    next = requests.next(promptTokens(before));
  }
  return report;
}

/** What is left of the last prompt, less what the first one held and what a search for tools brought. */
export function lastPromptShare({ turnsTaken }: CostReport, host: Host): { sent: number; untouched: number } {
  const base = turnsTaken[host.defersTools ? 1 : 0]!.prompt.untouched;
  const { untouched, sent } = turnsTaken.at(-1)!.prompt;
  return { sent: sent - base, untouched: untouched - base };
}

/** A host that goes by what it is told compacts at other times, if at all: then the two conversations are not the same. */
export function compactionsOf(script: Script, host: Host): { untouched: Compacted; door: Compacted } {
  return { untouched: compacted(script, host, false), door: compacted(script, host, true) };
}

export interface Compacted {
  compactions: number;
  billed: number;
}

function compacted(script: Script, host: Host, isDoored: boolean): Compacted {
  const prices = PRICES[host.dialect];
  const door = new MemoryDoor({ contextWindow: host.contextWindow });
  const provider = createProvider(host.dialect);
  const requests = play(script, host);
  const total = { compactions: 0, billed: 0 };
  let next = requests.next();
  while (!next.done) {
    const sent = next.value;
    const text = isDoored ? door.ask(sent).text : undefined;
    const usage = provider.ask(text === undefined ? sent : { ...sent, body: JSON.parse(text) });
    if (isDoored) door.answered(promptTokens(usage));
    total.billed += billed(usage, prices);
    if (sent.isCompaction) total.compactions++;
    next = requests.next(promptTokens(usage));
  }
  return total;
}
