import { isDeepStrictEqual } from 'node:util';
import {
  type FoundEntry,
  findEntry,
  isSame,
  lookUp,
  nameOf,
  withEntry,
  withFormer,
  withoutEntry,
} from './entries.ts';
import type { Editor, Path } from './formats/editor.ts';
import { editorOf } from './formats/editor-of.ts';
import {
  digest,
  type EntryOwner,
  type FileRecord,
  type FileState,
  type Installs,
  isWantedBy,
  type RecordedEntry,
  sameOwner,
} from './install-record.ts';
import type { EditedFile, HostFile, SettingsEntry, WholeFile } from './installable.ts';
import { missingFolders, removeFile, removeLeftovers, type Snapshot, writeFile } from './safe-files.ts';

const MARK = '\ufeff';

/**
 * What became of one entry. `edited`, `foreign`: somebody else's words stand there, and were left. `theirs`: they are as
 * good as ours. `kept`: another host uses it too.
 */
export interface EntryChange {
  name: string;
  what: 'added' | 'updated' | 'removed' | 'there' | 'theirs' | 'kept' | 'edited' | 'foreign';
}

/** What a draft can go back to. */
type Saved = Pick<PendingFile, 'text' | 'original'> & { entries: RecordedEntry[] };

/** One file of a host while it is worked on: nothing is written until `commit`. */
export class PendingFile {
  readonly snapshot: Snapshot;
  readonly format: FileRecord['format'];
  readonly #editor: Editor | undefined;
  readonly #former: FileState | undefined;
  readonly #mark: string;
  /** The file is as we wrote it: without our entries, it is its original to the byte. */
  readonly #isIntact: boolean;
  /** As it will be; undefined where there will be no file. */
  text: string | undefined;
  /** As it would be without us: null where there would be no file. */
  original: string | null;
  entries: RecordedEntry[];

