import type { GatewayFilter } from '@infold/protocol';
import type { PodsSearch } from './search.ts';

export interface Wanted {
  filter: GatewayFilter;
  /** Of contexts only what they came to. */
  isConclusions: boolean;
}

type FilterSearch = Pick<PodsSearch, 'contexts' | 'descendants' | 'kinds' | 'directed'>;

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** The filter that an address asks for. */
export function wantedOf({ contexts = 'all', descendants, kinds, directed }: FilterSearch): Wanted {
  const named = listOf(kinds ?? '');
  const more = { ...(named.length > 0 && { kinds: named }), ...(directed && { directed }) };
  const filter = (value: GatewayFilter['contexts']): GatewayFilter => ({ contexts: value, ...more });
  if (contexts === 'main') return { filter: filter('main'), isConclusions: false };
  if (contexts.startsWith('type:'))
    return { filter: filter({ types: listOf(contexts.slice(5)) }), isConclusions: false };
  if (contexts.startsWith('id:')) {
    const ids = [contexts.slice(3)];
    return { filter: filter({ ids, ...(descendants && { descendants }) }), isConclusions: false };
  }
  return { filter: filter('all'), isConclusions: contexts === 'conclusions' };
}

export const isFiltered = ({ contexts, kinds, directed, find }: PodsSearch): boolean =>
  contexts !== undefined || kinds !== undefined || directed !== undefined || find !== undefined;
