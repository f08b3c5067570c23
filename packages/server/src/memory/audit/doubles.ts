import { type GiveWay, goOn } from '../../kernel/give-way.ts';
import { digestHex } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import { wordsOf } from '../text/terms.ts';
import { type DoubleRow, standingAfter } from './queries.ts';

/** Items that are read before others may come first. */
const PORTION = 250;

/** Rows of items that say the same, in the order in which they came. */
export interface Doubles {
  /** Word for word: kind, title, domain and content. */
  exact: number[][];
  /** The same words, apart from case, accents, punctuation and spacing. */
  words: number[][];
}

/**
 * Finds what stands twice in one place. Turns of conversations do not count: people say the same on many days, and each time
 * it is something that was said.
 */
export async function findDoubles(
  database: Database,
  partitions: readonly Partition[],
  giveWay: GiveWay = goOn,
): Promise<Doubles> {
  const found: Doubles = { exact: [], words: [] };
  for (const { number } of partitions) {
    const exact = new Map<string, number[]>();
    const alike = new Map<string, number[]>();
    let last = -1;
    for (;;) {
      await giveWay();
      const items = standingAfter(database, number, last, PORTION);
      if (items.length === 0) break;
      last = items.at(-1)!.row;
      for (const item of items.filter(({ thread }) => thread === null)) {
        add(exact, exactKey(item), item.row);
        add(alike, wordsKey(item), item.row);
      }
    }
    const doubled = [...exact.values()].filter((rows) => rows.length > 1);
    found.exact.push(...doubled);
    // Of exact doubles one speaks for all.
    const spokenFor = new Set(doubled.flatMap((rows) => rows.slice(0, -1)));
    for (const rows of alike.values()) {
      const different = rows.filter((row) => !spokenFor.has(row));
      if (different.length > 1) found.words.push(different);
    }
  }
  return found;
}

function add(known: Map<string, number[]>, key: string, row: number): void {
  const rows = known.get(key);
  if (rows) rows.push(row);
  else known.set(key, [row]);
}

function exactKey({ kind, title, domain, content }: DoubleRow): string {
  return digestHex(32, JSON.stringify([kind, title, domain, content.trim()]));
}

function wordsKey({ title, content }: DoubleRow): string {
  const words = wordsOf(content);
  // What is written in signs alone has no words to compare.
  const said = words.length === 0 ? content.trim() : words.join(' ');
  return digestHex(32, JSON.stringify([wordsOf(title ?? '').join(' '), said]));
}
