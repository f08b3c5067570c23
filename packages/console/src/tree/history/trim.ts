import type { Branch, Tree } from '../model/tree.ts';

/** The same tree without the operations and marks up to a position. Branches stay, and every figure does. */
export function withoutItemsUntil(tree: Tree, seq: number): Tree {
  const branches = new Map<string, Branch>();
  for (const [id, branch] of tree.branches) branches.set(id, trimmed(branch, seq));
  return { ...tree, branches };
}

/** Without any, and with nothing that other trees share: it may be kept for long. */
export function withoutItems(tree: Tree): Tree {
  return { ...withoutItemsUntil(tree, tree.seq), places: new Map() };
}

function trimmed(branch: Branch, seq: number): Branch {
  const { items } = branch;
  if (items.every((item) => item.kind === 'child' || item.seq > seq)) return branch;
  const kept = items.filter((item) => item.kind === 'child' || item.seq > seq);
  const gone = items.reduce((sum, item) => sum + (item.kind === 'operation' && item.seq <= seq ? 1 : 0), 0);
  return { ...branch, items: kept, earlier: branch.earlier + gone };
}
