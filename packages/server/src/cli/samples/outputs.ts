/** What tools of a made-up shop answer: long enough that one sees what leaves a window, and the same every time. */

const AREAS = ['account', 'basket', 'catalog', 'checkout', 'orders', 'payments', 'search', 'shipping'];
const PARTS = ['routes', 'service', 'store', 'events', 'schema', 'format'];

export const PRICES_FILE = 'src/checkout/prices.ts';

export function listing(): string {
  return AREAS.flatMap((area) =>
    PARTS.flatMap((part) => [`src/${area}/${part}.ts`, `src/${area}/${part}.test.ts`]),
  )
    .concat(PRICES_FILE)
    .sort()
    .join('\n');
}

/** A run of all tests, with or without the one that a wrong turn broke. */
export function testRun(isBroken: boolean): string {
  const files = AREAS.flatMap((area, place) =>
    PARTS.map(
      (part, other) =>
        ` ✓ src/${area}/${part}.test.ts (${3 + ((place * 7 + other * 5) % 19)} tests) ${12 + ((place * 31 + other * 17) % 240)}ms`,
    ),
  );
  const failure = [
    ' FAIL  src/checkout/service.test.ts > a price that changes between two pages is told to the customer',
    'AssertionError: expected 1990 to be 2490 // Object.is equality',
    '',
    '- Expected',
    '+ Received',
    '',
    '- 2490',
    '+ 1990',
    '',
    ' ❯ src/checkout/service.test.ts:88:31',
    '     86|     await store.setPrice("mug", 2490);',
    '     87|     const { total } = await checkout.confirm(basket);',
    '     88|     expect(total).toBe(2490);',
    '       |                               ^',
  ];
  return [
    ' RUN  v4.1.0 /home/sample/shop',
    '',
    ...files,
    '',
    ...(isBroken ? failure : []),
    '',
    ` Test Files  ${isBroken ? '1 failed | 47 passed (48)' : '48 passed (48)'}`,
    `      Tests  ${isBroken ? '1 failed | 551 passed (552)' : '552 passed (552)'}`,
    '   Duration  9.41s',
  ].join('\n');
}

export function serverLog(): string {
  return Array.from({ length: 180 }, (_, index) => {
    const second = String(index % 60).padStart(2, '0');
    const minute = String(10 + Math.floor(index / 60)).padStart(2, '0');
    const isSlow = index % 9 === 4;
    const path = isSlow ? '/checkout/confirm' : `/catalog/item-${(index * 37) % 400}`;
    const took = isSlow ? 7600 + ((index * 53) % 900) : 14 + ((index * 29) % 60);
    const queries = isSlow ? 412 : 3;
    return `2026-03-03T09:${minute}:${second}.104Z ${isSlow ? 'WARN ' : 'INFO '} POST ${path} 200 ${took}ms queries=${queries}`;
  }).join('\n');
}

export function pricesFile(isFixed: boolean): string {
  const loop = [
    '  for (const line of basket.lines) {',
    "    const [row] = await database.query('SELECT price FROM price WHERE item = $1', [line.item]);",
    '    prices.set(line.item, row.price);',
    '  }',
  ];
  const once = [
    '  const items = basket.lines.map(({ item }) => item);',
    "  const rows = await database.query('SELECT item, price FROM price WHERE item = ANY($1)', [items]);",
    '  for (const { item, price } of rows) prices.set(item, price);',
  ];
  const rules = AREAS.flatMap((area, place) => [
    `/** What ${area} adds to a price. */`,
    `export function ${area}Share(price: number, quantity: number): number {`,
    `  const rate = ${(place + 1) * 3} / 1000;`,
    '  return Math.round(price * quantity * rate);',
    '}',
    '',
  ]);
  const lines = [
    "import type { Basket } from '../basket/store.ts';",
    "import { database } from '../store.ts';",
    '',
    '/** Prices of everything in a basket, as they are now. */',
    'export async function pricesOf(basket: Basket): Promise<Map<string, number>> {',
    '  const prices = new Map<string, number>();',
    ...(isFixed ? once : loop),
    '  return prices;',
    '}',
    '',
    ...rules,
  ];
  return lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n');
}

export function queryPlan(): string {
  return Array.from({ length: 24 }, (_, index) =>
    [
      `Seq Scan on price  (cost=0.00..18334.00 rows=1 width=8) (actual time=17.${100 + index}..18.${400 + index} rows=1 loops=1)`,
      `  Filter: (item = 'item-${(index * 37) % 400}'::text)`,
      '  Rows Removed by Filter: 999999',
      `Planning Time: 0.0${40 + index} ms`,
      `Execution Time: 18.${420 + index} ms`,
    ].join('\n'),
  ).join('\n\n');
}
