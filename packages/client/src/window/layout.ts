import { valueAt } from './dialects/dialect.ts';
import type { JsonEdit } from './json.ts';
import { type Digest, FORMATS, type Reading } from './read.ts';
import type { Step } from './steps.ts';
import type { Anchor, Decision, Message, Part, ResultPart } from './types.ts';
import { weighText } from './weight.ts';

/** A result, and where it stands. */
export interface Placed {
  part: ResultPart;
  message: number;
  step: Step;
  /** The call that it answers. */
  call: Step['calls'][number];
}

/** The results of a request by the id of their call, and the digests of their texts, made when somebody asks. */
export class Results {
  readonly byCall = new Map<string, Placed>();
  readonly #digest: Digest;
  readonly #digests = new Map<string, string>();

  constructor({ steps }: Reading, digest: Digest) {
    this.#digest = digest;
    const twice = new Set<string>();
    for (const step of steps) {
      for (const { part, message } of step.results) {
        if (this.byCall.has(part.id)) twice.add(part.id);
        const call = step.calls.find(({ id }) => id === part.id)!;
        this.byCall.set(part.id, { part, message, step, call });
      }
    }
    // Which of them is meant could only be guessed.
    for (const id of twice) this.byCall.delete(id);
  }

  anchor({ part }: Placed): Anchor {
    return { call: part.id, digest: this.digestOf(part) };
  }

  digestOf({ id, text }: ResultPart): string {
    const known = this.#digests.get(id) ?? this.#digest(text);
    this.#digests.set(id, known);
    return known;
  }

  /** What an anchor means in this request, if it is there. */
  find({ call, digest }: Anchor): Placed | undefined {
    const found = this.byCall.get(call);
    return found && this.digestOf(found.part) === digest ? found : undefined;
  }
}

/** What becomes of a request when decisions apply to it. */
export interface Layout {
  /** What stands for results, by the id of their call. */
  texts: ReadonlyMap<string, { text: string; decision: Decision }>;
  /** Messages that go, each by the decision that it goes by. */
  dropped: ReadonlyMap<number, Decision>;
  /** What of messages that go stays, with the message that it moves to. */
  moved: ReadonlyMap<number, readonly Part[]>;
  /** Those that have an effect on this request. */
  applied: readonly Decision[];
}

export function layOut(reading: Reading, results: Results, decisions: readonly Decision[]): Layout {
  const { messages } = reading.conversation;
  const reopened = new Set(
    decisions
      .filter((one) => one.effect.kind === 'reopen' && isHere(one, results))
      .map(({ anchors }) => keyOf(anchors)),
  );
  let dropped: ReadonlyMap<number, Decision> = new Map();
  let moved: Layout['moved'] = new Map();
  const texts = new Map<string, { text: string; decision: Decision }>();
  const applied: Decision[] = [];
  for (const decision of decisions) {
    const { effect, anchors } = decision;
    if ((effect.kind !== 'fold' && effect.kind !== 'discard') || !isHere(decision, results)) continue;
    if (effect.kind === 'fold' && reopened.has(keyOf(anchors))) continue;
    const [from, until] = [results.find(anchors[0]!)!, results.find(anchors[1]!)!];
    const span = effect.kind === 'fold' ? foldSpan(from, until) : discardSpan(from, until);
    const stays = effect.kind === 'fold' ? from : until;
    if (!span || dropped.has(stays.message)) continue;
    const more = dropSpan(reading, span, decision, dropped);
    const words = more.size > dropped.size ? moveWords(reading.conversation, more, decision) : undefined;
    if (!words) continue;
    dropped = words.dropped;
    moved = words.moved;
    texts.set(stays.part.id, { text: effect.text, decision });
    applied.push(decision);
  }
  for (const decision of decisions) {
    const { effect, anchors } = decision;
    if ((effect.kind !== 'replace' && effect.kind !== 'show') || !isHere(decision, results)) continue;
    const [about, ...others] = anchors.map((anchor) => results.find(anchor)!);
    if (about!.part.isFixed || dropped.has(about!.message)) continue;
    // What it points to, or what took its place, has to be there; what is shown again has to have left.
    if (others.some(({ message }) => dropped.has(message) === (effect.kind === 'replace'))) continue;
    const before = texts.get(about!.part.id)?.decision.effect.kind;
    if (before === 'fold' || before === 'discard') continue;
    const text = effect.kind === 'show' ? others[0]!.part.text : effect.text;
    texts.set(about!.part.id, { text, decision });
    applied.push(decision);
  }
  for (const place of dropped.keys()) {
    for (const part of messages[place]!.parts) if (part.kind === 'result') texts.delete(part.id);
  }
  return { texts, dropped, moved, applied };
}

