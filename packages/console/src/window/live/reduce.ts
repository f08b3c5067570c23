import type { JournalEntry, WindowDecisionView, WindowTurnView, WindowView } from '@infold/protocol';
import type {
  WindowAnswered,
  WindowAsked,
  WindowCollapsed,
  WindowEvents,
  WindowOpened,
} from '@infold/protocol/events';

/** What an entry of the journal changes of what the server told before: the same as if the server were asked again. */

type Told = { [Type in keyof WindowEvents]: { type: Type; data: WindowEvents[Type] } }[keyof WindowEvents];

/** Entries of the window's streams are about one conversation each. */
export function isOfWindow(entry: JournalEntry): boolean {
  return entry.kind === 'window';
}

const eventsOf = (entry: JournalEntry): Told[] => entry.events as Told[];

export function conversationOf(entry: JournalEntry): string | undefined {
  return (entry.events[0]?.data as { conversation?: string } | undefined)?.conversation;
}

/** The one that was used last first, as the server lists them. */
export function applyToWindows(views: readonly WindowView[], entry: JournalEntry): WindowView[] {
  const id = conversationOf(entry);
  const known = views.find((view) => view.id === id);
  const changed = applyToWindow(known, entry);
  if (!changed || changed === known) return views as WindowView[];
  if (changed.seq === known?.seq) return views.map((view) => (view === known ? changed : view));
  return [changed, ...views.filter((view) => view !== known)].sort((one, other) => other.seq - one.seq);
}

/** Undefined where the conversation is not known, and does not begin with this entry. */
export function applyToWindow(view: WindowView | undefined, entry: JournalEntry): WindowView | undefined {
  let changed = view;
  // What the server told may hold it already.
  const isNew = view === undefined || entry.seq > view.seq;
  for (const event of eventsOf(entry)) {
    if (event.type === 'window.opened') changed ??= opened(event.data, entry);
    else if (!changed) continue;
    else if (event.type === 'window.switched') changed = switched(changed, event.data.enabled);
    else if (!isNew) continue;
    else if (event.type === 'window.asked') changed = asked(changed, event.data);
    else if (event.type === 'window.answered') changed = answered(changed, event.data);
  }
  // Whoever turns one off or on does not use it.
  if (!changed || !isNew || eventsOf(entry).every(({ type }) => type === 'window.switched')) return changed;
  return { ...changed, seq: entry.seq, last_at: entry.at };
}

function opened(data: WindowOpened, { at, seq }: JournalEntry): WindowView {
  const { conversation, principal, host, host_session, upstream, dialect, forked_from } = data;
  return {
    ...{ id: conversation, principal, host, host_session, upstream, dialect, forked_from, seq },
    ...{ model: null, enabled: true, opened_at: at, last_at: at },
    totals: {
      requests: 0,
      tokens: { asked: 0, sent: 0 },
      usage: { ...NO_USAGE, requests: 0, prompt: 0 },
      money: null,
      estimated: ['tokens.asked', 'tokens.sent'],
    },
  };
}

const NO_USAGE = { input: 0, cache_read: 0, cache_write: 0, cache_write_long: 0, output: 0 };

function switched(view: WindowView, enabled: boolean): WindowView {
  return view.enabled === enabled ? view : { ...view, enabled };
}

function asked(view: WindowView, { tokens, model }: WindowAsked): WindowView {
  const { totals } = view;
  return {
    ...view,
    model: model ?? view.model,
    totals: {
      ...totals,
      requests: totals.requests + 1,
      tokens: { asked: totals.tokens.asked + tokens.asked, sent: totals.tokens.sent + tokens.sent },
    },
  };
}

function answered(view: WindowView, { usage, money }: WindowAnswered): WindowView {
  const { totals } = view;
  return {
    ...view,
    totals: {
      ...totals,
      usage: usage === null ? totals.usage : withUsage(totals.usage, usage),
      ...(money && withMoney(totals, money)),
    },
  };
}

function withUsage(
  sums: WindowView['totals']['usage'],
  usage: NonNullable<WindowAnswered['usage']>,
): WindowView['totals']['usage'] {
  return {
    input: sums.input + usage.input,
    cache_read: sums.cache_read + usage.cache_read,
    cache_write: sums.cache_write + usage.cache_write,
    cache_write_long: sums.cache_write_long + usage.cache_write_long,
    output: sums.output + usage.output,
    requests: sums.requests + 1,
    prompt: sums.prompt + promptOf(usage),
  };
}

