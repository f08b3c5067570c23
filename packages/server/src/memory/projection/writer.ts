import { digestHex } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { MemoryPlace, StoredItem, StoredRelation } from '../events.ts';
import { digestOf, type ItemRow, itemInPartition, type Partition, partitionAt } from '../queries.ts';
import { dayOf } from '../text/calendar.ts';
import { FLAG, flagsOf } from '../text/flags.ts';
import { type Role, roleOf } from '../text/intent/roles.ts';
import { matterTerms } from '../text/intent/wish-words.ts';
import { conditionTerms, type Wish, wishesIn } from '../text/intent/wishes.ts';
import type { LanguageCode } from '../text/languages/language.ts';
import { nameParts } from '../text/names.ts';
import { MOST_PASSAGES, type Passage, splitPassages } from '../text/passages.ts';
import { domainTerm, identifierTermsOf, languageOf, languageTerm, readText } from '../text/terms.ts';
import { timesIn } from '../text/times.ts';
import { ENTRY_ROWS, PARTITION_SIZE } from './tables.ts';

const MOST_MOMENTS = 6;
/** Longer spans ("in 2019", "the last ten years") say too little to be looked up by. */
const LONGEST_MOMENT = 370;
/** Characters of an item that tell its language. */
const TELLING = 4000;
/** Turns without an ordinal stand after those that have one, in the order in which they came. */
const UNNUMBERED = 1e12;

/** Writes the items of one event. What it counts is written back when the event is done. */
export class ItemWriter {
  readonly #database: Database;
  readonly #partition: Partition;
  /** Row of the next passage. */
  #next: number;
  readonly #threads = new Map<string, { row: number; added: number }>();
  readonly #authors = new Map<string, { row: number; added: number }>();
  readonly #languages = new Map<string, number>();
  #newPassages = 0;
  #newWords = 0;

  readonly #end: number;

  /** `first` is the number, within its partition, of the first row that it may use, `rows` how many there are. */
  constructor(database: Database, org: string, place: MemoryPlace, first: number, rows: number) {
    this.#database = database;
    this.#partition = partitionAt(database, org, place) ?? makePartition(database, org, place);
    this.#next = this.#partition.number * PARTITION_SIZE + first;
    this.#end = this.#next + rows;
  }

