import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import { fold } from '../text/languages/accents.ts';
import { wordsIn } from '../text/languages/index.ts';
import type { LanguageCode } from '../text/languages/language.ts';
import { isGermanNoun } from '../text/names.ts';
import { wordsOf } from '../text/terms.ts';

export interface MatchedAuthor {
  row: number;
  name: string;
  /** The words of the goal that mean this person. */
  words: string[];
}

const WORD = /[\p{L}][\p{L}\p{M}'’-]*/gu;
const SHORTEST_NICKNAME = 3;
/** Names that are words as well, in English and German: they mean somebody only where they have a capital letter of their own. */
const ORDINARY = new Set(
  `will mark may bill rob sue pat art rose grace hope faith joy dawn june april august summer autumn frank rich grant drew chase
  hunter mason page dean guy ray gene jack max miles chance ivy lily olive pearl ruby star sky sunny penny victor angel christian
  jose nick norm pete dot gale wade chuck don skip ace bob buck cliff dale forest glen heath lance rusty sandy stone wood young
  berg ernst falk heide kai klug stern wolf linde jasmin viola flora rosa lang kurz gross klein neu`.split(
    /\s+/,
  ),
);

interface AliasRow {
  alias: string;
  author: number;
  name: string;
}

/** The people whom a goal names, by their names or shorter forms of them. */
export function matchAuthors(
  database: Database,
  partitions: readonly Partition[],
  text: string,
  language: LanguageCode,
): MatchedAuthor[] {
  const spoken = [...text.matchAll(WORD)].map(([word]) => word.replace(/['’]s?$/, ''));
  const words = [...new Set([...spoken.map((word) => fold(word.toLowerCase())), ...wordsOf(text)])];
  const capitalised = new Set(
    spoken
      .filter((word, place) => /^\p{Lu}/u.test(word) && isCalled(language, spoken[place - 1], word))
      .map((word) => fold(word.toLowerCase())),
  );
  // The first word of a sentence has its capital letter whatever it is.
  const named = new Set(
    [...text.matchAll(CAPITALISED_WITHIN)].map(([word]) => fold(word.toLowerCase().replace(/['’]s?$/, ''))),
  );
  const canName = (word: string) => (!ORDINARY.has(word) && !isWord(language, word)) || named.has(word);
  const found = new Map<number, MatchedAuthor>();
  const add = ({ author, name }: AliasRow, word: string) => {
    const known = found.get(author) ?? { row: author, name, words: [] };
    if (!known.words.includes(word)) known.words.push(word);
    found.set(author, known);
  };
  for (const partition of partitions) {
    if (partition.passages === 0) continue;
    const rows = aliasesIn(database, partition.number, words.filter(canName));
    const matched = new Set<string>();
    for (const row of rows) {
      add(row, row.alias);
      matched.add(row.alias);
    }
    for (const word of capitalised) {
      if (matched.has(word) || word.length < SHORTEST_NICKNAME) continue;
      for (const row of nicknamesIn(database, partition.number, word)) add(row, word);
    }
    if (GENITIVE.has(language)) {
      for (const word of capitalised) {
        if (matched.has(word) || !word.endsWith('s')) continue;
        for (const row of aliasesIn(database, partition.number, [word.slice(0, -1)])) add(row, word);
      }
    }
  }
  return [...found.values()];
}

const CAPITALISED_WITHIN = /(?<=[\p{L}\p{N},;:'’)"”] )\p{Lu}[\p{L}\p{M}'’-]*/gu;

function isWord(language: LanguageCode, word: string): boolean {
  const { stopwords, asking } = wordsIn(language);
  return stopwords.has(word) || asking.has(word);
}

/** Languages that say whose by an "s" without an apostrophe. */
const GENITIVE: ReadonlySet<LanguageCode> = new Set(['de', 'nl']);

/** Whether a capitalised word can be what somebody is called: "Wer" is not short for Werner, nor "die Mark" for Markus. */
function isCalled(language: LanguageCode, before: string | undefined, word: string): boolean {
  if (isWord(language, fold(word.toLowerCase()))) return false;
  return language !== 'de' || !isGermanNoun(before, word);
}

function aliasesIn(database: Database, partition: number, words: readonly string[]): AliasRow[] {
  return database.all<AliasRow>(
    `SELECT alias, author, name FROM memory_alias JOIN memory_author ON memory_author.row = author
     WHERE memory_alias.partition = ? AND alias IN (SELECT value FROM json_each(?))`,
    partition,
    JSON.stringify(words),
  );
}

/** "Mel" for Melanie, and Melanie for an author who signs as "Mel". */
function nicknamesIn(database: Database, partition: number, word: string): AliasRow[] {
  const longer = database.all<AliasRow>(
    `SELECT alias, author, name FROM memory_alias JOIN memory_author ON memory_author.row = author
     WHERE memory_alias.partition = ? AND alias > ? AND alias < ? LIMIT 3`,
    partition,
    word,
    `${word}\u{10ffff}`,
  );
  const prefixes = Array.from({ length: Math.max(0, word.length - SHORTEST_NICKNAME) }, (_, index) =>
    word.slice(0, index + SHORTEST_NICKNAME),
  );
  const shorter = aliasesIn(database, partition, prefixes);
  // A prefix that fits several people names none of them.
  const all = [...longer, ...shorter];
  return new Set(all.map(({ author }) => author)).size === 1 ? all.slice(0, 1) : [];
}
