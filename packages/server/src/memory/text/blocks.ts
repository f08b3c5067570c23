import { fenceAfter } from './headings.ts';

/** What a text is made of: each block reaches to where the next begins, with the blank lines behind it. */
export interface Block {
  begin: number;
  end: number;
  kind: 'heading' | 'paragraph' | 'item' | 'code' | 'table';
  /** Number of the list that an item belongs to; 0 for all else. */
  list: number;
}

const FENCE = /^[ \t]*(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+\S/;
/** A bullet or a number, and how far it is indented. */
const ITEM = /^([ \t]*)(?:[-*+•–]|\d{1,3}[.)]|[a-z][)])[ \t]+\S/;
const TABLE = /^ {0,3}\|/;
/** Items that stand so much deeper belong to the one above them. */
const DEEPER = 2;
const INDENT = /^[ \t]*/;

/** Blocks of Markdown or plain text, in order, without a gap. Code belongs to the item of a list that it is indented under. */
export function blocksOf(content: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let fence: string | undefined;
  let isAfterBlank = false;
  let itemIndent = 0;
  let lists = 0;
  const begin = (kind: Block['kind'], place: number, list = 0) => {
    open = { begin: place, end: place, kind, list };
    blocks.push(open);
  };
  for (const { place, line } of linesOf(content)) {
    const end = place + line.length;
    const text = line.trimEnd();
    const indent = INDENT.exec(text)![0].length;
    const isBlank = text === '';
    const marker = FENCE.exec(text);
    const isWithinItem = open?.kind === 'item' && indent > itemIndent;
    if (fence !== undefined) {
      if (marker) fence = fenceAfter(fence, marker[1]!, marker[2]!);
    } else if (isBlank) {
      if (!open) begin('paragraph', place);
    } else if (marker && fenceAfter(undefined, marker[1]!, marker[2]!) !== undefined) {
      fence = marker[1]!;
      if (!isWithinItem) begin('code', place);
    } else if (HEADING.test(text) && !isWithinItem) {
      begin('heading', place);
    } else if (ITEM.test(text)) {
      if (open?.kind !== 'item' || indent < itemIndent + DEEPER) {
        if (open?.kind !== 'item') lists++;
        itemIndent = indent;
        begin('item', place, lists);
      }
    } else if (TABLE.test(text)) {
      if (open?.kind !== 'table' || isAfterBlank) begin('table', place);
    } else if (!goesOn(open, isAfterBlank, isWithinItem)) {
      begin('paragraph', place);
    }
    open!.end = end;
    isAfterBlank = isBlank && fence === undefined;
  }
  return blocks;
}

/** Whether a line of words belongs to the block above it. */
function goesOn(open: Block | undefined, isAfterBlank: boolean, isWithinItem: boolean): boolean {
  if (!open || open.kind === 'heading' || open.kind === 'code' || open.kind === 'table') return false;
  return open.kind === 'item' && isAfterBlank ? isWithinItem : !isAfterBlank;
}

function* linesOf(content: string): Generator<{ place: number; line: string }> {
  for (let place = 0; place < content.length; ) {
    const found = content.indexOf('\n', place);
    const end = found === -1 ? content.length : found + 1;
    yield { place, line: content.slice(place, end) };
    place = end;
  }
}
