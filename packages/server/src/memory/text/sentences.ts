/** Stops that end no sentence: of abbreviations, of initials, and of numbers in lists and dates. */
const ABBREVIATED =
  '(?<![\\p{L}\\p{N}])(?:\\d{1,2}|\\p{Lu}|e\\.g|i\\.e|z\\. ?B|d\\. ?h|u\\. ?a|Dr|Mrs?|Ms|Prof|St|Nr|No|Abb|Fig|Art|vgl|bzw|ca|cf|vs|Mme|Sra?)';
/** A line that was broken because it was full goes on in the next one, unless that begins something of its own. */
const BROKEN = '(?<=[^\\n]{55}[^\\n.!?…:;|])\\n[ \\t]*(?=[\\p{L}\\p{N}("“„«])(?!\\d{1,3}[.)][ \\t]|[a-z][)])';
/** Ends of sentences: a stop before anything but a small letter, a stop of a script without spaces, a line. */
const END = new RegExp(
  `(?<!${ABBREVIATED})[.!?…]["'”’)\\]]*\\s+(?=[^\\s\\p{Ll}])|[。！？]\\s*|(?!${BROKEN})\\n\\s*`,
  'gu',
);
const LONGEST = 600;

/** Where the sentences of a stretch of text begin, the stretch itself included. */
export function sentenceStarts(text: string, from: number, to: number): number[] {
  const ends = [...text.slice(from, to).matchAll(END)].map(({ index, 0: end }) => from + index + end.length);
  return [from, ...ends.filter((end) => end > from && end < to)];
}

/** Where the sentence begins that holds this place; within an endless one, where the line or the word does. */
export function sentenceStart(text: string, place: number): number {
  const from = Math.max(0, place - LONGEST);
  let start = from === 0 ? 0 : undefined;
  for (const { index, 0: end } of text.slice(from, place + 1).matchAll(END)) {
    if (from + index + end.length <= place) start = from + index + end.length;
  }
  return start ?? wordStart(text, place);
}

/** Where the sentence ends that holds the character before this place; the place itself within an endless one. */
export function sentenceEnd(text: string, place: number): number {
  if (place >= text.length) return text.length;
  const limit = Math.min(text.length, place + LONGEST);
  const next = sentenceStarts(text, sentenceStart(text, Math.max(0, place - 1)), limit).find(
    (start) => start >= place,
  );
  return next ?? (limit === text.length ? limit : place);
}

function wordStart(text: string, place: number): number {
  const from = Math.max(0, place - 100);
  const space = text.slice(from, place + 1).search(/\s\S*$/);
  if (space >= 0) return from + space + 1;
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}
