import { mainOnly, matchesFilter } from '@infold/client/gateway';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { podsSearch } from './search.ts';
import { wantedOf } from './wanted.ts';

describe('the address of a pod', () => {
  test('keeps what it knows, and nothing else', () => {
    const given = { contexts: 'id:a,b', descendants: true, kinds: 7, node: 'm:12', at: 3, other: 'x' };
    expect(JSON.parse(JSON.stringify(podsSearch(given)))).toEqual({
      ...{ contexts: 'id:a,b', descendants: true, kinds: '7', node: 'm:12', at: 3 },
    });
    const wrong = {
      contexts: 'everything',
      descendants: 'yes',
      node: 'x',
      at: -1,
      besideAt: '4',
      beside: '',
    };
    expect(Object.values(podsSearch(wrong)).every((value) => value === undefined)).toBe(true);
  });

  test('asks for what the gateway’s own address asks for', () => {
    verifies('SUB-06');
    const filter = (search: object) => wantedOf(podsSearch({ ...search })).filter;
    expect(filter({})).toEqual({ contexts: 'all' });
    expect(filter({ contexts: 'main', directed: true })).toEqual({ contexts: 'main', directed: true });
    expect(filter({ contexts: 'type:a, b', kinds: 'chat,mcp/*' })).toEqual({
      contexts: { types: ['a', 'b'] },
      kinds: ['chat', 'mcp/*'],
    });
    // An id may hold a comma.
    expect(filter({ contexts: 'id:a,b', descendants: true })).toEqual({
      contexts: { ids: ['a,b'], descendants: true },
    });
    expect(wantedOf({ contexts: 'conclusions' })).toEqual({
      filter: { contexts: 'all' },
      isConclusions: true,
    });
    const messages = [{ kind: 'chat' }, { kind: 'chat', context: { id: 'c' } }];
    const { filter: main } = wantedOf({ contexts: 'main' });
    expect(messages.filter((message) => matchesFilter(message, main))).toEqual(mainOnly(messages));
  });
});
