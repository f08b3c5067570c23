import type { Branch } from '../branches.ts';
import { valueAt } from '../dialects/dialect.ts';
import { layOut, type Placed, weighLayout } from '../layout.ts';
import type { Decision, Effect } from '../types.ts';
import { type Candidate, figure, lineFor, type View } from './candidate.ts';

/** Branches that were folded. */
export function* folded(view: View): Generator<Candidate> {
  for (const branch of view.branches.all) {
    if (!branch.ended) continue;
    const text = (handle: string, gone: number) => foldedText(view, branch, handle, gone);
    yield* spanning(view, 'folded', [branch.begun, branch.ended], 'fold', text);
  }
}

/** Folds that a rollback undid: what they left out comes back, where the rollback is new. */
export function* reopened(view: View): Generator<Candidate> {
  const { results, branches } = view;
  for (const { branch, ended, by } of branches.reopened) {
    if (by.message < view.sent) continue;
    const anchors = [branch.begun, ended, by].map((placed) => results.anchor(placed));
    const isFolded = view.layout.applied.some(
      ({ effect, anchors: [begun, end] }) =>
        effect.kind === 'fold' && begun!.call === anchors[0]!.call && end!.call === anchors[1]!.call,
    );
    if (!isFolded) continue;
    const decision: Decision = {
      handle: view.newHandle(),
      rule: 'folded',
      anchors,
      effect: { kind: 'reopen' },
      tokens: { before: 0, after: 0 },
    };
    yield { decision, place: branch.begun.message, tool: branch.begun.call.name, original: () => '' };
  }
}

/** What was done in branches that a rollback discarded. */
export function* discarded(view: View): Generator<Candidate> {
  for (const { at, discarded } of view.branches.rollbacks) {
    const first = discarded.reduce((one, other) => (other.begun.message < one.begun.message ? other : one));
    const ids = discarded.map(({ id }) => id).join(', ');
    const text = (handle: string, gone: number) =>
      `${at.part.text}\n${lineFor(view, 'discarded', `what was done in ${ids}, ${figure(gone)} messages`, handle)}`;
    yield* spanning(view, 'discarded', [first.begun, at], 'discard', text);
  }
}

function foldedText(view: View, { id, description, summary }: Branch, handle: string, gone: number): string {
  const line = lineFor(view, 'folded', `${figure(gone)} messages`, handle);
  return `Branch ${id}${description === '' ? '' : ` "${description}"`} was folded. Summary: ${summary}\n${line}`;
}

function* spanning(
  view: View,
  rule: 'folded' | 'discarded',
  [from, until]: [Placed, Placed],
  kind: 'fold' | 'discard',
  write: (handle: string, gone: number) => string,
): Generator<Candidate> {
  const { reading, results, layout } = view;
  if (layout.dropped.has(from.message) || layout.dropped.has(until.message)) return;
  const handle = view.newHandle();
  const anchors = [from, until].map((placed) => results.anchor(placed));
  const decide = (effect: Effect, tokens: Decision['tokens']): Decision => ({
    handle,
    rule,
    anchors,
    effect,
    tokens,
  });
  // How much goes shows when it is tried.
  const trial = decide({ kind, text: '' }, { before: 0, after: 0 });
  const tried = layOut(reading, results, [...layout.applied, trial]);
  if (!tried.applied.includes(trial)) return;
  const gone = [...tried.dropped.keys()].filter((place) => !layout.dropped.has(place));
  const effect: Effect = { kind, text: write(handle, gone.length) };
  const decision = decide(effect, { before: 0, after: 0 });
  const [before, bare, after] = [layout, tried, layOut(reading, results, [...layout.applied, decision])].map(
    (one) => sum(weighLayout(reading, one)),
  ) as [number, number, number];
  if (after >= before) return;
  decision.tokens = { before: before - bare, after: after - bare };
  const messages = reading.conversation.messages;
  yield {
    decision,
    place: kind === 'fold' ? from.message : Math.min(...gone),
    tool: from.call.name,
    original: () => JSON.stringify(gone.map((place) => valueAt(reading.body, messages[place]!.path))),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