function isHere({ anchors }: Decision, results: Results): boolean {
  return anchors.every((anchor) => results.find(anchor) !== undefined);
}

/** A fold is undone by what names its branch and its return. */
function keyOf(anchors: readonly Anchor[]): string {
  return anchors
    .slice(0, 2)
    .map(({ call }) => call)
    .join('\n');
}

interface Span {
  first: number;
  end: number;
}

/** Behind the branch's result, up to and with the return's. Only where each was called alone. */
function foldSpan(branch: Placed, end: Placed): Span | undefined {
  if (branch.step.calls.length > 1 || end.step.calls.length > 1 || branch.part.isFixed) return undefined;
  return branch.step.end <= end.step.first ? { first: branch.step.end, end: end.step.end } : undefined;
}

/** From the call that began what was rolled back, up to the rollback's. */
function discardSpan(branch: Placed, rollback: Placed): Span | undefined {
  if (branch.step.calls.length > 1 || rollback.step.calls.length > 1 || rollback.part.isFixed)
    return undefined;
  return branch.step.end <= rollback.step.first
    ? { first: branch.step.first, end: rollback.step.first }
    : undefined;
}

/** With the steps of a span, but for what no decision may take away. */
function dropSpan(
  { conversation: { messages, dialect }, steps }: Reading,
  span: Span,
  decision: Decision,
  before: ReadonlyMap<number, Decision>,
): Map<number, Decision> {
  const byTurns = FORMATS[dialect].partsOf !== undefined;
  const dropped = new Map(before);
  for (const step of steps) {
    if (step.first < span.first || step.end > span.end) continue;
    if (step.results.some(({ part }) => part.bringsTools)) continue;
    // Where items stand for themselves, only those stay that bring tools.
    if (byTurns && messages.slice(step.first, step.end).some(isFixed)) continue;
    for (let place = step.first; place < step.end; place++) {
      const { role, parts } = messages[place]!;
      const isStep = role === 'assistant' || parts.some(({ kind }) => kind === 'result');
      if (!isStep || dropped.has(place) || (!byTurns && isNeeded(messages, place))) continue;
      dropped.set(place, decision);
    }
  }
  return dropped;
}

const isFixed = ({ parts }: Message) => parts.some((part) => part.kind === 'other' && part.isFixed);

/** Brings tools itself, or is the thinking that goes before what does. */
function isNeeded(messages: readonly Message[], place: number): boolean {
  for (let at = place; messages[at]?.parts.every(({ kind }) => kind === 'other'); at++) {
    if (isFixed(messages[at]!)) return true;
  }
  return false;
}

/**
 * Where people and models speak by turns, what was said beside results that go moves to the message before them that stays,
 * and so do words that would follow it without a turn of the model between. Undefined where that leaves no valid request.
 */
function moveWords(
  { messages, dialect }: Reading['conversation'],
  drops: ReadonlyMap<number, Decision>,
  decision: Decision,
): Pick<Layout, 'dropped' | 'moved'> | undefined {
  const dropped = new Map(drops);
  const moved = new Map<number, Part[]>();
  if (FORMATS[dialect].partsOf === undefined) return { dropped, moved };
  let last = -1;
  /** The last message of a person that can take more. */
  let target = -1;
  for (const [place, { role, parts }] of messages.entries()) {
    const isBeside = last === place - 1;
    const isGone = dropped.has(place);
    const words = role === 'user' ? parts.filter(({ kind }) => kind !== 'result') : [];
    const follows = !isGone && !isBeside && role === 'user' && messages[last]?.role === 'user';
    if (isGone || (follows && last === target && words.length === parts.length)) {
      if (words.length > 0 && target < 0) return undefined;
      if (words.length > 0) moved.set(target, [...(moved.get(target) ?? []), ...words]);
      if (!isGone) dropped.set(place, drops.get(place - 1) ?? decision);
      continue;
    }
    if (!isBeside && role === 'assistant' && messages[last]?.role === 'assistant') return undefined;
    if (role === 'user') target = typeof parts[0]?.path.at(-1) === 'number' ? place : -1;
    last = place;
  }
  return { dropped, moved };
}

