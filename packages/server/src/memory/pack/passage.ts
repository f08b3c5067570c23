import type { ContextPassage } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import type { ItemRow } from '../queries.ts';
import { sentenceEnd, sentenceStart } from '../text/sentences.ts';
import { Body } from './body.ts';
import { passageOf } from './items.ts';

/** The part of an item that matched, widened to whole sentences; of a long one, as much as `most` characters show. */
export function readPassage(
  database: Database,
  item: ItemRow,
  passage: number,
  terms: ReadonlySet<string>,
  most: number,
): ContextPassage {
  const { begins, ends } = passageOf(database, { item, passage });
  const begin = sentenceStart(item.content, begins);
  const end = sentenceEnd(item.content, Math.max(begin, ends));
  const stretch = item.content.slice(begin, end);
  const text = new Body(stretch, { begin: 0, end: stretch.length, terms }).text(most);
  return { begin, end, text };
}
