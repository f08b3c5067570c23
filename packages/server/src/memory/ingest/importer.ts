import type { ImportLine } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { Journal } from '../../journal/journal.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { type GiveWay, goOn } from '../../kernel/give-way.ts';
import { digestHex } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { checkNames, withNames } from '../../trust/secrets/identifiers.ts';
import { memoryStream } from '../../trust/streams.ts';
import { importItem, importItems, type NewItem } from '../commands.ts';
import type { MemoryPlace, StoredItem } from '../events.ts';
import { projectForImport, projectForRehearsal } from '../projects.ts';
import { digestOf, itemOfFile, partitionAt } from '../queries.ts';
import { ITEM_NAMES, itemFrom, placeFor, writeState } from '../write.ts';

export interface BadLine {
  line: number;
  problem: string;
}

export interface ImportReport {
  read: number;
  imported: number;
  /** There already, by id or by content. */
  skipped: number;
  bad: BadLine[];
  /** Secrets that were replaced. */
  secrets: number;
}

export interface ImportOptions {
  journal: Journal;
  scrubber: Scrubber;
  caller: Caller;
  /** Where everything goes; without it, each line says so itself, else it is the caller's own. */
  project?: string | undefined;
  dryRun?: boolean;
  /** Where others are served by the same process. */
  giveWay?: GiveWay;
}

interface Waiting {
  number: number;
  item: NewItem;
  line: ImportLine;
}

/** Many items share an entry, but not so many that the event loop stands still while they are indexed. */
const BATCH = 200;
const BATCH_CHARACTERS = 120_000;
/** A transaction is one piece: where others wait, it is a small one. */
const SHARED_BATCH = 20;
const SHARED_CHARACTERS = 12_000;

/** Takes lines, writes them in batches. What was written before is skipped, so that an import can be run again. */
export class Importer {
  readonly report: ImportReport = { read: 0, imported: 0, skipped: 0, bad: [], secrets: 0 };
  readonly #options: ImportOptions;
  readonly #giveWay: GiveWay;
  readonly #most: { lines: number; characters: number };
  readonly #places = new Map<string, MemoryPlace>();
  /** What a rehearsal would have written by now, by place. */
  readonly #rehearsed = new Map<string, Set<string>>();
  readonly #waiting = new Map<string, { place: MemoryPlace; lines: Waiting[]; characters: number }>();

  constructor(options: ImportOptions) {
    checkNames(options.scrubber, options, ['project']);
    this.#options = options;
    this.#giveWay = options.giveWay ?? goOn;
    this.#most = options.giveWay
      ? { lines: SHARED_BATCH, characters: SHARED_CHARACTERS }
      : { lines: BATCH, characters: BATCH_CHARACTERS };
  }

  refuse(number: number, problem: string): void {
    this.report.read++;
    this.report.bad.push({ line: number, problem });
  }

