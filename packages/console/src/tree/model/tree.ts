import type { BranchStatus } from '@infold/protocol';
import type { OperationSource } from '@infold/protocol/events';

/** What the main thread goes by, here and in addresses. */
export const MAIN = 'main';

export type OperationState = 'counted' | 'consumed' | 'collapsed' | 'discarded';

/** A call that was counted in a branch. */
export interface Operation {
  kind: 'operation';
  seq: number;
  place: number;
  at: number;
  /** Of its branch: 1, 2, 3, … */
  ordinal: number;
  tool: string;
  /** What tells it from other calls of the tool: a file, a command. Empty where nothing does. */
  about: string;
  /** What it takes in the branch now. */
  tokens: number;
  /** What it took when it was counted. */
  counted: number;
  outputTokens: number | null;
  summaryTokens: number | null;
  /** Of a result that can be collapsed. */
  handle: string | null;
  callId: string | null;
  /** Who counted it: this server, who reported it, the host's hook, or the window door. */
  source: OperationSource | 'pod';
  isConsumed: boolean;
  isCollapsed: boolean;
  isDiscarded: boolean;
  /** The placeholder, if one was reported. */
  summary: string | null;
}

export type MarkKind = 'session' | 'rules' | 'pack' | 'finding' | 'report' | 'rollback';

/** Something that happened beside the calls: small, and not counted. */
export interface Mark {
  kind: 'mark';
  seq: number;
  place: number;
  at: number;
  what: MarkKind;
  text: string;
}

/** Where a branch left its parent. */
export interface Child {
  kind: 'child';
  seq: number;
  place: number;
  id: string;
}

export type Item = Operation | Mark | Child;

export interface Branch {
  /** Its id, or `main`. */
  id: string;
  parent: string | null;
  /** In order of creation; the main thread is 0. */
  ordinal: number;
  depth: number;
  description: string;
  /** A subagent's: it stands beside the open branches, in a window of its own. */
  agent: string | null;
  status: BranchStatus;
  /** Its own: prompt, operations and its children's summaries. */
  tokens: number;
  /** What its fold took out of sight, children included; null while it is open. */
  tokensFolded: number | null;
  /** What would leave by collapsing what was consumed. */
  collapsible: number;
  /** As the server counts them: without those that were discarded. */
  operations: number;
  secrets: number;
  budget: number | null;
  summary: string | null;
  summaryTokens: number;
  foldedBy: string | null;
  createdAt: number;
  createdSeq: number;
  endedAt: number | null;
  /** In the order in which they happened. */
  items: readonly Item[];
  /** Operations before those in `items`, which are no longer held here. */
  earlier: number;
  /** All that were ever counted in it. */
  counted: number;
}

/** Where a result's operation stands. */
export interface Place {
  branch: string;
  seq: number;
  place: number;
}

/** A session at one position of the journal. Never changed: what happens makes a new one that shares what stayed. */
export interface Tree {
  session: string;
  /** The last entry that is in it, and its time. 0: none. */
  seq: number;
  at: number;
  isEnded: boolean;
  foldedTotal: number;
  /** The main thread, and branches in order of creation. */
  branches: ReadonlyMap<string, Branch>;
  /** Open branches, outermost first, without those of subagents. */
  path: readonly string[];
  /** Handles that were used up before their result was counted. */
  awaited: ReadonlySet<string>;
  /** Where results stand, by handle. Shared by all trees of one history: a result hardly ever moves. */
  places: Map<string, Place>;
}

export function emptyTree(session: string): Tree {
  return {
    session,
    seq: 0,
    at: 0,
    isEnded: false,
    foldedTotal: 0,
    branches: new Map([[MAIN, mainThread()]]),
    path: [],
    awaited: new Set(),
    places: new Map(),
  };
}

function mainThread(): Branch {
  return {
    id: MAIN,
    parent: null,
    ordinal: 0,
    depth: 0,
    description: '',
    agent: null,
    status: 'active',
    tokens: 0,
    tokensFolded: null,
    collapsible: 0,
    operations: 0,
    secrets: 0,
    budget: null,
    summary: null,
    summaryTokens: 0,
    foldedBy: null,
    createdAt: 0,
    createdSeq: 0,
    endedAt: null,
    items: [],
    earlier: 0,
    counted: 0,
  };
}

/** What a full bar stands for: the limit halved as long as all fits, so that it seldom changes and differences are seen. */
export function scaleOf(tree: Tree, limit: number): number {
  let most = 0;
  for (const { tokens, tokensFolded } of tree.branches.values())
    most = Math.max(most, tokensFolded ?? tokens);
  let scale = limit;
  while (scale > 2 * LEAST_SCALE && scale / 2 >= most) scale /= 2;
  return Math.round(scale);
}

const LEAST_SCALE = 250;

export interface Figures {
  main: number;
  /** The main thread and everything open. */
  total: number;
  collapsible: number;
  folded: number;
}

const NOTHING: Figures = { main: 0, total: 0, collapsible: 0, folded: 0 };

/** What the server would say of the session at this position: nothing is held once it has ended. */
export function figuresOf({ branches, path, foldedTotal, isEnded }: Tree): Figures {
  const main = branches.get(MAIN)!;
  if (isEnded) return NOTHING;
  const figures = { ...NOTHING, main: main.tokens, folded: foldedTotal };
  for (const id of [MAIN, ...path]) {
    figures.total += branches.get(id)!.tokens;
    figures.collapsible += branches.get(id)!.collapsible;
  }
  return figures;
}

export function stateOf({ isDiscarded, isCollapsed, isConsumed }: Operation): OperationState {
  if (isDiscarded) return 'discarded';
  if (isCollapsed) return 'collapsed';
  return isConsumed ? 'consumed' : 'counted';
}

/** Whether what a branch holds is in the window: with what it is in itself, it may have been folded or discarded. */
export function fateOf(tree: Tree, branch: Branch): BranchStatus {
  let fate = branch.status;
  for (let id = branch.parent; id !== null; id = tree.branches.get(id)?.parent ?? null) {
    const status = tree.branches.get(id)?.status ?? 'active';
    if (status === 'discarded' || fate === 'active') fate = status;
  }
  return fate;
}

/** What it goes by in addresses, and what opens its original. */
export function handleOf({ seq, place }: { seq: number; place: number }): string {
  return `op_${seq}_${place}`;
}

/** What leaves a branch when a result is collapsed. */
export function gainOf({ outputTokens, summaryTokens }: Operation): number {
  return Math.max(0, (outputTokens ?? 0) - (summaryTokens ?? 0));
}

/** Where something stands among items, which are in order; below 0 where it is not there. */
export function indexOf(items: readonly Item[], seq: number, place: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const item = items[middle]!;
    const order = item.seq - seq || item.place - place;
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