/** The tokens of each message as it is sent. */
export function weighLayout({ conversation }: Reading, layout: Layout): number[] {
  return conversation.messages.map(({ parts }, place) => {
    if (layout.dropped.has(place)) return 0;
    const all = [...parts, ...(layout.moved.get(place) ?? [])];
    return all.reduce(
      (sum, part) => sum + (part.kind === 'result' ? weighResult(part, layout) : part.tokens),
      0,
    );
  });
}

export function weighResult(part: ResultPart, { texts }: Layout): number {
  const instead = texts.get(part.id);
  return instead ? weighText(instead.text) + 15 : part.tokens;
}

/** What has to change in the body for it. `marked` is the message that the provider's cache shall also hold up to. */
export function editsOf(reading: Reading, results: Results, layout: Layout, marked?: number): JsonEdit[] {
  const { conversation, body } = reading;
  const { texts, dropped, moved } = layout;
  const format = FORMATS[conversation.dialect];
  const edits: JsonEdit[] = [];
  for (const place of dropped.keys())
    edits.push({ path: conversation.messages[place]!.path, kind: 'remove' });
  for (const [id, { text }] of texts) edits.push(format.replace(body, results.byCall.get(id)!.part, text));
  const marks = conversation.cache ? marksFor(reading, layout, marked) : undefined;
  for (const [place, parts] of moved) {
    const path = format.partsOf!(conversation.messages[place]!);
    for (const part of parts) {
      const json = format.movedPart!(body, part);
      edits.push({
        path,
        kind: 'append',
        json: marks?.has(part) ? withMark(json, conversation.cache!.mark) : json,
      });
    }
  }
  for (const part of marks ?? []) {
    if ([...moved.values()].some((parts) => parts.includes(part))) continue;
    edits.push({ path: part.path, kind: 'add', key: MARK, json: conversation.cache!.mark });
  }
  return edits;
}

const MARK = 'cache_control';

/** The parts that get a mark for the provider's cache: where one would be lost, and where an old one is out of its sight. */
function marksFor(reading: Reading, { dropped, moved }: Layout, marked: number | undefined): Set<Part> {
  const { messages } = reading.conversation;
  const marks = new Set<Part>();
  const add = (part: Part | undefined) => {
    if (part && canCarry(reading, part)) marks.add(part);
  };
  const last = messages.length - 1;
  if (dropped.has(last) && messages[last]!.parts.some((part) => hasMark(reading, part))) {
    // The last that can carry one: a message that is one text cannot.
    for (let place = last; place >= 0 && marks.size === 0; place--) {
      if (!dropped.has(place)) add(moved.get(place)?.at(-1) ?? messages[place]!.parts.at(-1));
    }
  }
  if (marked !== undefined) add(messages[marked]!.parts.at(-1));
  return marks;
}

const blockOf = ({ body }: Reading, { path }: Part) =>
  valueAt(body, path) as { cache_control?: unknown; type?: string };
const hasMark = (reading: Reading, part: Part) => Boolean(blockOf(reading, part)?.[MARK]);

/** The API takes no mark on thinking and on empty text. */
export function canCarry(reading: Reading, part: Part): boolean {
  const block = blockOf(reading, part);
  if (typeof block !== 'object' || hasMark(reading, part) || part.kind === 'other') return false;
  return part.kind !== 'text' || part.text !== '';
}

function withMark(json: string, mark: string): string {
  return `${json.slice(0, -1)},"${MARK}":${mark}}`;
}