  private constructor(
    snapshot: Snapshot,
    format: FileRecord['format'],
    editor: Editor | undefined,
    installs: Installs,
  ) {
    this.snapshot = snapshot;
    this.format = format;
    this.#editor = editor;
    this.#mark = snapshot.text?.startsWith(MARK) ? MARK : '';
    this.text = snapshot.text?.slice(this.#mark.length);
    const record = installs.files.get(snapshot.target);
    this.#former = record && stateOf(record, snapshot.text);
    this.#isIntact = this.#former !== undefined && this.#former.written === digestOf(snapshot.text);
    this.entries = this.text === undefined ? [] : structuredClone(this.#former?.entries ?? []);
    this.original = this.#originalIn(installs);
  }

  static async open(snapshot: Snapshot, format: FileRecord['format'], installs: Installs) {
    const editor = format === 'whole' ? undefined : await editorOf(format);
    return new PendingFile(snapshot, format, editor, installs);
  }

  #originalIn(installs: Installs): string | null {
    if (this.text === undefined) return null;
    if (!this.#former) return this.text;
    const name = this.#former.original;
    const kept = name === null ? null : withoutMark(installs.original(name));
    if ((this.#isIntact && kept !== undefined) || !this.#editor) return kept ?? null;
    // Others have changed the file since (or our copy is gone): what it would be without us is worked out.
    let rest = this.text;
    for (const recorded of [...this.entries].reverse()) {
      const found = this.#asRecorded(rest, recorded) ?? this.#atItsKey(rest, recorded);
      if (found) rest = this.#without(rest, found.path, recorded.at, kept);
    }
    return kept === null && isBlank(rest) ? null : rest;
  }

  #read(text: string | undefined): unknown {
    return this.#editor!.read(text ?? '');
  }

  #asRecorded(text: string, { at, path, value }: RecordedEntry): FoundEntry | undefined {
    if (at === 'file') return undefined;
    const isOurs = (there: unknown) => isSame(there, value);
    const found = findEntry(this.#read(text), { at, path, isOurs });
    return found && isOurs(found.value) ? found : undefined;
  }

  /** What stands at the key of an entry, edited by hand or not. */
  #atItsKey(text: string, { at, path }: RecordedEntry): FoundEntry | undefined {
    return at === 'key' ? findEntry(this.#read(text), { at, path, isOurs: () => true }) : undefined;
  }

  #without(text: string, path: Path, at: RecordedEntry['at'], original: string | null | undefined): string {
    const former = original ?? undefined;
    const stood = at === 'key' && former !== undefined ? lookUp(this.#read(former), path) : undefined;
    return stood === undefined
      ? withoutEntry(this.#editor!, text, path, former)
      : withFormer(this.#editor!, text, path, former!);
  }

  save(): Saved {
    return { text: this.text, original: this.original, entries: structuredClone(this.entries) };
  }

  goBack({ text, original, entries }: Saved): void {
    this.text = text;
    this.original = original;
    this.entries = entries;
  }

  put(file: HostFile, owner: EntryOwner, force: boolean): EntryChange[] {
    if (file.kind === 'whole') return [this.#putFile(file, owner, force)];
    return file.entries.map((entry) => ({
      name: nameOf(entry.path),
      what: this.#putEntry(entry, owner, force),
    }));
  }

  #putEntry(entry: SettingsEntry, owner: EntryOwner, force: boolean): EntryChange['what'] {
    const found = findEntry(this.#read(this.text), entry);
    const recorded = this.#recordOf(entry);
    if (!found) {
      this.#write(entry, undefined, owner);
      return 'added';
    }
    const isRight = isSame(found.value, entry.value);
    const isAsRecorded = recorded !== undefined && isSame(found.value, recorded.value);
    const isRecognised = recorded === undefined && !entry.isCommon && entry.isOurs(found.value);
    if (isAsRecorded || isRecognised || (recorded && isRight)) {
      if (isRecognised && this.original !== null) this.original = this.#withoutOurs(this.original, entry);
      this.#write(entry, found, owner);
      return isRight ? 'there' : 'updated';
    }
    if (isRight || entry.ifAbsent) return 'theirs';
    if (!force) return recorded ? 'edited' : 'foreign';
    this.#write(entry, found, owner);
    return 'updated';
  }

  /** Without an entry that was there before there was a record. */
  #withoutOurs(text: string, entry: SettingsEntry): string {
    const found = findEntry(this.#read(text), entry);
    return found ? withoutEntry(this.#editor!, text, found.path, undefined) : text;
  }

  #recordOf(entry: SettingsEntry): RecordedEntry | undefined {
    return this.entries.find((one) => isRecordOf(one, entry));
  }

  #write(entry: SettingsEntry, found: FoundEntry | undefined, owner: EntryOwner): void {
    this.text = withEntry(this.#editor!, this.text ?? '', entry, found);
    const recorded = this.#recordOf(entry);
    if (recorded) {
      recorded.value = entry.value;
      addOwner(recorded, owner);
    } else {
      this.entries.push({ at: entry.at, path: [...entry.path], value: entry.value, owners: [owner] });
    }
  }

  #putFile({ text, isOurs }: WholeFile, owner: EntryOwner, force: boolean): EntryChange {
    const name = 'file';
    const [recorded] = this.entries;
    const write = (what: EntryChange['what']): EntryChange => {
      this.text = text;
      if (recorded) {
        recorded.value = digest(text);
        addOwner(recorded, owner);
      } else this.entries.push({ at: 'file', path: [], value: digest(text), owners: [owner] });
      return { name, what };
    };
    if (this.text === undefined) return write('added');
    const isRight = this.text === text;
    if (recorded) {
      if (isRight) return write('there');
      return recorded.value === digest(this.text) || force ? write('updated') : { name, what: 'edited' };
    }
    if (isRight || isOurs(this.text)) {
      this.original = null;
      return write(isRight ? 'there' : 'updated');
    }
    return force ? write('updated') : { name, what: 'foreign' };
  }

  /** Takes away what was written for an owner, by another version of ours, and is not wanted any more. */
  takeStale(owner: EntryOwner, wanted: readonly HostFile[]): EntryChange[] {
    const isWanted = (one: RecordedEntry) => wanted.some((file) => isFor(one, file));
    return this.#take((one) => isWantedBy(one, owner) && !isWanted(one), owner, [], false);
  }

  /** Takes away what the record says an owner has here. `known` tells which entry was edited by hand. */
  take(owner: EntryOwner, known: readonly SettingsEntry[], force: boolean): EntryChange[] {
    return this.#take((one) => isWantedBy(one, owner), owner, known, force);
  }

  #take(
    isConcerned: (one: RecordedEntry) => boolean,
    owner: EntryOwner,
    known: readonly SettingsEntry[],
    force: boolean,
  ): EntryChange[] {
    const changes: EntryChange[] = [];
    for (const recorded of this.entries.filter(isConcerned).reverse()) {
      const name = recorded.at === 'file' ? 'file' : nameOf(recorded.path);
      const others = recorded.owners.filter((other) => !sameOwner(other, owner));
      if (others.length > 0) {
        recorded.owners = others;
        changes.push({ name, what: 'kept' });
        continue;
      }
      const what =
        recorded.at === 'file' ? this.#takeFile(recorded, force) : this.#takeEntry(recorded, known, force);
      if (what !== 'edited') this.entries = this.entries.filter((one) => one !== recorded);
      if (what) changes.push({ name, what });
    }
    if (this.entries.length === 0 && changes.length > 0) this.#leave();
    return changes;
  }

  #takeFile(recorded: RecordedEntry, force: boolean): EntryChange['what'] | undefined {
    if (this.text === undefined) return undefined;
    if (recorded.value !== digest(this.text) && !force) return 'edited';
    this.text = this.original ?? undefined;
    return 'removed';
  }

  #takeEntry(
    recorded: RecordedEntry,
    known: readonly SettingsEntry[],
    force: boolean,
  ): EntryChange['what'] | undefined {
    if (this.text === undefined) return undefined;
    const { at } = recorded;
    const same = this.#asRecorded(this.text, recorded);
    const entry = known.find((one) => isRecordOf(recorded, one));
    const edited = entry?.at === 'element' ? findEntry(this.#read(this.text), entry) : undefined;
    const found = same ?? this.#atItsKey(this.text, recorded) ?? edited;
    if (!found) return undefined;
    if (!same && !force) return 'edited';
    this.text = this.#without(this.text, found.path, at, this.original);
    return 'removed';
  }

  /** Nothing of ours is left. */
  #leave(): void {
    if (this.#isIntact) this.text = this.original ?? undefined;
    else if (this.original === null && isBlank(this.text)) this.text = undefined;
  }

  /** Takes away what is ours by what it is, where no record says so. */
  takeRecognised(file: HostFile): EntryChange[] {
    if (file.kind === 'whole') return this.#takeRecognisedFile(file);
    const changes: EntryChange[] = [];
    for (const entry of file.entries) {
      if (entry.isCommon || this.#recordOf(entry)) continue;
      for (let found = this.#recognised(entry); found; found = this.#recognised(entry)) {
        this.text = withoutEntry(this.#editor!, this.text!, found.path, undefined);
        changes.push({ name: nameOf(entry.path), what: 'removed' });
      }
    }
    return changes;
  }

  #recognised(entry: SettingsEntry): FoundEntry | undefined {
    if (this.text === undefined) return undefined;
    const found = findEntry(this.#read(this.text), entry);
    return found && entry.isOurs(found.value) ? found : undefined;
  }

  #takeRecognisedFile({ text, isOurs }: WholeFile): EntryChange[] {
    if (this.text === undefined || this.entries.length > 0) return [];
    if (this.text !== text && !isOurs(this.text)) return [];
    this.text = undefined;
    return [{ name: 'file', what: 'removed' }];
  }

  get #whole(): string | undefined {
    return this.text === undefined ? undefined : this.#mark + this.text;
  }

  get isChanged(): boolean {
    return this.#whole !== this.snapshot.text;
  }

  /** The record says what is about to be written before it is written: a crash in between loses no trace of it. */
  announce(installs: Installs): void {
    const { target } = this.snapshot;
    if (this.#whole === undefined || this.entries.length === 0) return;
    const state: FileState = {
      original: this.original !== null ? installs.keep(target, this.#mark + this.original) : null,
      written: digest(this.#whole),
      entries: this.entries,
    };
    const former = this.isChanged ? this.#former : undefined;
    installs.files.set(target, { target, format: this.format, ...state, ...(former && { former }) });
    if (this.snapshot.text === undefined) {
      for (const folder of missingFolders(target)) installs.folders.add(folder);
    }
  }

  /** Writes the file, and what the record says once that is done. Throws a `Problem` where it could not. */
  commit(installs: Installs): void {
    const { target } = this.snapshot;
    try {
      removeLeftovers(target);
      if (this.isChanged) {
        if (this.#whole === undefined) removeFile(this.snapshot);
        else writeFile(this.snapshot, this.#whole);
      }
    } catch (error) {
      this.#takeBack(installs);
      throw error;
    }
    const record = installs.files.get(target);
    if (this.entries.length === 0) installs.files.delete(target);
    else if (record) installs.files.set(target, withoutFormer(record));
  }

  #takeBack(installs: Installs): void {
    const { target } = this.snapshot;
    if (this.#former) installs.files.set(target, { target, format: this.format, ...this.#former });
    else installs.files.delete(target);
  }
}

function withoutFormer({ former: _, ...record }: FileRecord): FileRecord {
  return record;
}

/** A change that was begun and not written has not happened. */
function stateOf(record: FileRecord, text: string | undefined): FileState {
  const { former, original, written, entries } = record;
  return former && digestOf(text) === former.written ? former : { original, written, entries };
}

function digestOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : digest(text);
}

function withoutMark(text: string | undefined): string | undefined {
  return text?.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/** A file of ours in which nothing is left: brackets at most. */
function isBlank(text: string | undefined): boolean {
  return /^[\s{}]*$/.test(text ?? '');
}

function addOwner(recorded: RecordedEntry, owner: EntryOwner): void {
  if (!isWantedBy(recorded, owner)) recorded.owners.push(owner);
}

/** Whether a file, as we would write it now, has an entry that the record names. */
function isFor(recorded: RecordedEntry, file: HostFile): boolean {
  if (file.kind === 'whole') return recorded.at === 'file';
  return file.entries.some((entry) => isRecordOf(recorded, entry));
}

function isRecordOf(recorded: RecordedEntry, { at, path, isOurs }: SettingsEntry): boolean {
  if (recorded.at !== at || !isDeepStrictEqual(recorded.path, [...path])) return false;
  return at === 'key' || isOurs(recorded.value);
}

/** What an edited file has to be opened with. */
export function formatOf(file: EditedFile | WholeFile): FileRecord['format'] {
  return file.kind === 'whole' ? 'whole' : file.format;
}
