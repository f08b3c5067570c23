import { createTwoFilesPatch } from 'diff';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { type EntryOwner, type FileRecord, type Installs, isWantedBy } from './install-record.ts';
import type { HostFile, Installable, InstallPlace } from './installable.ts';
import { type EntryChange, formatOf, PendingFile } from './pending-file.ts';
import { lookAt } from './safe-files.ts';
import { UneditableFile } from './uneditable-file.ts';

export interface FileReport {
  path: string;
  what: 'made' | 'changed' | 'removed' | 'same' | 'left';
  /** Why it was left. */
  problem?: string;
  changes: EntryChange[];
  diff?: string;
}

export interface HostReport {
  host: string;
  title: string;
  scope: InstallPlace['scope'];
  isThere: boolean;
  files: FileReport[];
  /** Why nothing was done for it. */
  problem?: string;
  notes: readonly string[];
}

/** Several hosts and their files in one go. Everything is worked out first, and then written. */
export class Installer {
  readonly #installs: Installs;
  readonly #pending = new Map<string, { pending: PendingFile; reports: FileReport[] }>();
  readonly hosts: HostReport[] = [];

  constructor(installs: Installs) {
    this.#installs = installs;
  }

  async install(host: Installable, place: InstallPlace, force: boolean): Promise<void> {
    const report = this.#begin(host, place);
    try {
      const owner = ownerOf(host, place);
      const files = await host.files(place);
      // What another call asked for (`--window`) stays; what no call would write any more goes.
      const wanted = byTarget([...files, ...(await filesOf(host, { ...place, window: true }))]);
      for (const file of files) {
        const work = (pending: PendingFile) => [
          ...pending.put(file, owner, force),
          ...pending.takeStale(owner, wanted.get(pending.snapshot.target) ?? []),
        ];
        report.files.push(await this.#attempt(file.path, formatOf(file), work));
      }
      await this.#dropStale(report, owner, wanted, byTarget(files));
      report.notes = (await host.notes?.(place)) ?? [];
    } catch (error) {
      if (!InfoldError.isInstance(error)) throw error;
      report.problem = messageOf(error);
    }
  }

  /** In files besides those that were written just now. */
  async #dropStale(
    report: HostReport,
    owner: EntryOwner,
    wanted: ReadonlyMap<string, HostFile[]>,
    written: ReadonlyMap<string, HostFile[]>,
  ): Promise<void> {
    for (const { target, format } of this.#recordsOf(owner)) {
      if (written.has(target)) continue;
      const work = (pending: PendingFile) => pending.takeStale(owner, wanted.get(target) ?? []);
      const found = await this.#attempt(target, format, work);
      if (found.changes.length > 0) report.files.push(found);
    }
  }

