import type { JournalEntry } from '@infold/protocol';
import type { EventMap, EventType, OperationCompleted } from '@infold/protocol/events';
import { markOf } from './marks.ts';
import {
  type Branch,
  type Figures,
  figuresOf,
  gainOf,
  type Item,
  indexOf,
  MAIN,
  type Operation,
  type Tree,
} from './tree.ts';

/** The session as it is after some more entries: what is live and what is replayed are both made by this. */
export function reduce(
  tree: Tree,
  entries: readonly JournalEntry[],
  onEntry?: (entry: JournalEntry, figures: Figures) => void,
): Tree {
  const next = new Draft(tree);
  for (const entry of entries) {
    if (entry.seq <= next.tree.seq) continue;
    next.apply(entry);
    onEntry?.(entry, figuresOf(next.tree));
  }
  return next.isChanged ? next.tree : tree;
}

type Data<Type extends EventType> = EventMap[Type];
type Handlers = { [Type in EventType]?: (draft: Draft, data: Data<Type>, where: Where) => void };

interface Where {
  seq: number;
  place: number;
  at: number;
}

type Changing<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** A tree while entries are applied to it. What it shares with the one before is copied when it first changes. */
class Draft {
  readonly tree: Changing<Tree>;
  isChanged = false;
  readonly branches: Map<string, Branch>;
  readonly awaited: Set<string>;
  readonly #own = new Set<string>();

  constructor(tree: Tree) {
    this.branches = new Map(tree.branches);
    this.awaited = new Set(tree.awaited);
    this.tree = { ...tree, branches: this.branches, awaited: this.awaited };
  }

  apply(entry: JournalEntry): void {
    const at = Date.parse(entry.at);
    entry.events.forEach(({ type, data, place }, index) => {
      const where = { seq: entry.seq, place: place ?? index, at };
      HANDLERS[type as EventType]?.(this, data as never, where);
      const mark = markOf(type as EventType, data, where);
      if (mark) this.append(this.tree.path.at(-1) ?? MAIN, mark);
    });
    this.tree.seq = entry.seq;
    this.tree.at = at;
    this.isChanged = true;
  }

  /** A branch that may be changed; undefined where this reader was not told of it. */
  branch(id: string | null): Changing<Branch> | undefined {
    const name = id ?? MAIN;
    const branch = this.branches.get(name);
    if (!branch || this.#own.has(name)) return branch;
    const copy = { ...branch, items: [...branch.items] };
    this.#own.add(name);
    this.branches.set(name, copy);
    return copy;
  }

  append(id: string | null, item: Item): void {
    const branch = this.branch(id);
    if (branch) (branch.items as Item[]).push(item);
  }

  /** Puts a changed operation where it was; answers it as it was, or undefined where it is not held. */
  change(id: string | null, seq: number, place: number, change: Partial<Operation>): Operation | undefined {
    const branch = this.branch(id);
    const index = branch ? indexOf(branch.items, seq, place) : -1;
    const item = branch?.items[index];
    if (item?.kind !== 'operation') return undefined;
    (branch!.items as Item[])[index] = { ...item, ...change };
    return item;
  }

  add(id: string | null, tokens: number): void {
    const branch = this.branch(id);
    if (branch) branch.tokens += tokens;
  }

  /** Where the branch was folded already, its fold took so much more, and those of its parents that took it along. */
  addFolded(id: string | null, tokens: number): void {
    let branch = this.branch(id);
    if (branch?.status !== 'folded') return;
    this.tree.foldedTotal += tokens;
    while (branch) {
      if (branch.tokensFolded !== null) branch.tokensFolded += tokens;
      branch = branch.foldedBy === null ? undefined : this.branch(branch.parent);
    }
  }

  /** Results are used up once; what is not counted yet is remembered until it is. */
  consume(handles: readonly string[] = []): void {
    for (const handle of handles) {
      const place = this.tree.places.get(handle);
      const before = place && this.change(place.branch, place.seq, place.place, { isConsumed: true });
      if (!before) {
        this.#await(handle);
      } else if (!before.isConsumed && !before.isCollapsed && !before.isDiscarded) {
        this.branch(place.branch)!.collapsible += gainOf(before);
      }
    }
  }

  /** Bounded: some are of results that never come. */
  #await(handle: string): void {
    this.awaited.add(handle);
    if (this.awaited.size > MOST_AWAITED) this.awaited.delete(this.awaited.values().next().value!);
  }
}