function withMoney(
  { money, estimated }: WindowView['totals'],
  { actual, untouched }: NonNullable<WindowAnswered['money']>,
): Pick<WindowView['totals'], 'money' | 'estimated'> {
  const before = money ?? { requests: 0, actual: 0, untouched: 0 };
  const sums = { actual: before.actual + actual, untouched: before.untouched + untouched };
  return {
    money: { requests: before.requests + 1, ...sums, saved: sums.untouched - sums.actual },
    estimated: money ? estimated : [...estimated, 'money.untouched', 'money.saved'],
  };
}

/** Tokens of a prompt as the provider counted them, cached or not. */
export function promptOf(usage: { input: number; cache_read: number; cache_write: number }): number {
  return usage.input + usage.cache_read + usage.cache_write;
}

/** The turns of one conversation, in order. */
export function applyToTurns(
  turns: readonly WindowTurnView[],
  conversation: string,
  entry: JournalEntry,
): WindowTurnView[] {
  let changed = turns as WindowTurnView[];
  for (const event of eventsOf(entry)) {
    if (event.data.conversation !== conversation) continue;
    if (event.type === 'window.asked') changed = withTurn(changed, event.data, entry.at);
    if (event.type === 'window.answered') changed = withAnswer(changed, event.data, entry.at);
  }
  return changed;
}

/** From its end: that is where what happens now belongs. */
function placeOf(turns: readonly WindowTurnView[], turn: number): number {
  return turns.findLastIndex((one) => one.turn === turn);
}

function withTurn(turns: WindowTurnView[], data: WindowAsked, at: string): WindowTurnView[] {
  const { turn, parent, model, messages, held, gone, tokens, is_cold, passed } = data;
  if (placeOf(turns, turn) >= 0) return turns;
  const view: WindowTurnView = {
    ...{ turn, at, parent, model, messages, held, gone, tokens, is_cold, passed, answer: null },
    estimated: ['held', 'gone', 'tokens', 'is_cold'],
  };
  const before = turns.findLastIndex((one) => one.turn < turn) + 1;
  return [...turns.slice(0, before), view, ...turns.slice(before)];
}

function withAnswer(turns: WindowTurnView[], data: WindowAnswered, at: string): WindowTurnView[] {
  const { turn, status, usage, milliseconds, money } = data;
  const place = placeOf(turns, turn);
  const known = turns[place];
  if (!known || known.answer) return turns;
  const answer = { at, status, usage, milliseconds, money };
  const estimated = money ? [...known.estimated, 'answer.money.untouched'] : known.estimated;
  return turns.with(place, { ...known, answer, estimated });
}

/** What left one conversation, or one that it goes on from, in the order in which that was decided. */
export function applyToDecisions(
  decisions: readonly WindowDecisionView[],
  line: ReadonlySet<string>,
  entry: JournalEntry,
): WindowDecisionView[] {
  const decided = eventsOf(entry).flatMap((event) =>
    event.type === 'window.collapsed' && line.has(event.data.conversation)
      ? [decisionView(event.data, entry.at)]
      : [],
  );
  // One whose anchors are forgotten applies to nothing.
  const added = decided.filter((one) => one && !decisions.some((other) => isSame(one, other)));
  return added.length === 0
    ? (decisions as WindowDecisionView[])
    : [...decisions, ...(added as WindowDecisionView[])];
}

function isSame(one: WindowDecisionView, other: WindowDecisionView): boolean {
  return one.handle === other.handle && one.conversation === other.conversation && one.turn === other.turn;
}

function decisionView(data: WindowCollapsed, at: string): WindowDecisionView | undefined {
  const { handle, conversation, turn, rule, tool, tokens, effect, anchors } = data;
  if (anchors.length === 0) return undefined;
  const text = 'text' in effect ? effect.text : null;
  // Originals are kept before a request is sent without them.
  return { ...{ handle, conversation, at, turn, rule, tool, tokens, text }, is_held: text !== null };
}

/** A conversation and those that it goes on from, as far as they are known. */
export function lineOf(id: string, views: readonly WindowView[]): Set<string> {
  const line = new Set<string>();
  for (let next: string | null | undefined = id; next && !line.has(next); ) {
    line.add(next);
    next = views.find((view) => view.id === next)?.forked_from;
  }
  return line;
}
