import { signs } from '../../text/intent/signs.ts';
import { DENYING, isFrame, TURNING } from '../../text/intent/wish-words.ts';
import type { LanguageCode } from '../../text/languages/language.ts';
import { languageOf, termOf, tokensOf } from '../../text/terms.ts';
import { synonymsOf } from '../../text/thesaurus/index.ts';

const DENIED_WITHOUT_SPACES = /ない|なく|ません|禁止|不|别|勿|않|마세요|금지/u;
const TURNED_WITHOUT_SPACES = /嫌|讨厌|싫/u;
/** Deny nothing, whatever they look like. */
const IDIOMS = new RegExp(
  signs(`no-exceptions? without-(?:any-)?exceptions? no-matter not-only if-not or-not no-doubt no-problem
  ohne-ausnahmen? nicht-nur sans-exceptions? sin-excepci[oó]n(?:es)? sem-exceç(?:ão|ões) senza-eccezion[ei] zonder-uitzondering
  без-исключений`),
  'giu',
);
/** What is said after these is what somebody does not want, up to the end of the clause. */
const CONTRAST = [
  signs(`instead-of rather-than statt anstatt anstelle-von plutôt-que au-lieu-d(?:e|es|u) en-vez-de en-lugar-de em-vez-de
  ao-invés-de invece-(?:di|che) piuttosto-che in-plaats-van вместо а-не`),
  /(?<=\b(?:prefer|favou?r|choose|like)\p{L}* (?:\S+ ){1,4})over(?= )/iu,
  /(?<=\bprefer\p{L}* (?:\S+ ){1,3})to(?= (?!be )\p{L}+)/iu,
  /(?<=\b(?:lieber|liever) (?:\S+ ){1,4})(?:als|dan)(?= )/iu,
  /(?<=[,;–—]\s*(?:(?:and|but|und|aber) )?)(?:not|no|nicht|keine?n?|pas|niet|geen|не)(?= (?:\S+ ?){1,3}(?:[.,;!]|$))/iu,
];
const CLAUSE_END = /[.,;:!?–—]|$/u;
/** A word that says something, and what stands beside it. */
interface Said {
  term: string;
  before: string;
  after: string;
}

interface Will {
  said: readonly Said[];
  terms: ReadonlySet<string>;
  rejects: ReadonlySet<string>;
  isDenied: boolean;
}

/** Whether a text says that something is not so. */
export function isDenied(text: string): boolean {
  const plain = text.replace(IDIOMS, ' ');
  const tokens = tokensOf(plain);
  const denies = tokens.some((token) => DENYING.has(token) || token.endsWith("n't"));
  const turns = tokens.filter((token) => TURNING.has(token)).length;
  const unspaced = Number(DENIED_WITHOUT_SPACES.test(plain)) + Number(TURNED_WITHOUT_SPACES.test(plain));
  return (Number(denies) + turns + unspaced) % 2 === 1;
}

/**
 * Of two wishes on one matter: whether they want opposite things (always and never, one thing and another in its place), or whether
 * the second only says the first again. It is the same whichever is asked first.
 */
export function opposes(one: string, other: string): boolean {
  const language = languageOf(`${one} ${other}`);
  const [here, there] = [willOf(one, language), willOf(other, language)];
  if (rejectsWhatIsWanted(here, there) || rejectsWhatIsWanted(there, here)) return true;
  if (here.isDenied === there.isDenied) return isReplaced(here, there, language);
  // "Never in German" and "always in English" go together.
  return isPartOf(here.terms, there.terms) || isPartOf(there.terms, here.terms);
}

function willOf(text: string, language: LanguageCode): Will {
  const { wanted, rejected } = takeApart(text);
  const said = saidIn(wanted, language);
  return {
    said,
    terms: new Set(said.map(({ term }) => term)),
    rejects: new Set(saidIn(rejected, language).map(({ term }) => term)),
    isDenied: isDenied(wanted),
  };
}

/** "Tabs, not spaces", "tea rather than coffee": what is wanted, and what is not. */
function takeApart(text: string): { wanted: string; rejected: string } {
  let wanted = text.replace(IDIOMS, ' ');
  let rejected = '';
  for (const contrast of CONTRAST) {
    const found = contrast.exec(wanted);
    if (!found) continue;
    const begin = found.index + found[0].length;
    const end = begin + wanted.slice(begin).search(CLAUSE_END);
    rejected += ` ${wanted.slice(begin, end)}`;
    wanted = `${wanted.slice(0, found.index)} ${wanted.slice(end)}`;
  }
  return { wanted, rejected };
}

function saidIn(text: string, language: LanguageCode): Said[] {
  const tokens = tokensOf(text).filter((token) => !isFrame(token));
  return tokens.flatMap((token, index) => {
    const term = termOf(token, language);
    if (term === undefined) return [];
    return [{ term, before: tokens[index - 1] ?? '', after: tokens[index + 1] ?? '' }];
  });
}

function rejectsWhatIsWanted(one: Will, other: Will): boolean {
  if (one.isDenied || other.isDenied) return false;
  return [...one.rejects].some(
    (term) => other.terms.has(term) && !one.terms.has(term) && !other.rejects.has(term),
  );
}

/** Something else stands where something stood: behind the same word, or before it. */
function isReplaced(one: Will, other: Will, language: LanguageCode): boolean {
  const here = one.said.filter(({ term }) => !other.terms.has(term));
  const there = other.said.filter(({ term }) => !one.terms.has(term));
  return here.some((said) =>
    there.some(
      (instead) =>
        isSamePlace(said, instead) &&
        !synonymsOf(said.term, language).includes(instead.term) &&
        !synonymsOf(instead.term, language).includes(said.term),
    ),
  );
}

function isSamePlace(one: Said, other: Said): boolean {
  return (
    (one.before !== '' && one.before === other.before) || (one.after !== '' && one.after === other.after)
  );
}

function isPartOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return part.size > 0 && [...part].every((term) => whole.has(term));
}