  #recordsOf(owner: EntryOwner): FileRecord[] {
    return [...this.#installs.files.values()].filter(({ entries }) =>
      entries.some((entry) => isWantedBy(entry, owner)),
    );
  }

  async uninstall(host: Installable, place: InstallPlace, force: boolean): Promise<void> {
    const owner = ownerOf(host, place);
    const report = this.#begin(host, place);
    const files = await filesOf(host, place);
    const known = byTarget(files);
    const recorded = this.#recordsOf(owner);
    for (const { target, format } of recorded) {
      const here = known.get(target) ?? [];
      const entries = here.flatMap((file) => (file.kind === 'edited' ? file.entries : []));
      const work = (pending: PendingFile) => [
        ...pending.take(owner, entries, force),
        ...here.flatMap((file) => pending.takeRecognised(file)),
      ];
      report.files.push(await this.#attempt(target, format, work));
    }
    for (const file of files) {
      const target = targetOf(file.path);
      if (!this.#hasFile(file.path) || recorded.some((one) => one.target === target)) continue;
      const found = await this.#attempt(file.path, formatOf(file), (pending) => pending.takeRecognised(file));
      // A file that cannot be read is a matter only where something of ours is known to be in it.
      if (found.what === 'removed' || found.what === 'changed') report.files.push(found);
    }
  }

  #begin(host: Installable, place: InstallPlace): HostReport {
    const { name, title } = host;
    const isThere = host.isThere(place);
    const report: HostReport = { host: name, title, scope: place.scope, isThere, files: [], notes: [] };
    this.hosts.push(report);
    return report;
  }

  #hasFile(path: string): boolean {
    try {
      return lookAt(path).text !== undefined;
    } catch {
      return false;
    }
  }

  async #attempt(path: string, format: FileRecord['format'], work: (pending: PendingFile) => EntryChange[]) {
    const report: FileReport = { path, what: 'same', changes: [] };
    let pending: PendingFile | undefined;
    let saved: ReturnType<PendingFile['save']> | undefined;
    try {
      pending = await this.#open(path, format, report);
      saved = pending.save();
      report.changes = work(pending);
      report.what = whatOf(saved.text, pending.text);
      // A file that is ours alone, or that goes as a whole, is told by its name.
      const isTold = format === 'whole' && report.what === 'made';
      if (pending.text !== undefined && report.what !== 'same' && !isTold) {
        report.diff = diffOf(path, saved.text, pending.text);
      }
    } catch (error) {
      if (saved) pending!.goBack(saved);
      // Whatever a parser trips over, the other files go on.
      leave(
        report,
        error instanceof UneditableFile
          ? error
          : new UneditableFile(`cannot be edited (${messageOf(error)})`),
      );
    }
    return report;
  }

  async #open(path: string, format: FileRecord['format'], report: FileReport): Promise<PendingFile> {
    const snapshot = lookAt(path);
    const { target } = snapshot;
    const open = this.#pending.get(target) ?? {
      pending: await PendingFile.open(snapshot, format, this.#installs),
      reports: [],
    };
    this.#pending.set(target, open);
    open.reports.push(report);
    return open.pending;
  }

  /** The record first: a crash before the last file is written loses no trace of any. */
  announce(): void {
    for (const { pending } of this.#pending.values()) pending.announce(this.#installs);
    this.#installs.save();
  }

  /** Each file by itself: what one cannot have is no reason against another. */
  commit(): void {
    this.announce();
    for (const { pending, reports } of this.#pending.values()) {
      try {
        pending.commit(this.#installs);
      } catch (error) {
        if (!(error instanceof UneditableFile)) throw error;
        for (const report of reports) leave(report, error);
      }
    }
    this.#installs.save();
    this.#installs.clean();
  }
}

function leave(report: FileReport, { message }: UneditableFile): void {
  Object.assign(report, { what: 'left', problem: message, changes: [] });
  delete report.diff;
}

export function ownerOf({ name }: Pick<Installable, 'name'>, { scope, project }: InstallPlace): EntryOwner {
  return { host: name, scope, project: scope === 'user' ? null : project };
}

/** A host that has nothing in such a place has nothing to be recognised there. */
async function filesOf(host: Installable, place: InstallPlace): Promise<readonly HostFile[]> {
  try {
    return await host.files(place);
  } catch (error) {
    if (InfoldError.isInstance(error)) return [];
    throw error;
  }
}

function byTarget(files: readonly HostFile[]): Map<string, HostFile[]> {
  const found = new Map<string, HostFile[]>();
  for (const file of files) {
    const target = targetOf(file.path);
    found.set(target, [...(found.get(target) ?? []), file]);
  }
  return found;
}

/** The file itself, behind a link. */
export function targetOf(path: string): string {
  try {
    return lookAt(path).target;
  } catch {
    return path;
  }
}

function whatOf(before: string | undefined, after: string | undefined): FileReport['what'] {
  if (before === after) return 'same';
  if (before === undefined) return 'made';
  return after === undefined ? 'removed' : 'changed';
}

/** A file on one line may be megabytes long. */
const LONGEST_LINE = 200;

function diffOf(path: string, before: string | undefined, after: string): string {
  const from = before === undefined ? '/dev/null' : path;
  const patch = createTwoFilesPatch(from, path, before ?? '', after, '', '', { context: 2 });
  const lines = patch.trimEnd().split('\n');
  return lines
    .slice(lines.findIndex((line) => line.startsWith('--- ')))
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line.replace(/\r$/, '')))
    .join('\n');
}