  async add(number: number, line: ImportLine, origin: 'import' | 'markdown' = 'import'): Promise<void> {
    await this.#giveWay();
    try {
      const names = ['id', ...ITEM_NAMES];
      checkNames(this.#options.scrubber, line, names);
      const place = await this.#placeOf(line);
      const clean = withNames(this.#scrub(line), line, names);
      const item = itemFrom(clean.id ?? '', origin, clean);
      // An id that follows from the content, so that the same line is the same item in every run.
      if (clean.id === undefined)
        item.id = `mem_${digestHex(24, Buffer.from(digestOf(item)).toString('hex'))}`;
      this.report.read++;
      const key = JSON.stringify(place);
      const waiting = this.#waiting.get(key);
      const isFull = waiting && waiting.characters + item.content.length > this.#most.characters;
      // What a line is related to must be there before it.
      if (waiting && (isFull || (clean.relations ?? []).length > 0)) await this.#write(key);
      const batch = this.#waiting.get(key) ?? { place, lines: [], characters: 0 };
      this.#waiting.set(key, batch);
      batch.lines.push({ number, item, line: clean });
      batch.characters += item.content.length;
      if (batch.lines.length >= this.#most.lines) await this.#write(key);
    } catch (error) {
      // The journal's own failures end the import; what is wrong with a line concerns that line.
      if (!InfoldError.isInstance(error) || error.retryable) throw error;
      this.refuse(number, error.message);
    }
  }

  async finish(): Promise<ImportReport> {
    for (const key of [...this.#waiting.keys()]) await this.#write(key);
    this.report.bad.sort((one, other) => one.line - other.line);
    return this.report;
  }

  async #placeOf(line: ImportLine): Promise<MemoryPlace> {
    const { journal, caller, project, dryRun } = this.#options;
    const spec = project ?? line.project;
    const known = this.#places.get(spec ?? '');
    if (known) return known;
    const find = dryRun
      ? (wanted: string) => projectForRehearsal(journal.database, caller, wanted)
      : (wanted: string) => projectForImport(journal, caller, wanted);
    const projectId = spec === undefined ? null : (await find(spec)).id;
    const place = placeFor(caller, { scope: undefined, projectId, agentId: undefined });
    this.#places.set(spec ?? '', place);
    return place;
  }

  /** KERN-12: files do not pass the tools' scrubber. */
  #scrub(line: ImportLine): ImportLine {
    try {
      const { value, count } = this.#options.scrubber.scrubValue(line);
      this.report.secrets += count;
      return value;
    } catch (error) {
      throw new InfoldError('scrub_failed', `could not be checked for secrets: ${messageOf(error)}`);
    }
  }

  async #write(key: string): Promise<void> {
    const batch = this.#waiting.get(key)!;
    this.#waiting.delete(key);
    const { journal, caller, dryRun } = this.#options;
    const decide = (database: Database, ids = new Set<string>()) =>
      this.#decide(database, batch.place, batch.lines, ids);
    if (dryRun) {
      const ids = this.#rehearsed.get(key) ?? new Set<string>();
      this.#rehearsed.set(key, ids);
      this.#count(decide(journal.database, ids).answer);
      return;
    }
    const { answer } = await journal.commit({
      stream: memoryStream(caller.org),
      actor: caller.actor,
      decide: (database) => decide(database),
    });
    this.#count(answer);
  }

  #count(answer: { imported: number; skipped: number; bad: BadLine[] }): void {
    this.report.imported += answer.imported;
    this.report.skipped += answer.skipped;
    this.report.bad.push(...answer.bad);
  }

  #decide(database: Database, place: MemoryPlace, lines: readonly Waiting[], ids: Set<string>) {
    const { caller } = this.#options;
    const items: StoredItem[] = [];
    const bad: BadLine[] = [];
    let skipped = 0;
    const newFirst = partitionAt(database, caller.org, place) === undefined;
    for (const { number, item, line } of lines) {
      if (ids.has(item.id)) {
        skipped++;
        continue;
      }
      try {
        const relations = [...(line.relations ?? []), ...this.#replaced(database, place, item)];
        const state =
          newFirst && relations.length === 0
            ? { org: caller.org, place, existing: undefined, targets: [], namesakes: [] }
            : writeState(database, { caller, place, item, relations, named: true, titles: false });
        const stored = importItem(state, item);
        if (stored) items.push(stored);
        else skipped++;
        ids.add(item.id);
      } catch (error) {
        if (!InfoldError.isInstance(error)) throw error;
        bad.push({ line: number, problem: error.message });
      }
    }
    const decision = importItems(caller.org, place, items);
    return { events: decision.events, answer: { ...decision.answer, skipped, bad } };
  }

  /** A file that was imported before and has changed since replaces what it said then. */
  #replaced(database: Database, place: MemoryPlace, item: NewItem) {
    if (item.origin !== 'markdown' || item.source === undefined) return [];
    const partition = partitionAt(database, this.#options.caller.org, place);
    const known = partition && itemOfFile(database, partition.number, item.source);
    return known && known.id !== item.id ? [{ type: 'supersedes' as const, id: known.id }] : [];
  }
}