  write(item: StoredItem, createdAt: number, seq: number): void {
    const database = this.#database;
    const row = this.#next;
    const day = item.at === undefined ? null : dayOf(item.at);
    if (day !== null) this.#partition.last_day = Math.max(this.#partition.last_day ?? day, day);
    if (item.forgotten) {
      this.#next += item.forgotten.rows;
      for (const relation of item.relations ?? []) {
        supersede(database, this.#partition.org, this.#partition, item, relation);
      }
      return;
    }
    const passages = this.index(item, createdAt);
    this.#insertItem(row, item, createdAt, seq, passages);
    for (const relation of item.relations ?? []) {
      relate(database, this.#partition.org, this.#partition, { row, id: item.id }, relation);
    }
  }

  /** Makes what is searched of an item, at the next rows; answers how many passages it has. */
  index(item: StoredItem, createdAt: number): number {
    const database = this.#database;
    const row = this.#next;
    const day = item.at === undefined ? null : dayOf(item.at);
    const author = item.author === undefined ? null : this.#author(item.author);
    const thread = item.thread === undefined ? null : this.#thread(item.thread);
    const position = thread === null ? null : (item.ordinal ?? UNNUMBERED + (row % PARTITION_SIZE));
    const title = [item.title ?? '', ...(item.tags ?? [])].join(' ');
    const passages = splitPassages(item.content, Math.min(MOST_PASSAGES, this.#end - row));
    // A table or a heading hardly tells its language; the item that it belongs to does.
    const usual = passages.length === 1 ? undefined : languageOf(item.content.slice(0, TELLING));
    let titleTerms: string | undefined;
    const domain = item.domain === undefined ? null : domainTerm(item.domain);
    const said = dayOf(item.at ?? createdAt);
    const role = roleOf(item);
    const spoken = role === undefined ? 0 : FLAG[role];
    for (const [place, passage] of passages.entries()) {
      const text = passages.length === 1 ? item.content : item.content.slice(passage.begin, passage.end);
      const passageRow = row + place;
      const { terms, parts, language } = readText(text, usual);
      titleTerms ??= headingTerms(title, usual ?? language);
      const heading = `${titleTerms} ${headingTerms(passage.heading, usual ?? language)}`.trim();
      const times = timesIn(text, said, language).filter(
        ({ from, to }) => to >= from && to - from <= LONGEST_MOMENT,
      );
      const exact = identifierTermsOf(place === 0 ? `${item.title ?? ''} ${text}` : text);
      const words = terms.join(' ');
      database.run(
        'INSERT INTO memory_passage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        passageRow,
        row,
        place,
        passage.begin,
        passage.end,
        thread,
        position,
        author,
        day,
        flagsOf(text, times.length > 0, language) | spoken,
        domain,
        heading,
        exact.length === 0 ? words : `${words} ${exact.join(' ')}`,
        language === 'en' ? null : language,
      );
      database.run(
        'INSERT INTO memory_text (rowid, terms) VALUES (?, ?)',
        passageRow,
        [
          heading,
          words,
          ...parts,
          ...exact,
          domain ?? '',
          language === 'en' ? '' : languageTerm(language),
        ].join(' '),
      );
      for (const { from, to } of times.slice(0, MOST_MOMENTS)) {
        database.run('INSERT OR IGNORE INTO memory_moment VALUES (?, ?, ?)', from, passageRow, to);
      }
      this.#newWords += terms.length;
      if (language !== 'en') this.#languages.set(language, (this.#languages.get(language) ?? 0) + 1);
    }
    this.#insertWishes(row, item, createdAt, role, passages);
    this.#next += passages.length;
    this.#newPassages += passages.length;
    return passages.length;
  }

  /** Of what assistants say nothing is a wish; what somebody stored as a rule is one for goals that are about it. */
  #insertWishes(
    row: number,
    item: StoredItem,
    createdAt: number,
    role: Role | undefined,
    passages: readonly Passage[],
  ): void {
    const wishes = wishesOf(item, role);
    const language = wishes.length === 0 ? 'en' : languageOf(item.content.slice(0, TELLING));
    for (const { begin, end, kind, condition, isGeneral } of wishes) {
      const place = passages.findLastIndex((passage) => passage.begin <= begin);
      this.#database.run(
        'INSERT OR IGNORE INTO memory_wish VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        this.#partition.number,
        item.at ?? createdAt,
        row,
        begin,
        end,
        row + Math.max(0, place),
        kind,
        conditionTerms(condition, language).join(' '),
        matterTerms(item.content.slice(begin, Math.min(end, begin + TELLING)), language).join(' '),
        isGeneral ? 1 : 0,
      );
    }
  }

  #insertItem(row: number, item: StoredItem, createdAt: number, seq: number, passages: number): void {
    const status = item.metadata?.status;
    const tracked = item.kind === 'task' || item.kind === 'epic';
    this.#database.run(
      `INSERT INTO memory_item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?)`,
      row,
      item.id,
      this.#partition.number,
      item.kind,
      item.title ?? null,
      item.domain ?? null,
      item.tags === undefined ? null : JSON.stringify(item.tags),
      item.metadata === undefined ? null : JSON.stringify(item.metadata),
      tracked && typeof status === 'string' ? normalStatus(status) : null,
      item.source ?? null,
      item.url ?? null,
      item.origin,
      item.author ?? null,
      item.role ?? null,
      item.thread ?? null,
      item.ordinal ?? null,
      item.at ?? null,
      item.valid_at ?? null,
      createdAt,
      createdAt,
      passages,
      seq,
      digestOf(item),
      item.content,
    );
  }

  /** Writes back what was counted. */
  finish(): void {
    const { number, last_day } = this.#partition;
    let threads = 0;
    for (const [name, { row, added }] of this.#threads) {
      if (this.#database.run('UPDATE memory_thread SET items = items + ? WHERE row = ?', added, row) > 0)
        continue;
      this.#database.run('INSERT INTO memory_thread VALUES (?, ?, ?, ?)', row, number, name, added);
      threads++;
    }
    for (const [name, { row, added }] of this.#authors) {
      this.#database.run(
        `INSERT INTO memory_author VALUES (?, ?, ?, ?)
         ON CONFLICT (row) DO UPDATE SET items = items + excluded.items`,
        row,
        number,
        name,
        added,
      );
      // Nobody is called "user": that is a role.
      for (const alias of roleOf({ author: name }) ? [] : nameParts(name)) {
        this.#database.run('INSERT OR IGNORE INTO memory_alias VALUES (?, ?, ?)', number, alias, row);
      }
    }
    for (const [language, passages] of this.#languages) {
      this.#database.run(
        `INSERT INTO memory_language VALUES (?, ?, ?)
         ON CONFLICT (partition, language) DO UPDATE SET passages = passages + excluded.passages`,
        number,
        language,
        passages,
      );
    }
    this.#database.run(
      `UPDATE memory_partition SET last_day = ?, passages = passages + ?, words = words + ?, threads = threads + ?
       WHERE number = ?`,
      last_day,
      this.#newPassages,
      this.#newWords,
      threads,
      number,
    );
  }

  #author(name: string): number {
    return counted(this.#authors, this.#partition.number, name);
  }

  #thread(name: string): number {
    return counted(this.#threads, this.#partition.number, name);
  }
}