const MOST_AWAITED = 2000;

const HANDLERS: Handlers = {
  'session.started': (draft, _session, { at, seq }) => {
    const main = draft.branch(MAIN)!;
    main.createdAt = at;
    main.createdSeq = seq;
  },

  'session.expired': (draft, _session, { at }) => {
    const open = [...draft.branches.values()].filter(({ status }) => status === 'active');
    for (const { id } of open) {
      const branch = draft.branch(id)!;
      branch.status = 'expired';
      branch.endedAt = at;
    }
    draft.tree.path = [];
    draft.tree.isEnded = true;
    draft.awaited.clear();
  },

  'branch.created': (draft, created, { seq, place, at }) => {
    draft.branches.set(created.branch_id, {
      id: created.branch_id,
      parent: created.parent_id ?? MAIN,
      ordinal: draft.branches.size,
      depth: created.depth,
      description: created.description,
      agent: created.agent ?? null,
      status: 'active',
      tokens: created.tokens,
      tokensFolded: null,
      collapsible: 0,
      operations: 0,
      secrets: created.secrets,
      budget: created.budget,
      summary: null,
      summaryTokens: 0,
      foldedBy: null,
      createdAt: at,
      createdSeq: seq,
      endedAt: null,
      items: [],
      earlier: 0,
      counted: 0,
    });
    draft.append(created.parent_id, { kind: 'child', seq, place, id: created.branch_id });
    if (created.agent === undefined) draft.tree.path = [...draft.tree.path, created.branch_id];
  },

  'operation.completed': (draft, operation, where) => {
    count(draft, operation, where);
    if (operation.after_fold) draft.addFolded(operation.branch_id, operation.tokens);
    draft.consume(operation.consumes);
  },

  'operation.recounted': (draft, recounted) => {
    const { branch_id, seq, place, to, tokens_before, tokens, output_tokens, source } = recounted;
    const change = { tokens, counted: tokens, outputTokens: output_tokens, source };
    // It may be one of those that are no longer held here.
    const before = draft.change(branch_id, seq, place, change);
    const [from, target] = [draft.branch(branch_id), draft.branch(to)];
    if (!from || !target) return;
    from.tokens -= tokens_before;
    target.tokens += tokens;
    draft.addFolded(branch_id, -tokens_before);
    draft.addFolded(to, tokens);
    if (before?.isConsumed) {
      from.collapsible -= gainOf(before);
      target.collapsible += gainOf({ ...before, ...change });
    }
    if (from !== target) move(from, target, before && { ...before, ...change }, draft.tree.places);
  },

  'envelope.accepted': (draft, { operation_of, tokens, secrets, envelope }, where) => {
    if (operation_of?.session_id !== draft.tree.session) return;
    count(
      draft,
      { ...operation_of, tokens, secrets, tool: 'pod_send', call_id: null, about: kindOf(envelope) },
      where,
    );
  },

  'operation.collapsed': (draft, { branch_id, seq, place, tokens, summary_tokens, summary }) => {
    const change = summary_tokens - tokens;
    const before = draft.change(branch_id, seq, place, { isCollapsed: true, summary: summary ?? null });
    if (before) draft.change(branch_id, seq, place, { tokens: before.tokens + change });
    const branch = draft.branch(branch_id);
    if (!branch) return;
    if (before?.isConsumed) branch.collapsible -= gainOf(before);
    branch.tokens += change;
    // One that was folded meanwhile took the result along.
    if (branch.status === 'folded') draft.tree.foldedTotal += change;
  },

  'branch.folded': (draft, fold, { at }) => {
    const branch = draft.branch(fold.branch_id);
    if (branch) {
      branch.status = 'folded';
      branch.endedAt = at;
      branch.tokensFolded = fold.tokens_folded;
      branch.summary = fold.summary;
      branch.summaryTokens = fold.summary_tokens;
      branch.secrets = fold.secrets;
      branch.foldedBy = fold.folded_by;
    }
    draft.tree.path = draft.tree.path.filter((id) => id !== fold.branch_id);
    draft.tree.foldedTotal += fold.tokens_own;
    draft.add(fold.parent_id, fold.summary_tokens);
    draft.consume(fold.consumes);
  },

  'branch.returned_late': (draft, late) => {
    const branch = draft.branch(late.branch_id);
    if (!branch) return;
    branch.summary = late.summary;
    branch.summaryTokens = late.summary_tokens;
    branch.secrets = late.secrets;
  },

  'branch.rolled_back': (draft, rollback, { at }) => {
    for (const { branch_id, parent_id, summary_tokens } of rollback.discarded) {
      draft.add(parent_id, -summary_tokens);
      const branch = draft.branch(branch_id);
      if (branch) Object.assign(branch, { status: 'discarded', endedAt: at });
    }
    for (const { branch_id, parent_id, summary_tokens } of rollback.reopened) {
      draft.add(parent_id, -summary_tokens);
      const branch = draft.branch(branch_id);
      if (branch) Object.assign(branch, REOPENED);
    }
    if (rollback.operations_after !== null) discardOperations(draft, rollback, rollback.operations_after);
    const all = [...draft.branches.values()];
    draft.tree.path = all
      .filter(({ id, status, agent }) => id !== MAIN && status === 'active' && agent === null)
      .sort((one, other) => one.depth - other.depth)
      .map(({ id }) => id);
    draft.tree.foldedTotal = all
      .filter(({ status }) => status === 'folded')
      .reduce((sum, { tokens }) => sum + tokens, 0);
  },
};

