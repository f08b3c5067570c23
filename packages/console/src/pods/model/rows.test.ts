import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { contextsOf, message } from '../pods.suite.ts';
import { podsSearch } from '../search.ts';
import { wantedOf } from '../wanted.ts';
import { type PodRow, type RowsInput, rowsOf } from './rows.ts';

const rows = (given: Partial<RowsInput>, search: object = {}) =>
  rowsOf({
    ...{ messages: [], outgoing: [], contexts: new Map(), me: 'ada', isFlat: false, isOpen: () => true },
    wanted: wantedOf(podsSearch({ ...search })),
    ...given,
  });
const keys = (shown: readonly PodRow[]) => shown.map(({ key, level }) => `${'  '.repeat(level - 1)}${key}`);

describe('rows of a pod', () => {
  const messages = [
    message(1),
    message(2, { id: 'outer' }),
    message(3),
    message(4, { id: 'inner', parent: 'outer' }),
    message(5, { id: 'outer' }),
    message(6),
  ];

  test('stand in their contexts, and contexts where they begin', () => {
    verifies('SUB-04');
    const shown = rows({ messages });
    expect(keys(shown)).toEqual(['m:1', 'c:outer', '  m:2', '  c:inner', '    m:4', '  m:5', 'm:3', 'm:6']);
    expect(shown.find(({ key }) => key === 'c:outer')).toMatchObject({ held: 3, parent: undefined });
    expect(shown.find(({ key }) => key === 'm:4')).toMatchObject({ parent: 'c:inner' });
  });

  test('of contexts that are closed are not there, and one after the other there are no contexts', () => {
    expect(keys(rows({ messages, isOpen: (id) => id !== 'outer' }))).toEqual([
      'm:1',
      'c:outer',
      'm:3',
      'm:6',
    ]);
    expect(keys(rows({ messages, isFlat: true }))).toEqual(['m:1', 'm:2', 'm:3', 'm:4', 'm:5', 'm:6']);
  });

  test('follow what the server knows of contexts, whatever a message says', () => {
    const contexts = contextsOf({ id: 'inner', parent: 'other', type: 'lookup' }, { id: 'other' });
    const shown = rows({ messages: [message(1, { id: 'inner', type: 'x', parent: 'outer' })], contexts });
    expect(keys(shown)).toEqual(['c:other', '  c:inner', '    m:1']);
    expect(shown[1]).toMatchObject({ type: 'lookup' });
  });

  test('end where a history that another program wrote goes in circles', () => {
    const circle = [message(1, { id: 'a', parent: 'b' }), message(2, { id: 'b', parent: 'a' })];
    const contexts = contextsOf({ id: 'a', parent: 'b' }, { id: 'b', parent: 'a' });
    const shown = keys(rows({ messages: circle, contexts }));
    expect(shown.filter((key) => key.includes('m:'))).toHaveLength(2);
    expect(keys(rows({ messages: [message(1, { id: 'a', parent: 'a' })] }))).toEqual(['c:a', '  m:1']);
  });

  test('are those that a filter wants, by the type that a context has and not the one it claims', () => {
    verifies('SUB-06');
    const contexts = contextsOf({ id: 'inner', parent: 'outer' }, { id: 'outer', type: 'plan' });
    const flat = (search: object) => keys(rows({ messages, contexts, isFlat: true }, search));
    expect(flat({ contexts: 'main' })).toEqual(['m:1', 'm:3', 'm:6']);
    expect(flat({ contexts: 'type:plan' })).toEqual(['m:1', 'm:2', 'm:3', 'm:5', 'm:6']);
    expect(flat({ contexts: 'id:outer' })).toEqual(['m:2', 'm:5']);
    expect(flat({ contexts: 'id:outer', descendants: true })).toEqual(['m:2', 'm:4', 'm:5']);
    const others = [
      message(1, undefined, { to: ['bob'] }),
      message(2, undefined, { to: ['ada'] }),
      message(3),
    ];
    expect(keys(rows({ messages: others }, { directed: true }))).toEqual(['m:2', 'm:3']);
    const ends = [
      message(1, { id: 'c' }, { kind: 'conclusion' }),
      message(2, undefined, { kind: 'conclusion' }),
    ];
    expect(keys(rows({ messages: ends, isFlat: true }, { contexts: 'conclusions' }))).toEqual(['m:1']);
  });

  test('are the same ones again where nothing changed, and what is on its way stands in its context', () => {
    const [before, after] = [rows({ messages }), rows({ messages: [...messages, message(7)] })];
    expect(after[2]).toBe(before[2]);
    const outgoing = [
      { id: 'x', at: 0, draft: { kind: 'chat', payload: {}, context: { id: 'outer' } } },
      { id: 'y', at: 0, draft: { kind: 'chat', payload: {} } },
    ];
    expect(keys(rows({ messages: messages.slice(0, 2), outgoing }))).toEqual([
      ...['m:1', 'c:outer', '  m:2', '  o:x', 'o:y'],
    ]);
  });
});
