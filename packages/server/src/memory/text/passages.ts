import { type Block, blocksOf } from './blocks.ts';
import { headingsOf } from './headings.ts';
import { sentenceStarts } from './sentences.ts';

/** A part of an item's content that is searched by itself and answers for the item. */
export interface Passage {
  begin: number;
  end: number;
  /** Headings that it stands under, where the content is Markdown. */
  heading: string;
}

/** A dialogue turn or a note stays whole; only longer text is split. No passage but the last of too many is longer. */
export const LONGEST_PASSAGE = 1200;
const TARGET = 900;
/** A shorter passage joins its neighbour where both together are not too long. */
export const SHORT_PASSAGE = 300;
/** All passages of an item have row numbers within those of its journal entry. */
export const MOST_PASSAGES = 800;
const LONGEST_HEADING = 500;
/** A line without a stop that is no longer names the list, the table or the code below it. */
const LONGEST_LABEL = 120;

/** A place where a passage may end, and how good that is. */
interface Cut {
  place: number;
  worth: number;
}

/** What a cut is worth, in passages that are as much too long or too short. */
const WORTH = {
  heading: 1.3,
  end: 1,
  block: 0.6,
  item: 0.45,
  sentence: 0.3,
  /** Within a list that fits into a passage with what introduces it. */
  shortList: 0.1,
  /** Between a heading or "as follows:" and what it introduces. */
  introduced: 0,
  word: 0,
};
const SHORT_REST = 0.7;

/** Cuts at headings, paragraphs, items of lists and sentences; within code, items and sentences only where one is too long. */
export function splitPassages(content: string, most = MOST_PASSAGES): Passage[] {
  if (content.length <= LONGEST_PASSAGE) return [{ begin: 0, end: content.length, heading: '' }];
  const places = joinShort(placesFrom(cutsIn(content), content.length));
  if (places.length > most) places.splice(most - 1, places.length - most);
  return withHeadings(content, places);
}

/** Ends of passages: of the cuts within reach the best one, each time. */
function placesFrom(cuts: readonly Cut[], length: number): number[] {
  const places: number[] = [];
  let begin = 0;
  for (let next = 0; begin < length; ) {
    let best: Cut | undefined;
    let value = Number.NEGATIVE_INFINITY;
    while (next < cuts.length && cuts[next]!.place <= begin) next++;
    for (let index = next; index < cuts.length; index++) {
      const cut = cuts[index]!;
      if (cut.place - begin > LONGEST_PASSAGE) break;
      const rest = length - cut.place;
      const lost = rest === 0 || rest >= SHORT_PASSAGE ? 0 : SHORT_REST * (1 - rest / SHORT_PASSAGE);
      const worth = cut.worth - Math.abs(cut.place - begin - TARGET) / TARGET - lost;
      if (worth >= value) [best, value] = [cut, worth];
    }
    begin = best!.place;
    places.push(begin);
  }
  return places;
}

function joinShort(places: readonly number[]): number[] {
  const kept: number[] = [];
  for (const [index, place] of places.entries()) {
    const begin = kept.at(-1) ?? 0;
    const before = kept.at(-2) ?? 0;
    const isShort = place - begin < SHORT_PASSAGE || (kept.length > 0 && begin - before < SHORT_PASSAGE);
    if (index > 0 && isShort && place - before <= LONGEST_PASSAGE) kept.pop();
    kept.push(place);
  }
  return kept;
}

/** Every place where a passage may end, in order. Two of them are never further apart than a passage may be long. */
function cutsIn(content: string): Cut[] {
  const blocks = blocksOf(content);
  const lists = listLengths(blocks);
  const cuts: Cut[] = [];
  for (const [index, block] of blocks.entries()) {
    for (const place of insideOf(content, block)) cuts.push(place);
    const next = blocks[index + 1];
    cuts.push({ place: block.end, worth: next ? worthBetween(content, block, next, lists) : WORTH.end });
  }
  return cuts;
}

function listLengths(blocks: readonly Block[]): Map<number, number> {
  const lengths = new Map<number, number>();
  for (const { list, begin, end } of blocks) lengths.set(list, (lengths.get(list) ?? 0) + end - begin);
  return lengths;
}

