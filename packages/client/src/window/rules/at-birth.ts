import { isTool } from '../branches.ts';
import { isReadStub } from '../known-tools.ts';
import type { Placed } from '../layout.ts';
import { type Shortened, shorten } from '../shorteners/index.ts';
import { weighText } from '../weight.ts';
import {
  type Candidate,
  describeCall,
  figure,
  isWhole,
  lineFor,
  lineOf,
  type NamedCall,
  replacing,
  SMALLEST,
  type View,
} from './candidate.ts';

/** What Codex writes above the output of a command: how long it took, and its exit code. */
const ENVELOPE = /^(?:[A-Z][\w ]+: [^\n]*\n|Process exited with code \d+\n){1,5}Output:\n/;

/** A result that is new to the model and that an earlier one holds to the letter becomes a pointer to it. */
export function* repeated(view: View): Generator<Candidate> {
  // By length: few have the same, and only those are compared.
  const earlier = new Map<number, { placed: Placed; content: string }[]>();
  for (const placed of view.results.byCall.values()) {
    const { part, message } = placed;
    if (part.text.length < SMALLEST || !isWhole(view, placed)) continue;
    const envelope = ENVELOPE.exec(part.text)?.[0] ?? '';
    const content = part.text.slice(envelope.length);
    const alike = earlier.get(content.length) ?? [];
    const same = alike.find((one) => one.content === content)?.placed;
    if (same && message >= view.sent && part.isError === same.part.isError) {
      const what = `the same, to the letter, as the result of ${describeCall(same)} above`;
      const write = (handle: string) => `${envelope}${lineFor(view, 'repeated', what, handle)}`;
      const candidate = replacing(view, 'repeated', placed, write, same);
      if (candidate) yield candidate;
    } else if (!same) earlier.set(content.length, [...alike, { placed, content }]);
  }
}

/** A result that is new to the model, as a shortener for what it is leaves it. */
export function* shortened(view: View): Generator<Candidate> {
  for (const placed of view.results.byCall.values()) {
    const { part, message, call } = placed;
    if (message < view.sent || isAskedForWhole(call.name) || !isWhole(view, placed)) continue;
    const short = shorten(view.useOf(placed), call.name, part.text);
    if (!short) continue;
    const { canExpand } = view.reading.conversation;
    const write = (handle: string) => shortenedText(call, short, part.text.length, handle, canExpand);
    const candidate = replacing(view, 'shortened', placed, write);
    if (candidate) yield candidate;
  }
}

/** What is left of a result, and how to get all of it. */
export function shortenedText(
  call: NamedCall,
  { kind, text }: Shortened,
  length: number,
  handle: string,
  canExpand: boolean,
): string {
  const what = `${describeCall({ call })}, ${kind}, ${figure(text.length)} of ${figure(length)} characters`;
  return `${text}\n${lineOf('shortened', what, handle, canExpand)}`;
}

/** What our own server answers is as long as the model asked for, and leaves when it was used. */
export function isAskedForWhole(name: string): boolean {
  return /(^|_)infold_/.test(name) || OWN.some((tool) => isTool(name, tool));
}

const OWN = ['context_expand', 'search_records', 'find_records', 'scratch_read', 'recall_analysis_memories'];

/**
 * A host that knows that a file did not change says so instead of showing it again. Where what it showed has left with a fold,
 * the model would have nothing: the new result gets the old one's text, or says how to get it.
 */
export function* shownAgain(view: View): Generator<{ whole: Candidate; pointer: Candidate }> {
  const reads = new Map<string, Placed>();
  for (const placed of view.results.byCall.values()) {
    const use = view.useOf(placed);
    if (use?.kind !== 'read') continue;
    if (!isReadStub(placed.part.text)) {
      if (!placed.part.isError) reads.set(use.file, placed);
      continue;
    }
    const shown = reads.get(use.file);
    if (placed.message < view.sent || !shown || placed.part.isFixed || shown.part.isFixed) continue;
    if (!view.layout.dropped.has(shown.message) || view.layout.texts.has(placed.part.id)) continue;
    const handle = view.newHandle();
    const anchors = [placed, shown].map((one) => view.results.anchor(one));
    const [before, after] = [placed.part.tokens, shown.part.tokens];
    const common = { place: placed.message, tool: placed.call.name };
    const line = `${placed.part.text}\n${lineFor(view, 'folded', `${describeCall(shown)} left with its branch`, handle)}`;
    yield {
      whole: {
        ...common,
        decision: { handle, rule: 'folded', anchors, effect: { kind: 'show' }, tokens: { before, after } },
        original: () => '',
      },
      pointer: {
        ...common,
        decision: {
          ...{
            handle,
            rule: 'folded',
            anchors: anchors.slice(0, 1),
            effect: { kind: 'replace', text: line },
          },
          tokens: { before, after: before + weighText(line) },
        },
        original: () => shown.part.text,
      },
    };
  }
}
