import { type Filterable, matchesFilter } from '@infold/client/gateway';
import type { ContextNode } from '@infold/protocol';
import type { PodMessage } from '../feed/feed.ts';
import type { Outgoing } from '../send/outbox.ts';
import type { Wanted } from '../wanted.ts';

interface Placed {
  key: string;
  level: number;
  /** The key of the context's row that it stands in; undefined in the main context. */
  parent: string | undefined;
  isOpen?: boolean;
}
export interface MessageRow extends Placed {
  kind: 'message';
  message: PodMessage;
}
export interface ContextRow extends Placed {
  kind: 'context';
  id: string;
  type: string | null;
  /** Undefined while the server was not asked since it began. */
  node: ContextNode | undefined;
  /** Messages in it and below that are held and wanted. */
  held: number;
  isOpen: boolean;
}
export interface OutgoingRow extends Placed {
  kind: 'outgoing';
  outgoing: Outgoing;
}
export type PodRow = MessageRow | ContextRow | OutgoingRow;

export const messageKey = (seq: number): string => `m:${seq}`;
export const contextKey = (id: string): string => `c:${id}`;

/** The place of a context: its parent is the first that was named for it. */
interface Branch {
  id: string;
  type: string | null;
  parent: Branch | undefined;
  held: number;
  items: (PodMessage | Branch | Outgoing)[];
}

export interface RowsInput {
  messages: readonly PodMessage[];
  outgoing: readonly Outgoing[];
  contexts: ReadonlyMap<string, ContextNode>;
  wanted: Wanted;
  me: string;
  /** One after the other, as they came. */
  isFlat: boolean;
  isOpen: (context: string) => boolean;
}

/** Messages as rows, each in its context, contexts where they begin. */
export function rowsOf(input: RowsInput): PodRow[] {
  const { contexts, isFlat } = input;
  const main: Branch['items'] = [];
  const branches = new Map<string, Branch>();
  const branchOf = (id: string, type: string | undefined, parent: string | undefined): Branch => {
    const known = branches.get(id);
    if (known) return known;
    const node = contexts.get(id);
    const made: Branch = { id, type: node?.type ?? type ?? null, parent: undefined, held: 0, items: [] };
    // Before its parent is looked for: a circle that another program wrote ends here.
    branches.set(id, made);
    const outer = node?.parent ?? parent;
    made.parent = outer === undefined ? undefined : branchOf(outer, undefined, undefined);
    if (isBelow(made.parent, made)) made.parent = undefined;
    (made.parent?.items ?? main).push(made);
    return made;
  };
  const passes = wantedIn(input);
  for (const message of input.messages) {
    if (!passes(message)) continue;
    const { context } = message.envelope;
    if (!context || isFlat) {
      main.push(message);
      continue;
    }
    const branch = branchOf(context.id, context.type, context.parent);
    branch.items.push(message);
    for (let each: Branch | undefined = branch; each; each = each.parent) each.held++;
  }
  for (const outgoing of input.outgoing) {
    const { context } = outgoing.draft;
    (context && !isFlat ? branchOf(context.id, context.type, context.parent).items : main).push(outgoing);
  }
  const rows: PodRow[] = [];
  flatten(main, 1, undefined, input, rows);
  return rows;
}

function isBelow(branch: Branch | undefined, of: Branch): boolean {
  for (let each = branch; each; each = each.parent) if (each === of) return true;
  return false;
}

function flatten(
  items: Branch['items'],
  level: number,
  parent: string | undefined,
  input: RowsInput,
  rows: PodRow[],
): void {
  for (const item of items) {
    if ('envelope' in item) rows.push(messageRow(item, level, parent));
    else if ('draft' in item)
      rows.push({ kind: 'outgoing', key: `o:${item.id}`, level, parent, outgoing: item });
    else {
      const { id, type, held } = item;
      const key = contextKey(id);
      const isOpen = input.isOpen(id);
      rows.push({
        kind: 'context',
        key,
        level,
        parent,
        id,
        type,
        held,
        isOpen,
        node: input.contexts.get(id),
      });
      if (isOpen) flatten(item.items, level + 1, key, input, rows);
    }
  }
}

/** The row of a message is the same as long as its place is, so that nothing is drawn anew. */
const known = new WeakMap<PodMessage, MessageRow>();

function messageRow(message: PodMessage, level: number, parent: string | undefined): MessageRow {
  const before = known.get(message);
  if (before && before.level === level && before.parent === parent) return before;
  const row: MessageRow = { kind: 'message', key: messageKey(message.seq), level, parent, message };
  known.set(message, row);
  return row;
}

/** SUB-06: what the filter lets through, by the gateway's own rules. */
function wantedIn({ wanted, contexts, me }: RowsInput): (message: PodMessage) => boolean {
  const { filter, isConclusions } = wanted;
  if (filter.contexts === 'all' && !filter.kinds && !filter.directed && !isConclusions) return () => true;
  const parents = new Map<string, string>();
  for (const { id, parent } of contexts.values()) if (parent !== null) parents.set(id, parent);
  return ({ envelope }) => {
    const { kind, to, context } = envelope;
    if (isConclusions && !(context && kind === 'conclusion')) return false;
    const type = context && (contexts.get(context.id)?.type ?? context.type);
    const judged: Filterable = {
      kind,
      ...(to && { to }),
      ...(context && { context: { id: context.id, ...(type && { type }), ...parentIn(context) } }),
    };
    if (context?.parent !== undefined && !parents.has(context.id)) parents.set(context.id, context.parent);
    return matchesFilter(judged, filter, { parents, me });
  };
}

const parentIn = ({ parent }: { parent?: string | undefined }) => (parent === undefined ? {} : { parent });
