import type { Database } from '../../kernel/sqlite.ts';
import type { Place, StoredItem, StoredRelation } from '../events.ts';
import { digestOf, itemInPartition, type Partition, partitionAt } from '../queries.ts';
import { dayOf } from '../text/calendar.ts';
import { flagsOf } from '../text/flags.ts';
import { calledIn, nameParts } from '../text/names.ts';
import { splitPassages } from '../text/passages.ts';
import { domainTerm, identifierTermsOf, termsOf } from '../text/terms.ts';
import { timesIn } from '../text/times.ts';
import { PARTITION_SIZE } from './tables.ts';

const MOST_MOMENTS = 6;
/** Longer spans ("in 2019", "the last ten years") say too little to be looked up by. */
const LONGEST_MOMENT = 370;
const RECENT_AUTHORS = 2;

interface ThreadState {
  row: number;
  next: number;
  items: number;
  /** The authors who spoke last, the newest first. */
  authors: number[];
}

/** Writes the items of one event. What it looks up is kept until the event is done. */
export class ItemWriter {
  readonly #database: Database;
  readonly #partition: Partition & { next: number };
  readonly #threads = new Map<string, ThreadState>();
  readonly #authors = new Map<string, number>();
  #newThreads = 0;
  #newPassages = 0;
  #newWords = 0;

  constructor(database: Database, org: string, place: Place) {
    this.#database = database;
    const known = partitionAt(database, org, place) ?? makePartition(database, org, place);
    const { next } = database.get<{ next: number }>(
      'SELECT next FROM memory_partition WHERE number = ?',
      known.number,
    )!;
    this.#partition = { ...known, next };
  }

  write(item: StoredItem, createdAt: number, seq: number): void {
    const database = this.#database;
    if (item.forgotten) {
      const gone = { row: 0, id: item.id };
      for (const relation of item.relations ?? []) supersede(database, this.#partition.org, this.#partition, gone, relation);
      return;
    }
    const base = this.#partition.number * PARTITION_SIZE;
    const row = base + this.#partition.next;
    const day = item.at === undefined ? null : dayOf(item.at);
    const author = item.author === undefined ? null : this.#author(item.author);
    const thread = item.thread === undefined ? undefined : this.#thread(item.thread);
    const position = thread === undefined ? null : this.#position(thread, item.ordinal);
    const title = [item.title ?? '', ...(item.tags ?? [])].join(' ');
    const titleTerms = title.trim() === '' ? '' : termsOf(title).join(' ');
    const passages = splitPassages(item.content);
    const domain = item.domain === undefined ? null : domainTerm(item.domain);
    const said = dayOf(item.at ?? createdAt);
    for (const [place, passage] of passages.entries()) {
      const text = passages.length === 1 ? item.content : item.content.slice(passage.begin, passage.end);
      const passageRow = row + place;
      const terms = termsOf(text);
      const heading =
        passage.heading === '' ? titleTerms : `${titleTerms} ${termsOf(passage.heading).join(' ')}`.trim();
      const times = timesIn(text, said).filter(({ from, to }) => to >= from && to - from <= LONGEST_MOMENT);
      const exact = identifierTermsOf(place === 0 ? `${item.title ?? ''} ${text}` : text);
      const words = terms.join(' ');
      database.run(
        'INSERT INTO memory_passage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        passageRow,
        row,
        place,
        passage.begin,
        passage.end,
        thread?.row ?? null,
        position,
        author,
        day,
        flagsOf(text, times.length > 0),
        domain,
        heading,
        exact.length === 0 ? words : `${words} ${exact.join(' ')}`,
      );
      database.run(
        'INSERT INTO memory_text (rowid, terms) VALUES (?, ?)',
        passageRow,
        [heading, words, ...exact, domain ?? ''].join(' '),
      );
      for (const { from, to } of times.slice(0, MOST_MOMENTS)) {
        database.run('INSERT OR IGNORE INTO memory_moment VALUES (?, ?, ?)', from, passageRow, to);
      }
      this.#newWords += terms.length;
    }
    this.#insertItem(row, item, createdAt, seq, passages.length);
    this.#partition.next += passages.length;
    this.#newPassages += passages.length;
    if (day !== null) this.#partition.last_day = Math.max(this.#partition.last_day ?? day, day);
    if (thread && author !== null) this.#noteTurn(thread, author, item.content);
    for (const relation of item.relations ?? []) {
      relate(database, this.#partition.org, this.#partition, { row, id: item.id }, relation);
    }
  }

  #insertItem(row: number, item: StoredItem, createdAt: number, seq: number, passages: number): void {
    const status = item.metadata?.status;
    const tracked = item.kind === 'task' || item.kind === 'epic';
    this.#database.run(
      `INSERT INTO memory_item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)`,
      row,
      item.id,
      this.#partition.number,
      item.kind,
      item.title ?? null,
      item.content,
      item.domain ?? null,
      item.tags === undefined ? null : JSON.stringify(item.tags),
      item.metadata === undefined ? null : JSON.stringify(item.metadata),
      tracked && typeof status === 'string' ? normalStatus(status) : null,
      item.source ?? null,
      item.url ?? null,
      item.origin,
      item.author ?? null,
      item.thread ?? null,
      item.ordinal ?? null,
      item.at ?? null,
      item.valid_at ?? null,
      createdAt,
      createdAt,
      passages,
      seq,
      digestOf(item),
    );
  }

