import type { Related } from '../queries.ts';

/** An item in the graph. */
export interface GraphNode {
  id: string;
  name: string;
  kind: string;
  isSuperseded: boolean;
  /** Columns: what leads to the item stands left of it, what it leads to right. */
  column: number;
  row: number;
  /** Whether its own relations are shown. */
  isOpen: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  type: string;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** The lowest and the highest column. */
  first: number;
  last: number;
  /** In the longest column. */
  rows: number;
}

interface Start {
  id: string;
  name: string;
  kind: string;
  isSuperseded: boolean;
}

/** More in one column are not drawn: the list beside the graph has them all. */
export const MOST_ROWS = 12;

/**
 * Lays out an item and what is related to it; of items that are open, what is related to those as well. An item stands where it
 * was met first, so that opening one moves nothing that was there.
 */
export function layOut(
  start: Start,
  open: readonly string[],
  relations: Readonly<Record<string, readonly Related[]>>,
): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  const rows = new Map<number, number>();
  const add = (item: Start, column: number): GraphNode | undefined => {
    const known = nodes.get(item.id);
    if (known) return known;
    const row = rows.get(column) ?? 0;
    if (row >= MOST_ROWS) return undefined;
    rows.set(column, row + 1);
    const node = { ...item, column, row, isOpen: Object.hasOwn(relations, item.id) };
    nodes.set(item.id, node);
    return node;
  };
  add(start, 0);
  for (const id of [start.id, ...open]) {
    const node = nodes.get(id);
    if (!node || !Object.hasOwn(relations, id)) continue;
    for (const { id: other, name, type, relationship, direction, superseded_by } of relations[id]!) {
      const isOutgoing = direction === 'outgoing';
      const side = node.column === 0 ? (isOutgoing ? 1 : -1) : node.column + Math.sign(node.column);
      const met = add({ id: other, name, kind: type, isSuperseded: superseded_by !== null }, side);
      if (!met) continue;
      const [from, to] = isOutgoing ? [id, other] : [other, id];
      edges.set(`${from} ${relationship} ${to}`, { from, to, type: relationship });
    }
  }
  const all = [...nodes.values()];
  const columns = all.map(({ column }) => column);
  return {
    ...{ nodes: all, edges: [...edges.values()] },
    ...{ first: Math.min(...columns), last: Math.max(...columns), rows: Math.max(...rows.values()) },
  };
}
