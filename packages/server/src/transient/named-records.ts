/** What a finding says. */
export interface Said {
  finding: string;
  metadata: Record<string, unknown> | null;
}

export interface PageOfRecords {
  ref: string;
  model: string;
  idColumn: string | null;
  ids: ReadonlySet<string>;
}

const TOKEN = /[\p{L}\p{N}_-]+|[^\s\p{L}\p{N}_-]/gu;
const HAS_DIGIT = /\p{N}/u;
const ONLY_DIGITS = /^\p{N}+$/u;
const SEPARATOR = /^(?:[,;&+]|and|or)$/i;
/** What a sentence about records goes on with; after a count comes what was counted. */
const GOES_ON = /^(?:[.;:,)\]→–]|are|is|were|was|to|into|as|belongs?|should|needs?|have|has|go|goes)$/i;
const PART_OF_A_FIGURE_BEFORE = /[.,:/$€£-]/;
const PART_OF_A_FIGURE_AFTER = /^(?:[%/-]|[.,:]\d)/;
const INTRODUCTION = /^(?:ids?|records?|rows?)$/;
const METADATA_KEY = /(?:^|_)ids?$|Ids?$/;

/**
 * The pages that hold the records which findings name; undefined where they name none. It errs on the side of seeing no
 * name: a page that was not meant must not be said to be used up.
 *
 * Surely named are ids under a key such as `ids` or `record_id` in metadata, and in the text behind `id`, `record`, `#` or
 * the model's name. Ids of letters and digits (`T-1042`) and lists of bare numbers (`72 and 75 are …`) count where a page
 * holds them: `3 activities` is a number of records and no record.
 */
export function pagesNamed(findings: readonly Said[], pages: readonly PageOfRecords[]): string[] | undefined {
  const words = new Set(
    pages.flatMap(({ model, idColumn }) => [...forms(model), idColumn?.toLowerCase() ?? '']),
  );
  const known = new Set(pages.flatMap(({ ids }) => [...ids]));
  const named = new Set<string>();
  for (const { finding, metadata } of findings) {
    for (const id of idsInMetadata(metadata, words)) named.add(id);
    for (const { ids, introduced, bare } of listsIn(finding, words)) {
      const isList = bare && ids.every((id) => known.has(id));
      for (const id of ids) {
        if (introduced || isList || (!ONLY_DIGITS.test(id) && known.has(id))) named.add(id);
      }
    }
  }
  if (named.size === 0) return undefined;
  return pages.filter(({ ids }) => [...named].some((id) => ids.has(id))).map(({ ref }) => ref);
}

interface IdList {
  ids: string[];
  /** By a word that says that ids follow. */
  introduced: boolean;
  /** Two or more whole numbers that are no part of a figure and count nothing. */
  bare: boolean;
}

/** Words with digits in them, as the lists in which they stand. */
function listsIn(text: string, words: ReadonlySet<string>): IdList[] {
  const tokens = [...text.matchAll(TOKEN)];
  const wordAt = (place: number) => tokens[place]?.[0] ?? '';
  const isId = (place: number) => HAS_DIGIT.test(wordAt(place));
  const lists: IdList[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (!isId(at)) continue;
    const first = at;
    const ids = [wordAt(at)];
    for (;;) {
      let next = at + 1;
      while (next <= at + 2 && SEPARATOR.test(wordAt(next))) next++;
      if (next > at + 1 && wordAt(next) === '#') next++;
      if (next === at + 1 || !isId(next)) break;
      ids.push(wordAt(next));
      at = next;
    }
    const isMark = /^[:#=]$/.test(wordAt(first - 1));
    const before = wordAt(isMark ? first - 2 : first - 1).toLowerCase();
    const start = tokens[first]!.index;
    const end = tokens[at]!.index + wordAt(at).length;
    const after = wordAt(at + 1);
    lists.push({
      ids,
      introduced: wordAt(first - 1) === '#' || INTRODUCTION.test(before) || words.has(before),
      bare:
        ids.length > 1 &&
        ids.every((id) => ONLY_DIGITS.test(id)) &&
        !PART_OF_A_FIGURE_BEFORE.test(text.charAt(start - 1)) &&
        !PART_OF_A_FIGURE_AFTER.test(text.slice(end, end + 2)) &&
        (after === '' || GOES_ON.test(after)),
    });
  }
  return lists;
}

function idsInMetadata(metadata: Record<string, unknown> | null, models: ReadonlySet<string>): string[] {
  return Object.entries(metadata ?? {}).flatMap(([key, value]) => {
    if (!METADATA_KEY.test(key) && !models.has(key.toLowerCase())) return [];
    const values = Array.isArray(value) ? value : [value];
    return values.filter((id) => typeof id === 'string' || typeof id === 'number').map(String);
  });
}

/** `activity`, `activitys`, `activities`: whoever writes about them uses one of these. */
function forms(model: string): string[] {
  const name = model.toLowerCase();
  return [name, `${name}s`, `${name}es`, name.replace(/y$/, 'ies')];
}
