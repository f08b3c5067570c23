import { filterPayload, type GatewayFilter, wildcard } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';

/** What filters look at. */
export interface Described {
  kind: string;
  to: readonly string[] | undefined;
  context: string | null;
  type: string | null;
}

export type Ancestors = (context: string) => readonly string[];

export const EVERYTHING: GatewayFilter = { contexts: 'all' };

/** The same text for filters that mean the same, so that their receivers share one evaluation. */
export function filterKey(filter: GatewayFilter): string {
  const { contexts, kinds, directed } = filter;
  const sorted = (list: readonly string[] | undefined) => list && [...new Set(list)].sort();
  return JSON.stringify([
    typeof contexts === 'string'
      ? contexts
      : [sorted(contexts.types), sorted(contexts.ids), contexts.descendants === true],
    sorted(kinds),
    directed === true,
  ]);
}

/** Everything but `directed`, which depends on the receiver. Compiled once, asked once for each message. */
export function compileFilter(filter: GatewayFilter, ancestors: Ancestors): (message: Described) => boolean {
  const inContexts = compileContexts(filter.contexts, ancestors);
  if (!filter.kinds) return inContexts;
  const kinds = filter.kinds.map(wildcard);
  return (message) => kinds.some((matches) => matches(message.kind)) && inContexts(message);
}

function compileContexts(
  contexts: GatewayFilter['contexts'],
  ancestors: Ancestors,
): (message: Described) => boolean {
  if (contexts === 'all') return () => true;
  if (contexts === 'main') return ({ context }) => context === null;
  const types = contexts.types && new Set(contexts.types);
  const ids = new Set(contexts.ids ?? []);
  return ({ context, type }) => {
    // As in the seed: choosing types adds them to the main context, choosing ids means those alone.
    if (context === null) return types !== undefined || contexts.ids === undefined;
    if (type !== null && types?.has(type)) return true;
    if (ids.has(context)) return true;
    return contexts.descendants === true && ids.size > 0 && ancestors(context).some((id) => ids.has(id));
  };
}

/** `contexts=main`, `contexts=type:a,b`, `contexts=id:x`, `kinds`, `directed`, `descendants`; or `filter` as JSON. */
export function filterFromQuery(query: URLSearchParams): GatewayFilter {
  const list = (text: string) => text.split(',').filter((item) => item !== '');
  const yes = (name: string) => ['', '1', 'true'].includes(query.get(name) ?? 'no');
  const contexts = query.get('contexts') ?? 'all';
  const descendants = yes('descendants') ? { descendants: true } : {};
  const kinds = query.get('kinds');
  const whole = query.get('filter');
  if (whole !== null) return wholeFilter(whole);
  const parsed = filterPayload.safeParse({
    contexts: contexts.startsWith('type:')
      ? { types: list(contexts.slice(5)) }
      : contexts.startsWith('id:')
        ? { ids: list(contexts.slice(3)), ...descendants }
        : contexts,
    ...(kinds === null ? {} : { kinds: list(kinds) }),
    ...(yes('directed') ? { directed: true } : {}),
  });
  if (parsed.success) return parsed.data;
  throw new InfoldError(
    'invalid_arguments',
    'contexts must be "all", "main", "type:a,b" or "id:x"; kinds a comma-separated list; directed "true"',
  );
}

/** What `gateway/filter` takes, for a client that comes back with one that the short form cannot say. */
function wholeFilter(text: string): GatewayFilter {
  try {
    return filterPayload.parse(JSON.parse(text));
  } catch {
    throw new InfoldError('invalid_arguments', 'filter must be the payload of gateway/filter, as JSON');
  }
}
