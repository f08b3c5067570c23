import type { Branches } from '../branches.ts';
import { type ToolUse, toolUseOf } from '../known-tools.ts';
import type { Layout, Placed, Results } from '../layout.ts';
import type { Reading } from '../read.ts';
import type { Anchor, CallPart, Decision, Effect, Rule } from '../types.ts';
import { weighText } from '../weight.ts';

/** A result of fewer characters is not worth a line in its place. */
export const SMALLEST = 600;

/** A decision that could be taken. */
export interface Candidate {
  decision: Decision;
  /** The message from which on the request changes. */
  place: number;
  tool: string;
  /** What leaves, for the archive. */
  original: () => string;
}

/** What rules look at. */
export interface View {
  reading: Reading;
  results: Results;
  branches: Branches;
  /** As the decisions leave it that were taken before. */
  layout: Layout;
  /** Messages before this place were sent before; what stands behind it is new to the model. */
  sent: number;
  /** The place of the first message that the model has not answered yet. */
  newest: number;
  newHandle: () => string;
  /** What a call does, where it is a known tool of a host. */
  useOf: (placed: Placed) => ToolUse | undefined;
}

/** Several rules ask about the same calls. */
export function usesOf(): View['useOf'] {
  const uses = new Map<string, ToolUse | undefined>();
  return ({ call: { id, name, input } }) => {
    if (!uses.has(id)) uses.set(id, toolUseOf(name, input));
    return uses.get(id);
  };
}

/** A result that stands as it came. */
export function isWhole({ layout }: View, { part, message }: Placed): boolean {
  return !part.isFixed && !layout.dropped.has(message) && !layout.texts.has(part.id) && !isOurLine(part.text);
}

const OURS = /^\[infold \w+:/;
const isOurLine = (text: string) => OURS.test(text);

export function lineFor({ reading }: View, rule: Rule, what: string, handle: string): string {
  return lineOf(rule, what, handle, reading.conversation.canExpand);
}

/** A model that has no tool to get it back is not told of one. */
export function lineOf(rule: Rule, what: string, handle: string, canExpand: boolean): string {
  return `[infold ${rule}: ${what}; ${canExpand ? `context_expand {"handle":"${handle}"} shows it` : handle}]`;
}

/** A result becomes one line, or what is left of it. */
export function replacing(
  view: View,
  rule: Rule,
  placed: Placed,
  write: (handle: string) => string,
  ...others: Placed[]
): Candidate | undefined {
  const handle = view.newHandle();
  const text = write(handle);
  const { part, message, call } = placed;
  const [before, after] = [part.tokens, weighText(text) + 15];
  if (after >= before || text.length >= part.text.length) return undefined;
  const anchors: Anchor[] = [placed, ...others].map((one) => view.results.anchor(one));
  const effect: Effect = { kind: 'replace', text };
  return {
    decision: { handle, rule, anchors, effect, tokens: { before, after } },
    place: message,
    tool: call.name,
    original: () => part.text,
  };
}

const SHOWN = 80;
const NAMED = [
  'command',
  'cmd',
  'file_path',
  'absolute_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'model',
];

/** A call, as far as it takes to describe it. */
export type NamedCall = Pick<CallPart, 'name' | 'input'>;

/** `Bash npm test`, `Read src/a.ts`: enough for a model to know which call it was. */
export function describeCall({ call }: { call: NamedCall }): string {
  const name = call.name.replace(/^mcp__?[^_]+__?/, '');
  const input = (typeof call.input === 'object' && call.input !== null ? call.input : {}) as Record<
    string,
    unknown
  >;
  const key = NAMED.find((one) => input[one] !== undefined);
  const value = key === undefined ? undefined : input[key];
  const text = (Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : '').replaceAll(
    /\s+/g,
    ' ',
  );
  const shown = [...text];
  return `${name}${text === '' ? '' : ` ${shown.length > SHOWN ? `${shown.slice(0, SHOWN).join('')}…` : text}`}`;
}

export const figure = (count: number) => count.toLocaleString('en-US');
