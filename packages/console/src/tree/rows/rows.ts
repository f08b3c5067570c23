import {
  type Branch,
  handleOf,
  type Item,
  indexOf,
  MAIN,
  type Mark,
  type Operation,
  type Tree,
} from '../model/tree.ts';

interface Placed {
  /** Of the row; the address of a node where it is one. */
  key: string;
  level: number;
  /** Among its siblings, from 1, and how many there are. */
  position: number;
  size: number;
  /** Undefined where there is nothing in it. */
  isOpen: boolean | undefined;
  parent: string | undefined;
  /** It is in a branch that was discarded, or out of the window with one that is over. */
  isGone: boolean;
  isAway: boolean;
}

export type Row = Placed &
  (
    | { kind: 'branch'; branch: Branch }
    | { kind: 'operation'; operation: Operation }
    | { kind: 'mark'; mark: Mark }
    | { kind: 'group'; group: Group }
    | { kind: 'earlier'; branch: Branch }
  );

/** Many operations in a row, shown as one until somebody looks into it. */
export interface Group {
  key: string;
  first: Operation;
  last: Operation;
  count: number;
  tokens: number;
  /** The tools that were called most, with how often. */
  tools: readonly [tool: string, count: number][];
  collapsed: number;
  discarded: number;
  items: readonly (Operation | Mark)[];
}

type Slot = Exclude<Item, { kind: 'operation' }> | Operation | ({ kind: 'group' } & Group);

/** Operations that go together by their number in the branch, so that a group never changes once it is whole. */
const GROUP = 50;
/** Fewer are not worth a row that has to be opened. */
const FEWEST = 8;

const slots = new WeakMap<readonly Item[], readonly Slot[]>();

/** Items of a branch with long runs of operations put together. The last ones stand alone: they are what is going on. */
export function slotsOf({ items, counted }: Pick<Branch, 'items' | 'counted'>): readonly Slot[] {
  const known = slots.get(items);
  if (known) return known;
  const made: Slot[] = [];
  const loose = Math.floor(Math.max(0, counted - GROUP) / GROUP) * GROUP;
  let run: (Operation | Mark)[] = [];
  let bucket = -1;
  const end = () => {
    const operations = run.filter((item) => item.kind === 'operation');
    if (operations.length >= FEWEST && operations.at(-1)!.ordinal <= loose) {
      made.push({ kind: 'group', ...groupOf(run, operations) });
    } else {
      made.push(...run);
    }
    run = [];
  };
  for (const item of items) {
    if (item.kind === 'child') {
      end();
      made.push(item);
      bucket = -1;
      continue;
    }
    const own = item.kind === 'operation' ? Math.floor((item.ordinal - 1) / GROUP) : bucket;
    if (own !== bucket) {
      end();
      bucket = own;
    }
    run.push(item);
  }
  end();
  slots.set(items, made);
  return made;
}

function groupOf(items: readonly (Operation | Mark)[], operations: readonly Operation[]): Group {
  const tools = new Map<string, number>();
  for (const { tool } of operations) tools.set(tool, (tools.get(tool) ?? 0) + 1);
  const first = operations[0]!;
  return {
    key: `group_${first.seq}_${first.place}`,
    first,
    last: operations.at(-1)!,
    count: operations.length,
    tokens: operations.reduce((sum, { tokens, isDiscarded }) => sum + (isDiscarded ? 0 : tokens), 0),
    tools: [...tools].sort(([, one], [, other]) => other - one).slice(0, 3),
    collapsed: operations.filter(({ isCollapsed, isDiscarded }) => isCollapsed && !isDiscarded).length,
    discarded: operations.filter(({ isDiscarded }) => isDiscarded).length,
    items,
  };
}

/** What somebody opened or closed, by key. Everything else is as it is at first. */
export type Opened = ReadonlyMap<string, boolean>;

/** What is going on is open; what is over is closed. */
function isOpenAtFirst({ id, status }: Branch): boolean {
  return id === MAIN || status === 'active';
}

