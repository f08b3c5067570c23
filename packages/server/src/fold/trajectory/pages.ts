import type { Journal, JournalEvent } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { BranchCreated, OperationCompleted } from '../events.ts';
import {
  type Branch,
  branchById,
  childrenOf,
  countSteps,
  newestOfSession,
  newestOperations,
  stepsOf,
  type TrajectoryStep,
} from '../queries.ts';

/** The full trajectory of a branch stays in the journal; the tables only point there. */

const PIECE = 4000;

export interface Page {
  page: number;
  total_pages: number;
  items: unknown[];
}

export function operationHandle(seq: number, place: number): string {
  return `op_${seq}_${place}`;
}

export function parseOperationHandle(handle: string): { seq: number; place: number } | undefined {
  const match = /^op_(\d{1,15})_(\d{1,6})$/.exec(handle);
  return match ? { seq: Number(match[1]), place: Number(match[2]) } : undefined;
}

/** An operation as its agent's host reported it, or as the agent said it in the branch's context of a pod. */
export function operationIn(event: JournalEvent | undefined): ArchivedOperation | undefined {
  if (event?.type === 'operation.completed') return event.data;
  if (event?.type !== 'envelope.accepted') return undefined;
  const { operation_of, tokens, envelope } = event.data;
  if (!operation_of) return undefined;
  const { id, kind, to, correlation_id, payload } = envelope;
  const input = { id, kind, ...(to ? { to } : {}), ...(correlation_id ? { correlation_id } : {}), payload };
  return { ...operation_of, tool: SAID, tokens, input };
}

type ArchivedOperation = Pick<
  OperationCompleted,
  'session_id' | 'branch_id' | 'tool' | 'tokens' | 'input' | 'output'
>;
const SAID = 'pod_send';

/** Reads the events of many steps at once: their entries are fetched together and each is parsed once. */
class EventReader {
  readonly #events = new Map<number, JournalEvent[]>();

  constructor(journal: Journal, seqs: readonly number[]) {
    for (const entry of journal.entriesAt([...new Set(seqs)])) this.#events.set(entry.seq, entry.events);
  }