function headingTerms(text: string, usual: LanguageCode): string {
  return text.trim() === '' ? '' : readText(text, usual).terms.join(' ');
}

function counted(
  known: Map<string, { row: number; added: number }>,
  partition: number,
  name: string,
): number {
  const found = known.get(name) ?? {
    row: Number.parseInt(digestHex(12, String(partition), name), 16),
    added: 0,
  };
  found.added++;
  known.set(name, found);
  return found.row;
}

const RULES = new Set(['rule', 'preference']);

function wishesOf({ kind, content }: StoredItem, role: Role | undefined): Wish[] {
  if (role === 'person') return wishesIn(content);
  if (!RULES.has(kind)) return [];
  return [{ begin: 0, end: content.length, kind: 'kept', condition: '', isGeneral: false }];
}

function makePartition(database: Database, org: string, place: MemoryPlace): Partition {
  database.run(
    `INSERT INTO memory_partition (org, scope, project_id, principal, agent_id, passages, words, threads)
     VALUES (?, ?, ?, ?, ?, 0, 0, 0)`,
    org,
    place.scope,
    place.project_id,
    place.principal,
    place.agent_id,
  );
  return partitionAt(database, org, place)!;
}

/** "In Progress" and "in_progress" are one state. */
export function normalStatus(status: string): string {
  return status
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** Adds a relation. */
export function relate(
  database: Database,
  org: string,
  partition: { number: number },
  source: { row: number; id: string },
  relation: StoredRelation,
): void {
  const target = targetOf(database, org, partition, relation);
  if (!target) return;
  database.run(
    'INSERT OR IGNORE INTO memory_relation VALUES (?, ?, ?)',
    source.row,
    relation.type,
    target.row,
  );
  supersede(database, org, partition, source, relation);
}

/** What is superseded leaves the index at once: no query has to remember to skip it. */
export function supersede(
  database: Database,
  org: string,
  partition: { number: number },
  source: { id: string },
  relation: StoredRelation,
): void {
  const target = relation.type === 'supersedes' ? targetOf(database, org, partition, relation) : undefined;
  if (!target || target.superseded_by !== null) return;
  removeFromIndex(database, target.row);
  database.run('UPDATE memory_item SET superseded_by = ? WHERE row = ?', source.id, target.row);
}

/** Takes a relation back. Its source may have been forgotten since, and what it superseded stands again all the same. */
export function unrelate(
  database: Database,
  org: string,
  partition: Partition,
  source: string,
  relation: StoredRelation,
): void {
  const target = targetOf(database, org, partition, relation);
  if (!target) return;
  const from = itemInPartition(database, partition.number, source);
  if (from) {
    database.run(
      'DELETE FROM memory_relation WHERE source = ? AND type = ? AND target = ?',
      from.row,
      relation.type,
      target.row,
    );
  }
  if (relation.type === 'supersedes' && target.superseded_by === source) {
    restore(database, org, relation.place ?? partition, target);
  }
}

/** Puts what was superseded back into the index, at the rows that it had. */
function restore(database: Database, org: string, place: MemoryPlace, item: ItemRow): void {
  const writer = new ItemWriter(database, org, place, item.row % PARTITION_SIZE, item.passages);
  writer.index(storedItemOf(item), item.created_at);
  writer.finish();
  database.run('UPDATE memory_item SET superseded_by = NULL WHERE row = ?', item.row);
  // Vectors are made in the order of entries: who makes them must look at this one again.
  if (database.hasTable('cache_memory_model')) {
    const entry = Math.floor((item.row % PARTITION_SIZE) / ENTRY_ROWS);
    database.run('UPDATE cache_memory_model SET done = min(done, ?)', entry - 1);
  }
}

/** An item as its event held it, less its relations. */
function storedItemOf(item: ItemRow): StoredItem {
  const { id, kind, origin, content, title, domain, author, role, thread, ordinal, at } = item;
  return {
    ...{ id, kind, origin, content },
    ...(title === null ? {} : { title }),
    ...(domain === null ? {} : { domain }),
    ...(item.tags === null ? {} : { tags: JSON.parse(item.tags) as string[] }),
    ...(author === null ? {} : { author }),
    ...(role === null ? {} : { role }),
    ...(thread === null ? {} : { thread }),
    ...(ordinal === null ? {} : { ordinal }),
    ...(at === null ? {} : { at }),
  };
}

function targetOf(database: Database, org: string, partition: { number: number }, relation: StoredRelation) {
  const place = relation.place ? partitionAt(database, org, relation.place) : partition;
  return place && itemInPartition(database, place.number, relation.id);
}

interface IndexedPassage {
  row: number;
  thread: number | null;
  author: number | null;
  terms: string;
  language: string | null;
}

/** Takes an item's passages out of everything that is searched. */
export function removeFromIndex(database: Database, row: number): void {
  const passages = database.all<IndexedPassage>(
    `SELECT row, thread, author, terms, language FROM memory_passage WHERE row >= ?1 AND row < ?1 + ?2 AND item = ?1`,
    row,
    ENTRY_ROWS,
  );
  const [first] = passages;
  if (!first) return;
  // A cache beside the tables, which goes with them: what is forgotten leaves no vector behind (PACK-15).
  const hasVectors = database.hasTable('cache_memory_vector');
  for (const passage of passages) {
    if (hasVectors) database.run('DELETE FROM cache_memory_vector WHERE row = ?', passage.row);
    database.run('DELETE FROM memory_text WHERE rowid = ?', passage.row);
    database.run('DELETE FROM memory_moment WHERE passage = ?', passage.row);
    database.run('DELETE FROM memory_passage WHERE row = ?', passage.row);
    if (passage.language !== null)
      leaveLanguage(database, Math.floor(row / PARTITION_SIZE), passage.language);
  }
  database.run('DELETE FROM memory_wish WHERE item = ?', row);
  const words = passages.reduce((sum, { terms }) => sum + countWords(terms), 0);
  const threads = first.thread === null ? 0 : leaveThread(database, first.thread);
  database.run(
    'UPDATE memory_partition SET passages = passages - ?, words = words - ?, threads = threads - ? WHERE number = ?',
    passages.length,
    words,
    threads,
    Math.floor(row / PARTITION_SIZE),
  );
  if (first.author !== null) leaveAuthor(database, first.author);
}

/** Exact names were indexed, but are not words. */
function countWords(terms: string): number {
  return terms === '' ? 0 : terms.split(' ').filter((term) => term !== '' && !term.startsWith('x_')).length;
}

function leaveLanguage(database: Database, partition: number, language: string): void {
  database.run(
    'UPDATE memory_language SET passages = passages - 1 WHERE partition = ? AND language = ?',
    partition,
    language,
  );
  database.run(
    'DELETE FROM memory_language WHERE partition = ? AND language = ? AND passages = 0',
    partition,
    language,
  );
}

function leaveThread(database: Database, thread: number): number {
  database.run('UPDATE memory_thread SET items = items - 1 WHERE row = ?', thread);
  return database.run('DELETE FROM memory_thread WHERE row = ? AND items = 0', thread);
}

function leaveAuthor(database: Database, author: number): void {
  database.run('UPDATE memory_author SET items = items - 1 WHERE row = ?', author);
  const gone = database.get<{ partition: number; name: string }>(
    'DELETE FROM memory_author WHERE row = ? AND items = 0 RETURNING partition, name',
    author,
  );
  for (const alias of gone ? nameParts(gone.name) : []) {
    database.run(
      'DELETE FROM memory_alias WHERE partition = ? AND alias = ? AND author = ?',
      gone!.partition,
      alias,
      author,
    );
  }
}

/** Takes an item away altogether. */
export function removeItem(database: Database, row: number): void {
  removeFromIndex(database, row);
  database.run('DELETE FROM memory_relation WHERE source = ?1 OR target = ?1', row);
  database.run('DELETE FROM memory_item WHERE row = ?', row);
}