  /** Writes back what was counted. */
  finish(): void {
    const { number, next, last_day } = this.#partition;
    this.#database.run(
      `UPDATE memory_partition SET next = ?, last_day = ?, passages = passages + ?, words = words + ?,
         threads = threads + ? WHERE number = ?`,
      next,
      last_day,
      this.#newPassages,
      this.#newWords,
      this.#newThreads,
      number,
    );
    for (const thread of this.#threads.values()) {
      this.#database.run(
        'UPDATE memory_thread SET items = ?, next = ? WHERE row = ?',
        thread.items,
        thread.next,
        thread.row,
      );
    }
  }

  #author(name: string): number {
    const known = this.#authors.get(name);
    if (known !== undefined) {
      this.#database.run('UPDATE memory_author SET items = items + 1 WHERE row = ?', known);
      return known;
    }
    const { row, items } = this.#database.get<{ row: number; items: number }>(
      `INSERT INTO memory_author (partition, name, items) VALUES (?, ?, 1)
       ON CONFLICT (partition, name) DO UPDATE SET items = items + 1 RETURNING row, items`,
      this.#partition.number,
      name,
    )!;
    if (items === 1) for (const part of nameParts(name)) this.#alias(part, row, 100);
    this.#authors.set(name, row);
    return row;
  }

  #alias(alias: string, author: number, uses: number): void {
    this.#database.run(
      `INSERT INTO memory_alias VALUES (?, ?, ?, ?)
       ON CONFLICT (partition, alias, author) DO UPDATE SET uses = uses + excluded.uses`,
      this.#partition.number,
      alias,
      author,
      uses,
    );
  }

  #thread(name: string): ThreadState {
    const known = this.#threads.get(name);
    if (known) return known;
    const { row, items, next } = this.#database.get<{ row: number; items: number; next: number }>(
      `INSERT INTO memory_thread (partition, name, items, next) VALUES (?, ?, 0, 1)
       ON CONFLICT (partition, name) DO UPDATE SET items = items RETURNING row, items, next`,
      this.#partition.number,
      name,
    )!;
    if (items === 0) this.#newThreads++;
    const authors = this.#database
      .all<{ author: number }>(
        `SELECT author FROM memory_passage WHERE thread = ? AND author IS NOT NULL ORDER BY position DESC LIMIT 4`,
        row,
      )
      .map(({ author }) => author);
    const state = { row, items, next, authors: [...new Set(authors)].slice(0, RECENT_AUTHORS) };
    this.#threads.set(name, state);
    return state;
  }

  /** Where it stands in its thread: as given, else after what is there. */
  #position(thread: ThreadState, ordinal: number | undefined): number {
    const position = ordinal ?? thread.next;
    thread.next = Math.max(thread.next, Math.floor(position) + 1);
    thread.items++;
    return position;
  }

  /** "Thanks, Mel!" right after Melanie spoke: Mel is another name of hers. */
  #noteTurn(thread: ThreadState, author: number, content: string): void {
    const other = thread.authors.find((earlier) => earlier !== author);
    if (other !== undefined) for (const alias of calledIn(content)) this.#alias(alias, other, 1);
    thread.authors = [author, ...thread.authors.filter((earlier) => earlier !== author)].slice(0, RECENT_AUTHORS);
  }
}

function makePartition(database: Database, org: string, place: Place): Partition {
  database.run(
    `INSERT INTO memory_partition (org, scope, project_id, principal, agent_id, next, passages, words, threads)
     VALUES (?, ?, ?, ?, ?, 1, 0, 0, 0)`,
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
  return status.trim().toLowerCase().replace(/[\s-]+/g, '_');
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
  database.run('INSERT OR IGNORE INTO memory_relation VALUES (?, ?, ?)', source.row, relation.type, target.row);
  supersede(database, org, partition, source, relation);
}

/** What is superseded leaves the index at once: no query has to remember to skip it. */
function supersede(
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

function targetOf(database: Database, org: string, partition: { number: number }, relation: StoredRelation) {
  const place = relation.place ? partitionAt(database, org, relation.place) : partition;
  return place && itemInPartition(database, place.number, relation.id);
}

/** Takes an item's passages out of everything that is searched. */
export function removeFromIndex(database: Database, row: number): void {
  const passages = database.all<{ row: number; thread: number | null; author: number | null; terms: string }>(
    'SELECT passage.row, thread, author, terms FROM memory_passage AS passage WHERE row >= ?1 AND item = ?1 AND row < ?1 + 65536',
    row,
  );
  for (const passage of passages) {
    database.run('DELETE FROM memory_text WHERE rowid = ?', passage.row);
    database.run('DELETE FROM memory_moment WHERE passage = ?', passage.row);
    database.run('DELETE FROM memory_passage WHERE row = ?', passage.row);
  }
  const [first] = passages;
  if (!first) return;
  const words = passages.reduce((sum, { terms }) => sum + terms.split(' ').length, 0);
  database.run(
    'UPDATE memory_partition SET passages = passages - ?, words = max(0, words - ?) WHERE number = ?',
    passages.length,
    words,
    Math.floor(row / PARTITION_SIZE),
  );
  if (first.thread !== null) {
    database.run('UPDATE memory_thread SET items = items - 1 WHERE row = ?', first.thread);
  }
  if (first.author !== null) {
    database.run('UPDATE memory_author SET items = items - 1 WHERE row = ?', first.author);
  }
}

/** Takes an item away altogether. */
export function removeItem(database: Database, row: number): void {
  removeFromIndex(database, row);
  database.run('DELETE FROM memory_relation WHERE source = ?1 OR target = ?1', row);
  database.run('DELETE FROM memory_item WHERE row = ?', row);
}