/** Everything that is in sight, from the top. */
export function rowsOf(tree: Tree, opened: Opened): Row[] {
  const rows: Row[] = [];
  addBranch(rows, tree, opened, {
    ...{ key: MAIN, level: 1, position: 1, size: 1, parent: undefined, isGone: false, isAway: false },
  });
  return rows;
}

function addBranch(rows: Row[], tree: Tree, opened: Opened, placed: Omit<Placed, 'isOpen'>): void {
  const branch = tree.branches.get(placed.key);
  if (!branch) return;
  const hasAny = branch.items.length > 0 || branch.earlier > 0;
  const isOpen = hasAny ? (opened.get(branch.id) ?? isOpenAtFirst(branch)) : undefined;
  const isGone = placed.isGone || branch.status === 'discarded';
  const isAway = placed.isAway || branch.status !== 'active';
  rows.push({ kind: 'branch', branch, ...placed, isOpen, isGone });
  if (!isOpen) return;
  const inside = slotsOf(branch);
  const before = branch.earlier > 0 ? 1 : 0;
  const within = { level: placed.level + 1, size: inside.length + before, parent: branch.id, isGone, isAway };
  if (before) {
    const key = `earlier_${branch.id}`;
    rows.push({ kind: 'earlier', branch, key, ...within, position: 1, isOpen: undefined });
  }
  inside.forEach((slot, index) => {
    const place = { ...within, position: index + 1 + before };
    if (slot.kind === 'child') addBranch(rows, tree, opened, { ...place, key: slot.id });
    else if (slot.kind === 'group') addGroup(rows, slot, opened, place);
    else rows.push(leaf(slot, place));
  });
}

function leaf(item: Operation | Mark, placed: Omit<Placed, 'key' | 'isOpen'>): Row {
  const row = { ...placed, key: handleOf(item), isOpen: undefined };
  return item.kind === 'operation'
    ? { ...row, kind: 'operation', operation: item }
    : { ...row, kind: 'mark', mark: item };
}

function addGroup(rows: Row[], group: Group, opened: Opened, placed: Omit<Placed, 'key' | 'isOpen'>): void {
  const isOpen = opened.get(group.key) ?? false;
  rows.push({ ...placed, kind: 'group', group, key: group.key, isOpen });
  if (!isOpen) return;
  const within = { level: placed.level + 1, size: group.items.length, parent: group.key };
  group.items.forEach((item, index) => {
    rows.push(leaf(item, { ...placed, ...within, position: index + 1 }));
  });
}

/** Everything that can be opened. */
export function openable(tree: Tree): string[] {
  return [...tree.branches.values()].flatMap((branch) => [
    branch.id,
    ...slotsOf(branch).flatMap((slot) => (slot.kind === 'group' ? slot.key : [])),
  ]);
}

/** What has to be open for a node to be in sight. */
export function waysTo(tree: Tree, node: string): string[] {
  const found = itemOf(tree, node);
  if (!found) return [];
  const { branch, item } = found;
  const ways = item ? [branch.id, ...groupsWith(branch, item)] : [];
  for (let id = branch.parent; id !== null; id = tree.branches.get(id)?.parent ?? null) ways.push(id);
  return ways;
}

function groupsWith(branch: Branch, { seq, place }: Operation | Mark): string[] {
  const around = slotsOf(branch).find(
    (slot) => slot.kind === 'group' && indexOf(slot.items, seq, place) >= 0,
  );
  return around?.kind === 'group' ? [around.key] : [];
}

/** A branch, or an operation or a mark with the branch that it is in, by what it goes by. */
export function itemOf(
  tree: Tree,
  node: string,
): { branch: Branch; item: Operation | Mark | undefined } | undefined {
  const named = tree.branches.get(node);
  if (named) return { branch: named, item: undefined };
  const [, seq, place] = /^op_(\d+)_(\d+)$/.exec(node) ?? [];
  if (seq === undefined) return undefined;
  for (const branch of tree.branches.values()) {
    const item = branch.items[indexOf(branch.items, Number(seq), Number(place))];
    if (item && item.kind !== 'child') return { branch, item };
  }
  return undefined;
}
