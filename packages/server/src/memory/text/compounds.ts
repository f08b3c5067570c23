import { wordsIn } from './languages/index.ts';
import type { LanguageCode } from './languages/language.ts';
import { stemIn } from './languages/stemmers.ts';

/** Languages that write compounds as one word. */
export const COMPOUNDING: ReadonlySet<string> = new Set<LanguageCode>(['de', 'nl']);

/** Shorter words are seldom made of two, and shorter parts are in too many words by chance. */
const SHORTEST_COMPOUND = 8;
const SHORTEST_PART = 4;
const SHORTEST_REST = 3;
/** "Ucht" is in many words by chance, "arbeit" is not. */
const SHORTEST_WITH_VOWEL = 5;
const LONGEST_COMPOUND = 40;

/** How a word can begin and end. A part that could not is none. */
const BEGINNING =
  /^(?:b[lr]?|ch|chr|chl|dr?|f[lr]?|g[lnr]?|h|j|k[lnr]?|l|m|n|p[flr]?|ps|pf[lr]|phr?|qu|r|s|sch[lmnrw]?|sk|sl|sm|sn|sp[lr]?|str?|t[hr]?|v|vl|vr|wr?|zw?)[aeiouy]/;
const VOWEL_BEGINNING = /^[aeiou]/;
const ENDING =
  /[aeiouy](?:[bdfgklmnprstvwxzyh]|ch|chs|cht|chts|ck|cks|bs|ds|ff|fs|ft|fts|hl|hm|hn|hr|hrt|hrts|ht|kt|ld|lds|lf|lg|lk|ll|lm|ls|lt|lts|lz|mm|mp|mpf|ms|nd|nds|nf|nft|ng|ngs|nk|nn|ns|nst|nt|nts|nz|pf|pp|ps|pt|rb|rbs|rch|rd|rds|rf|rg|rgs|rk|rks|rm|rn|rr|rs|rst|rt|rts|rz|sch|ss|st|tt|ts|tz|dt|gs|ks|hls|hns|hrs)?$/;
const LETTERS = /^[a-z]+$/;

/** Beginnings of verbs and nouns that say nothing of themselves. */
const PREFIXES = new Set(
  `aber auf ausser durch einander empf entgegen erst fehl fern fort gegen gegenuber herab heran heraus herein herum herunter hervor
hinab hinaus hinein hinter hinunter haupt miss nach nieder ober rein rund statt uber ubrig unter viel voll voraus vorbei vorher weg
weiter wider wieder wohl zurecht zuruck zusammen zwischen selbst neben eine einen keit heit lich ling ende endes enden ungen isch
achter onder over tegen terug samen voor door mede`
    .split(/\s+/)
    .map((word) => word.trim()),
);

const MOST_KEPT = 20_000;
const kept = new Map<string, readonly string[]>();

/**
 * The words that a long word may be made of, by nothing but how words begin and end: every cut that leaves two pronounceable
 * parts counts. Wrong ones do no harm, since nobody asks for them.
 */
export function partsOf(code: LanguageCode, term: string): readonly string[] {
  if (term.length < SHORTEST_COMPOUND || term.length > LONGEST_COMPOUND) return [];
  let parts = kept.get(term);
  if (!parts) {
    parts = compute(code, term);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(term, parts);
  }
  return parts;
}

function compute(code: LanguageCode, term: string): readonly string[] {
  if (!LETTERS.test(term)) return [];
  const parts = new Set<string>();
  const { stopwords } = wordsIn(code);
  const add = (part: string) => {
    if (part.length >= SHORTEST_PART && !PREFIXES.has(part) && !stopwords.has(part)) parts.add(part);
  };
  for (let cut = SHORTEST_REST; cut <= term.length - SHORTEST_REST; cut++) {
    const [head, tail] = [term.slice(0, cut), term.slice(cut)];
    const isWord = VOWEL_BEGINNING.test(tail) ? tail.length >= SHORTEST_WITH_VOWEL : BEGINNING.test(tail);
    if (!isWord || !ENDING.test(head)) continue;
    add(tail);
    // What joins the parts ("Bahnhof-s-platz") is an ending of the first one.
    add(stemIn(code, head));
  }
  return [...parts];
}

/** The term under which a part of a word is indexed: a word of its own is not the same as a part. */
export function partTerm(part: string): string {
  return `_${part}`;
}