  operation({ seq, place }: TrajectoryStep): ArchivedOperation | undefined {
    return operationIn(this.#events.get(seq)?.[place]);
  }
}

/** Prompt, then operations and child branches in order, then the summary. */
export function branchTrajectory(journal: Journal, branch: Branch, page: number, perPage: number): Page {
  const { database } = journal;
  const count = countSteps(database, branch);
  const returnedLate = branch.status === 'expired' && branch.summary !== null;
  const ending = branch.status === 'folded' || returnedLate ? 1 : 0;
  const total = 1 + count + ending;
  const totalPages = Math.max(1, Math.ceil(total / perPage));
  const first = (page - 1) * perPage;
  const items: unknown[] = [];
  if (first === 0) items.push(beginning(journal, branch));
  const skip = Math.max(0, first - 1);
  const steps = stepsOf(database, branch, perPage - items.length, skip);
  const reader = new EventReader(journal, seqsOf(steps));
  for (const step of steps) {
    items.push(step.branch === null ? operationItem(reader, step) : childItem(database, step.branch));
  }
  if (ending && page === totalPages && first < total) items.push(endItem(branch));
  return { page, total_pages: totalPages, items };
}

/** One operation whole: the call, then its output, as elements of a list or as pieces of text. */
export function operationPages(operation: ArchivedOperation, page: number, perPage: number): Page {
  const { tool, tokens, input, output } = operation;
  const call = { type: 'call', tool, tokens, ...(input === undefined ? {} : { input }) };
  const pieces = [call, ...outputItems(output)];
  const totalPages = Math.max(1, Math.ceil(pieces.length / perPage));
  return { page, total_pages: totalPages, items: pieces.slice((page - 1) * perPage, page * perPage) };
}

/**
 * What a branch and its open children said and saw, for the loss check. The newest comes first, and reading stops
 * when there is more text than anyone will look through.
 */
export function branchTexts(
  journal: Journal,
  branches: readonly Branch[],
  most: { operations: number; characters: number },
): { said: string[]; seen: string[] } {
  const said: string[] = [];
  const seen: string[] = [];
  let characters = 0;
  const add = (texts: string[], value: unknown) => {
    if (value === undefined || value === null) return;
    const text = textOf(value);
    texts.push(text);
    characters += text.length;
  };
  for (const branch of branches) {
    add(said, `${branch.description}\n${createdOf(journal, branch)?.prompt ?? ''}`);
    for (const { summary } of childrenOf(journal.database, branch)) add(said, summary);
    const steps = newestOperations(journal.database, branch, most.operations);
    for (let from = 0; from < steps.length && characters < most.characters; from += STEPS_AT_ONCE) {
      const some = steps.slice(from, from + STEPS_AT_ONCE);
      const reader = new EventReader(journal, seqsOf(some));
      for (const step of some) {
        const operation = reader.operation(step);
        // What an agent asked this server about itself is not its work.
        if (operation?.tool === 'infold_status') continue;
        add(said, operation?.input);
        // What others said in a pod is there for all to read again.
        if (!operation?.tool.startsWith('pod_')) add(seen, operation?.output);
      }
    }
  }
  return { said, seen };
}

const STEPS_AT_ONCE = 100;

/** Calls that may have started a subagent: hosts start several at once. */
const MOST_STARTERS = 20;

/**
 * What a subagent was given to do. Hosts tell of its start without that, right after the call that started it, whose result names
 * the subagent.
 */
export function taskOf(
  journal: Journal,
  sessionId: string,
  agent: string,
): { title: string | undefined; task: string } | undefined {
  const steps = newestOfSession(journal.database, sessionId, MOST_STARTERS);
  const reader = new EventReader(journal, seqsOf(steps));
  for (const step of steps) {
    const { input, output } = reader.operation(step) ?? {};
    const { prompt, description } = (input ?? {}) as Record<string, unknown>;
    if (typeof prompt !== 'string' || typeof output !== 'string' || !output.includes(agent)) continue;
    return { title: typeof description === 'string' ? description : undefined, task: prompt };
  }
  return undefined;
}

function seqsOf(steps: readonly TrajectoryStep[]): number[] {
  return steps.filter(({ branch }) => branch === null).map(({ seq }) => seq);
}

export function createdOf(journal: Journal, branch: Branch): BranchCreated | undefined {
  const events = journal.entryAt(branch.created_seq)?.events ?? [];
  return events
    .flatMap(({ type, data }) => (type === 'branch.created' ? [data] : []))
    .find((data) => data.branch_id === branch.id);
}

function beginning(journal: Journal, branch: Branch): unknown {
  return {
    type: 'branch',
    id: branch.id,
    parent_id: branch.parent_id,
    depth: branch.depth,
    status: branch.status,
    description: branch.description,
    prompt: createdOf(journal, branch)?.prompt ?? null,
    created_at: isoTime(branch.created_at),
    tokens: branch.tokens,
  };
}

function operationItem(reader: EventReader, step: TrajectoryStep): unknown {
  const operation = reader.operation(step);
  const item = {
    type: 'operation',
    handle: operationHandle(step.seq, step.place),
    ...(step.discarded ? { discarded: true } : {}),
  };
  if (!operation) return { ...item, erased: true };
  const { tool, tokens, input, output } = operation;
  return { ...item, tool, tokens, ...shortened('input', input), ...shortened('output', output) };
}

/** A long value is cut here; the operation's own handle gives all of it. */
function shortened(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined) return {};
  const text = textOf(value);
  return text.length <= PIECE
    ? { [name]: value }
    : { [name]: text.slice(0, PIECE), [`${name}_characters`]: text.length };
}

function childItem(database: Database, id: string): unknown {
  const child = branchById(database, id)!;
  const { description, status, summary } = child;
  return {
    type: 'child',
    handle: id,
    description,
    status,
    tokens: child.tokens_folded ?? child.tokens,
    summary,
  };
}

function endItem(branch: Branch): unknown {
  const at = branch.ended_at === null ? null : isoTime(branch.ended_at);
  return { type: 'summary', text: branch.summary ?? '', tokens: branch.summary_tokens, folded_at: at };
}

function outputItems(output: unknown): unknown[] {
  if (output === undefined) return [];
  if (Array.isArray(output)) return output.map((value) => ({ type: 'output', value }));
  const text = textOf(output);
  const pieces: unknown[] = [];
  for (let from = 0; from < text.length || from === 0; from += PIECE) {
    pieces.push({ type: 'output', text: text.slice(from, from + PIECE) });
  }
  return pieces;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
