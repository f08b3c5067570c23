import { openAround } from '../branches.ts';
import { hasFailed, isIncomplete, isReadStub, type ToolUse } from '../known-tools.ts';
import type { Placed } from '../layout.ts';
import { headOf, tailOf } from '../shorteners/text.ts';
import {
  type Candidate,
  describeCall,
  figure,
  isWhole,
  lineFor,
  replacing,
  SMALLEST,
  type View,
} from './candidate.ts';

type Read = Extract<ToolUse, { kind: 'read' }>;

/** A file read that a later read of at least the same range, or a write of the whole file, replaces. */
export function* superseded(view: View): Generator<Candidate> {
  const reads = new Map<string, { placed: Placed; use: Read }[]>();
  const pointedAt = pointers(view);
  for (const placed of view.results.byCall.values()) {
    const use = view.useOf(placed);
    if (use?.kind !== 'read' && use?.kind !== 'write') continue;
    if (placed.part.isError || placed.part.isFixed || isReadStub(placed.part.text)) continue;
    const before = reads.get(use.file) ?? [];
    if (before.length > 0 && isIncomplete(placed.part.text)) continue;
    // What the model has not seen yet replaces nothing.
    const isShown = placed.message < view.newest && (use.kind === 'write' || isWhole(view, placed));
    for (const { placed: old, use: read } of isShown ? before : []) {
      const covers = use.kind === 'write' || (use.from <= read.from && use.to >= read.to);
      if (!covers || !outlives(view, placed, old) || pointedAt.has(old.part.id)) continue;
      if (old.part.text.length < SMALLEST || !isWhole(view, old)) continue;
      const what = `${describeCall(old)}, ${use.kind === 'write' ? 'written anew' : 'read again'} below`;
      const candidate = replacing(
        view,
        'superseded',
        old,
        (handle) => lineFor(view, 'superseded', what, handle),
        placed,
      );
      if (candidate) yield candidate;
    }
    const left = isShown
      ? before.filter(({ use: read }) => use.kind === 'read' && !(use.from <= read.from && use.to >= read.to))
      : before;
    reads.set(use.file, use.kind === 'read' ? [...left, { placed, use }] : left);
  }
}

/** The output of a command that failed and that passed later, word for word the same. */
export function* resolved(view: View): Generator<Candidate> {
  const failures = new Map<string, Placed[]>();
  const pointedAt = pointers(view);
  for (const placed of view.results.byCall.values()) {
    const use = view.useOf(placed);
    if (use?.kind !== 'command' || placed.message >= view.newest) continue;
    const failed = hasFailed(placed.part.text, placed.part.isError, placed.call.name);
    if (failed === true) failures.set(use.command, [...(failures.get(use.command) ?? []), placed]);
    if (failed !== false) continue;
    for (const old of failures.get(use.command) ?? []) {
      if (old.part.text.length < SMALLEST || old.part.isFixed || view.layout.dropped.has(old.message))
        continue;
      if (pointedAt.has(old.part.id) || isOneLine(view, old) || !outlives(view, placed, old)) continue;
      const what = `${describeCall(old)} failed here and passed later`;
      const candidate = replacing(
        view,
        'resolved',
        old,
        (handle) => lineFor(view, 'resolved', what, handle),
        placed,
      );
      if (candidate) yield candidate;
    }
    failures.delete(use.command);
  }
}

const LARGE = 2000;
const ENDS = 400;

/** Large results, oldest first, when room is needed: their heads and tails stay. */
export function* aged(view: View): Generator<Candidate> {
  const pointedAt = pointers(view);
  const lastReads = new Map<string, string>();
  for (const placed of view.results.byCall.values()) {
    const { part } = placed;
    const use = view.useOf(placed);
    if (use?.kind === 'read' && !part.isError) lastReads.set(use.file, part.id);
  }
  const kept = new Set(lastReads.values());
  for (const placed of view.results.byCall.values()) {
    const { part } = placed;
    if (placed.message >= view.newest || part.tokens < LARGE || part.isError || !isWhole(view, placed))
      continue;
    if (pointedAt.has(part.id) || kept.has(part.id)) continue;
    const write = (handle: string) => {
      const line = lineFor(
        view,
        'aged',
        `${describeCall(placed)}, ${figure(part.text.length)} characters, the middle is gone`,
        handle,
      );
      return `${headOf(part.text, ENDS)}\n${line}\n${tailOf(part.text, ENDS)}`;
    };
    const candidate = replacing(view, 'aged', placed, write);
    if (candidate) yield candidate;
  }
}

/** Results that a pointer means: they have to stay as they are. */
function pointers({ layout }: View): Set<string> {
  return new Set(
    layout.applied.filter(({ rule }) => rule === 'repeated').map(({ anchors }) => anchors[1]!.call),
  );
}

function isOneLine({ layout }: View, { part }: Placed): boolean {
  const decision = layout.texts.get(part.id)?.decision;
  return decision !== undefined && decision.rule !== 'shortened';
}

/** Whether the later one stays for at least as long as the earlier: an open branch takes what is in it along. */
function outlives({ branches }: View, later: Placed, earlier: Placed): boolean {
  const around = new Set(openAround(branches, earlier.message));
  return openAround(branches, later.message).every((id) => around.has(id));
}