function move(
  from: Changing<Branch>,
  target: Changing<Branch>,
  operation: Operation | undefined,
  places: Tree['places'],
): void {
  target.counted += 1;
  if (from.id !== MAIN) from.operations -= 1;
  if (target.id !== MAIN) target.operations += 1;
  if (!operation) {
    target.earlier += 1;
    return;
  }
  const { seq, place, handle } = operation;
  from.items = from.items.filter((item) => item.seq !== seq || item.place !== place);
  target.items = [...target.items, { ...operation, ordinal: target.counted }].sort(
    (one, other) => one.seq - other.seq || one.place - other.place,
  );
  if (handle !== null) places.set(handle, { branch: target.id, seq, place });
}

const REOPENED: Partial<Branch> = {
  ...{ status: 'active', endedAt: null, tokensFolded: null },
  ...{ summary: null, summaryTokens: 0, foldedBy: null },
};

function discardOperations(draft: Draft, rollback: Data<'branch.rolled_back'>, after: number): void {
  const branch = draft.branch(rollback.target);
  if (!branch) return;
  let collapsible = 0;
  branch.items = branch.items.map((item) => {
    if (item.kind !== 'operation') return item;
    const isDiscarded = item.isDiscarded || item.seq > after;
    if (item.isConsumed && !item.isCollapsed && !isDiscarded) collapsible += gainOf(item);
    return isDiscarded === item.isDiscarded ? item : { ...item, isDiscarded };
  });
  branch.tokens -= rollback.operations_tokens;
  branch.collapsible = collapsible;
  if (branch.id !== MAIN) branch.operations -= rollback.operations_count;
}

/** A message may have been forgotten but for its figures. */
function kindOf(envelope: { kind?: string } | undefined): string {
  return envelope?.kind ?? '';
}

type Counted = Pick<OperationCompleted, 'branch_id' | 'tool' | 'tokens' | 'call_id' | 'secrets'> &
  Partial<OperationCompleted> & { about?: string };

function count(draft: Draft, operation: Counted, { seq, place, at }: Where): void {
  const branch = draft.branch(operation.branch_id);
  if (!branch) return;
  const { handle = null } = operation;
  const isConsumed = handle !== null && draft.awaited.delete(handle);
  branch.counted += 1;
  const counted: Operation = {
    kind: 'operation',
    ...{ seq, place, at: operation.happened_at ?? at, ordinal: branch.counted },
    tool: operation.tool,
    about: operation.about ?? '',
    tokens: operation.tokens,
    counted: operation.tokens,
    outputTokens: operation.output_tokens ?? null,
    summaryTokens: operation.summary_tokens ?? null,
    ...{ handle, callId: operation.call_id, source: operation.source ?? 'pod' },
    ...{ isConsumed, isCollapsed: false, isDiscarded: false, summary: null },
  };
  draft.append(operation.branch_id, counted);
  if (handle !== null) draft.tree.places.set(handle, { branch: branch.id, seq, place });
  if (isConsumed) branch.collapsible += gainOf(counted);
  branch.tokens += operation.tokens;
  branch.secrets += operation.secrets;
  if (branch.id !== MAIN) branch.operations += 1;
}
