import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';

export interface MatchedAuthor {
  row: number;
  name: string;
  /** The words of the goal that mean this person. */
  words: string[];
}

const WORD = /[\p{L}][\p{L}\p{M}'’-]*/gu;
const SHORTEST_NICKNAME = 3;
const SELF = ['user', 'human', 'me'];
const OTHER = ['assistant', 'ai', 'bot', 'model', 'system'];

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
): MatchedAuthor[] {
  const spoken = [...text.matchAll(WORD)].map(([word]) => word.replace(/['’]s?$/, ''));
  const words = [...new Set(spoken.map((word) => word.toLowerCase()))];
  const capitalised = new Set(
    spoken.filter((word) => /^\p{Lu}/u.test(word)).map((word) => word.toLowerCase()),
  );
  const found = new Map<number, MatchedAuthor>();
  const add = ({ author, name }: AliasRow, word: string) => {
    const known = found.get(author) ?? { row: author, name, words: [] };
    if (!known.words.includes(word)) known.words.push(word);
    found.set(author, known);
  };
  for (const partition of partitions) {
    if (partition.passages === 0) continue;
    const rows = aliasesIn(database, partition.number, words);
    const matched = new Set<string>();
    for (const row of rows) {
      add(row, row.alias);
      matched.add(row.alias);
    }
    for (const word of capitalised) {
      if (matched.has(word) || word.length < SHORTEST_NICKNAME) continue;
      for (const row of nicknamesIn(database, partition.number, word)) add(row, word);
    }
    for (const row of speakersIn(database, partition.number, words)) add(row, '');
  }
  return [...found.values()].map((author) => ({
    ...author,
    words: author.words.filter((word) => word !== ''),
  }));
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

/** In a dialogue with an assistant "I" is the user and "you" the assistant. */
function speakersIn(database: Database, partition: number, words: readonly string[]): AliasRow[] {
  const wanted = [
    ...(words.some((word) => ['i', 'my', 'me', 'mine'].includes(word)) ? SELF : []),
    ...(words.some((word) => ['you', 'your'].includes(word)) ? OTHER : []),
  ];
  return wanted.length === 0 ? [] : aliasesIn(database, partition, wanted);
}
