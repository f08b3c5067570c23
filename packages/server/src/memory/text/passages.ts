import { headingsOf } from './headings.ts';

/** A part of an item's content that is searched by itself and answers for the item. */
export interface Passage {
  begin: number;
  end: number;
  /** Headings that it stands under, where the content is Markdown. */
  heading: string;
}

/** A dialogue turn or a note stays whole; only longer text is split. */
const WHOLE = 1200;
const TARGET = 800;
const SMALL = 300;
/** All passages of an item have row numbers within those of its journal entry. */
export const MOST_PASSAGES = 800;

/** Splits at headings, then at paragraphs, sentences and spaces, so that each part is close to the target. */
export function splitPassages(content: string, most = MOST_PASSAGES): Passage[] {
  if (content.length <= WHOLE) return [{ begin: 0, end: content.length, heading: '' }];
  const passages = joined(sectionsOf(content)).flatMap(({ begin, end, heading }) =>
    pieces(content, begin, end).map((piece) => ({ ...piece, heading })),
  );
  if (passages.length <= most) return passages;
  const last = passages[most - 1]!;
  return [...passages.slice(0, most - 1), { ...last, end: content.length }];
}

/** Sections of a line or two are read with what follows them. */
function joined(sections: readonly Passage[]): Passage[] {
  const found: Passage[] = [];
  for (const section of sections) {
    const before = found.at(-1);
    if (!before || before.end - before.begin >= SMALL) {
      found.push({ ...section });
      continue;
    }
    before.end = section.end;
    before.heading = [before.heading, section.heading]
      .filter((heading) => heading !== '')
      .join(' / ')
      .slice(0, 500);
  }
  return found;
}

function sectionsOf(content: string): Passage[] {
  const sections: Passage[] = [];
  const path: string[] = [];
  let begin = 0;
  let heading = '';
  const close = (end: number) => {
    if (content.slice(begin, end).trim() !== '') sections.push({ begin, end, heading });
  };
  for (const { index, depth, text } of headingsOf(content)) {
    close(index);
    begin = index;
    path.length = Math.min(path.length, depth - 1);
    path[depth - 1] = text;
    heading = path.filter((part) => part !== undefined).join(' / ');
  }
  close(content.length);
  return sections;
}

function pieces(content: string, from: number, to: number): { begin: number; end: number }[] {
  const found: { begin: number; end: number }[] = [];
  let begin = from;
  while (to - begin > WHOLE) {
    const end = begin + cutWithin(content.slice(begin, begin + WHOLE));
    found.push({ begin, end });
    begin = end;
  }
  if (begin < to) found.push({ begin, end: to });
  return found;
}

/** The best place to end a piece: after a paragraph, else a line, a sentence, a space; else anywhere. */
function cutWithin(text: string): number {
  for (const boundary of ['\n\n', '\n', '. ', ' ']) {
    const place = text.lastIndexOf(boundary, TARGET);
    if (place >= TARGET / 4) return place + boundary.length;
  }
  // Not within a surrogate pair.
  const code = text.charCodeAt(TARGET - 1);
  return code >= 0xd800 && code <= 0xdbff ? TARGET - 1 : TARGET;
}
