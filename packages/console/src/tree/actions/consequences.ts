import { type Branch, MAIN, type Tree } from '../model/tree.ts';

/** What a rollback will do, so that it can be said before it is done. */
export interface Consequences {
  /** In order of creation. */
  discarded: readonly Branch[];
  /** Folded ones that are opened again, outermost first. */
  reopened: readonly Branch[];
  /** The target's own, with `restore`. */
  operations: number;
  /** Tokens that go out of what is open. */
  recovered: number;
  /** False where some of those operations are no longer held here: it may be more. */
  isExact: boolean;
}

/** Everything made after the target goes; it and what it is in are opened again. */
export function consequencesOf(tree: Tree, target: string, restore: boolean): Consequences {
  const branch = tree.branches.get(target)!;
  const all = [...tree.branches.values()];
  const discarded = all.filter(
    ({ id, ordinal, status }) => id !== MAIN && ordinal > branch.ordinal && status !== 'discarded',
  );
  const reopened = ancestorsOf(tree, branch).filter(({ status }) => status === 'folded');
  const first = discarded[0];
  const own =
    restore && first
      ? branch.items.flatMap((item) =>
          item.kind === 'operation' && !item.isDiscarded && item.seq > first.createdSeq ? [item] : [],
        )
      : [];
  const leaving = new Set(discarded.map(({ id }) => id));
  const recovered =
    discarded.reduce((sum, each) => sum + leavesWith(tree, each, leaving), 0) +
    own.reduce((sum, { tokens }) => sum + tokens, 0);
  const oldest = branch.items.find(({ kind }) => kind === 'operation')?.seq ?? Number.POSITIVE_INFINITY;
  const isExact = !restore || !first || branch.earlier === 0 || oldest < first.createdSeq;
  return { discarded, reopened, operations: own.length, recovered, isExact };
}

/**
 * An open one takes its tokens along, but for a subagent's, which were never in this window; a folded one its summary, unless
 * its parent goes as well.
 */
function leavesWith(tree: Tree, branch: Branch, leaving: ReadonlySet<string>): number {
  if (branch.status === 'active') return branch.agent === null ? branch.tokens : 0;
  const parent = tree.branches.get(branch.parent ?? MAIN);
  const parentLeaves = leaving.has(branch.parent ?? MAIN) || parent?.status === 'discarded';
  return branch.status === 'folded' && !parentLeaves ? branch.summaryTokens : 0;
}

/** From the outermost to the branch itself, without the main thread. */
export function ancestorsOf(tree: Tree, branch: Branch): Branch[] {
  const path: Branch[] = [];
  for (let each: Branch | undefined = branch; each && each.id !== MAIN; ) {
    path.unshift(each);
    each = each.parent === null ? undefined : tree.branches.get(each.parent);
  }
  return path;
}

/** The branch and the open ones in it: what a fold takes together, and what abandoning does. */
export function openWithin(tree: Tree, branch: Branch): Branch[] {
  if (branch.agent !== null) return branch.status === 'active' ? [branch] : [];
  return tree.path.map((id) => tree.branches.get(id)!).filter(({ depth }) => depth >= branch.depth);
}

/** Why one cannot roll back to it; undefined where one can. */
export function whyNotBackTo(tree: Tree, branch: Branch): string | undefined {
  if (tree.isEnded) return 'The session has ended.';
  const closed = ancestorsOf(tree, branch).find(
    ({ status }) => status === 'discarded' || status === 'expired',
  );
  if (!closed) return undefined;
  return closed === branch ? `It was ${closed.status}.` : `Its parent branch was ${closed.status}.`;
}