function worthBetween(
  content: string,
  block: Block,
  next: Block,
  lists: ReadonlyMap<number, number>,
): number {
  const listLength = lists.get(next.list)!;
  if (next.kind === 'item' && next.list === block.list) {
    return listLength <= TARGET ? WORTH.shortList : WORTH.item;
  }
  const introduction = introductionBefore(content, block, next);
  if (introduction > 0) {
    const introduced = next.kind === 'paragraph' || next.kind === 'heading' ? 1 : next.end - next.begin;
    if (introduction + introduced <= LONGEST_PASSAGE) return WORTH.introduced;
  }
  return next.kind === 'heading' ? WORTH.heading : WORTH.block;
}

/** How long the heading, the label, or the sentence with a colon is that a block ends with; 0 where it has none of them. */
function introductionBefore(content: string, { kind, begin, end }: Block, next: Block): number {
  if (kind === 'heading') return end - begin;
  if (kind !== 'paragraph') return 0;
  if (/[:：*]\s*$/.test(content.slice(Math.max(begin, end - 80), end))) {
    return end - sentenceStarts(content, begin, end).at(-1)!;
  }
  const isLabel = end - begin <= LONGEST_LABEL && !/[.!?…。！？]\s*$/.test(content.slice(begin, end));
  return isLabel && next.kind !== 'paragraph' && next.kind !== 'heading' ? end - begin : 0;
}

/** Cuts within a block: sentences of a paragraph; of all else lines and sentences, only where it is too long to stay whole. */
function insideOf(content: string, { begin, end, kind }: Block): Cut[] {
  if (kind !== 'paragraph' && end - begin <= LONGEST_PASSAGE) return [];
  const starts = kind === 'code' || kind === 'table' ? lineStarts : sentenceStarts;
  const places = [...starts(content, begin, end), end];
  const cuts: Cut[] = [];
  for (const [index, place] of places.entries()) {
    const before = places[index - 1];
    if (before === undefined) continue;
    for (const word of wordsWithin(content, before, place)) cuts.push({ place: word, worth: WORTH.word });
    const isGap = /\n[ \t]*\n\s*$/.test(content.slice(Math.max(before, place - 80), place));
    if (place < end) cuts.push({ place, worth: isGap ? WORTH.item : WORTH.sentence });
  }
  return cuts;
}

function lineStarts(content: string, begin: number, end: number): number[] {
  const starts = [begin];
  for (let found = content.indexOf('\n', begin); found !== -1 && found + 1 < end; ) {
    starts.push(found + 1);
    found = content.indexOf('\n', found + 1);
  }
  return starts;
}

/** Where a sentence that is too long may be cut: before words, or anywhere but within a character. */
function wordsWithin(content: string, begin: number, end: number): number[] {
  const places: number[] = [];
  for (let from = begin; end - from > LONGEST_PASSAGE; ) {
    const space = content.slice(from, from + TARGET).search(/\s\S*$/);
    let place = space >= TARGET / 4 ? from + space + 1 : from + TARGET;
    const code = content.charCodeAt(place);
    if (code >= 0xdc00 && code <= 0xdfff) place--;
    places.push(place);
    from = place;
  }
  return places;
}

/** Each passage with the headings that are above its beginning, and those within it. */
function withHeadings(content: string, places: readonly number[]): Passage[] {
  const headings = [...headingsOf(content)];
  const path: string[] = [];
  let next = 0;
  let begin = 0;
  return places.map((end) => {
    const told = new Set<string>();
    const above = path.filter((part) => part !== undefined).join(' / ');
    // What stood above the passage holds for none of it where it begins with a heading of its own.
    if (above !== '' && headings[next]?.index !== begin) told.add(above);
    for (; next < headings.length && headings[next]!.index < end; next++) {
      const { depth, text } = headings[next]!;
      path.length = Math.min(path.length, depth - 1);
      path[depth - 1] = text;
      told.add(path.filter((part) => part !== undefined).join(' / '));
    }
    const passage = { begin, end, heading: [...told].join(' / ').slice(0, LONGEST_HEADING) };
    begin = end;
    return passage;
  });
}
