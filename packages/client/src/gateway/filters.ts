import type { Envelope, GatewayFilter } from '@infold/protocol';
import { wildcard } from '@infold/protocol/gateway-wire';

/** What filters look at; whole envelopes fit. */
export type Filterable = Pick<Envelope, 'kind' | 'context' | 'to'>;

/** The main context alone. */
export function mainOnly<Message extends Filterable>(messages: readonly Message[]): Message[] {
  return messages.filter(({ context }) => !context);
}

/** The main context, and contexts of these types. */
export function withTypes<Message extends Filterable>(
  messages: readonly Message[],
  ...types: string[]
): Message[] {
  return messages.filter(
    ({ context }) => !context || (context.type !== undefined && types.includes(context.type)),
  );
}

/** What contexts came to. */
export function conclusionsOnly<Message extends Filterable>(messages: readonly Message[]): Message[] {
  return messages.filter(({ context, kind }) => context && kind === 'conclusion');
}

/** One context; with `descendants`, what is nested in it too. */
export function ofContext<Message extends Filterable>(
  messages: readonly Message[],
  id: string,
  options: { descendants?: boolean } = {},
): Message[] {
  const tree = contextParents(messages);
  return messages.filter(({ context }) => {
    if (!context) return false;
    return context.id === id || (options.descendants === true && ancestorsOf(context.id, tree).includes(id));
  });
}

/** The parent of each context: the first one that a message names counts, as in the gateway. */
export function contextParents(messages: readonly Filterable[]): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { context } of messages) {
    if (context?.parent !== undefined && !parents.has(context.id)) parents.set(context.id, context.parent);
  }
  return parents;
}

function ancestorsOf(id: string, parents: ReadonlyMap<string, string>): string[] {
  const path: string[] = [];
  for (
    let parent = parents.get(id);
    parent !== undefined && !path.includes(parent);
    parent = parents.get(parent)
  ) {
    path.push(parent);
  }
  return path;
}

/** The gateway's own filters, for messages that are here already. `me` is needed for `directed`. */
export function matchesFilter(
  message: Filterable,
  filter: GatewayFilter,
  options: { parents?: ReadonlyMap<string, string>; me?: string } = {},
): boolean {
  const { contexts, kinds, directed } = filter;
  if (kinds && !kinds.some((kind) => wildcard(kind)(message.kind))) return false;
  if (directed && message.to && options.me !== undefined && !message.to.includes(options.me)) return false;
  if (contexts === 'all') return true;
  const { context } = message;
  if (contexts === 'main') return !context;
  if (!context) return contexts.types !== undefined || contexts.ids === undefined;
  if (context.type !== undefined && contexts.types?.includes(context.type)) return true;
  const { ids = [] } = contexts;
  if (ids.includes(context.id)) return true;
  if (!contexts.descendants) return false;
  const path = [context.parent, ...ancestorsOf(context.id, options.parents ?? new Map())];
  return path.some((id) => id !== undefined && ids.includes(id));
}
