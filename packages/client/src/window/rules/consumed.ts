import { isTool } from '../branches.ts';
import type { Placed } from '../layout.ts';
import { type Candidate, describeCall, isWhole, lineFor, replacing, type View } from './candidate.ts';

/** What used up a result says so in the handles that it names. */
const CONSUMERS = ['store_analysis_memory', 'remember', 'draft', 'context_return'];

/** A result that its server marked as transient: the summary is what the server says stands for it. */
export interface Consumed {
  /** The id that the host gave the call, where it told the server. */
  call?: string;
  handle?: string;
  summary?: string;
}

/** Transient results that were used. `told` is what the server knows besides what the request shows. */
export function* consumed(view: View, told: readonly Consumed[] = []): Generator<Candidate> {
  const used = new Map<string, Placed>();
  for (const placed of view.results.byCall.values()) {
    if (placed.part.isError) continue;
    for (const handle of handlesUsedBy(placed)) used.set(handle, placed);
  }
  const byCall = new Map(told.flatMap((one) => (one.call === undefined ? [] : [[one.call, one]])));
  const byHandle = new Map(told.flatMap((one) => (one.handle === undefined ? [] : [[one.handle, one]])));
  for (const placed of view.results.byCall.values()) {
    if (placed.message >= view.newest || placed.part.isError || !isWhole(view, placed)) continue;
    const handle = handleOf(placed);
    const known = byCall.get(placed.part.id) ?? (handle === undefined ? undefined : byHandle.get(handle));
    const user = handle === undefined ? undefined : used.get(handle);
    if (!known && (!user || user.message <= placed.message)) continue;
    const what = known?.summary ?? summaryIn(placed) ?? describeCall(placed);
    const others = user ? [user] : [];
    const candidate = replacing(
      view,
      'consumed',
      placed,
      (own) => lineFor(view, 'consumed', what, own),
      ...others,
    );
    if (candidate) yield candidate;
  }
}

function handlesUsedBy({ call, part }: Placed): string[] {
  const { sources, scratch_ref } = (call.input ?? {}) as { sources?: unknown; scratch_ref?: unknown };
  const own =
    CONSUMERS.some((name) => isTool(call.name, name)) && !/\\*"error\\*"\s*:/.test(part.text.slice(0, 200));
  const named = own ? [...(Array.isArray(sources) ? sources : []), scratch_ref] : [];
  return [...named, ...listIn(part.text, 'infold/consumes')].filter((one) => typeof one === 'string');
}

const HANDLE = /\\*"(?:infold\/)?handle\\*"\s*:\s*\\*"([\w.:-]{1,128})\\*"/g;

/** The last one: a page ends with its own, and records may hold anything. */
function handleOf({ part, call }: Placed): string | undefined {
  // What brings something back is not what it brings back.
  if (isTool(call.name, 'context_expand') || !part.text.includes('handle')) return undefined;
  return [...part.text.matchAll(HANDLE)].at(-1)?.[1];
}

function listIn(text: string, key: string): string[] {
  const at = text.indexOf(key);
  const list = at < 0 ? undefined : /^[\\"\s:]*\[([^\]]*)\]/.exec(text.slice(at + key.length))?.[1];
  return list === undefined ? [] : [...list.matchAll(/[\w.:-]+/g)].map(([handle]) => handle);
}

/** As the mark says, where the host shows it, or as a page of records tells. */
function summaryIn({ part }: Placed): string | undefined {
  const marked =
    /\\*"lifecycle\\*"\s*:\s*\\*"transient\\*"[\s\S]{0,40}?\\*"summary\\*"\s*:\s*\\*"([^"\\]{1,400})/.exec(
      part.text,
    )?.[1];
  if (marked !== undefined) return marked;
  const number = (key: string) => new RegExp(`\\\\*"${key}\\\\*"\\s*:\\s*(\\d+)`).exec(part.text)?.[1];
  const model = /\\*"model\\*"\s*:\s*\\*"([^"\\]{1,80})/.exec(part.text)?.[1];
  const [page, pages, total] = ['page', 'total_pages', 'total'].map(number);
  if (model === undefined || page === undefined) return undefined;
  return `${model} records, page ${page}${pages ? `/${pages}` : ''}${total ? ` of ${total} records` : ''}`;
}
