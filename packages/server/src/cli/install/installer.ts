import { createTwoFilesPatch } from 'diff';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { Problem } from './file-problem.ts';
import { type FileRecord, type Installs, isWantedBy, type Owner } from './install-record.ts';
import type { HostFile, Installable, Place } from './installable.ts';
import { type Change, Draft, formatOf } from './pending-file.ts';
import { lookAt } from './safe-files.ts';

export interface FileReport {
  path: string;
  what: 'made' | 'changed' | 'removed' | 'same' | 'left';
  /** Why it was left. */
  problem?: string;
  changes: Change[];
  diff?: string;
}

export interface HostReport {
  host: string;
  title: string;
  scope: Place['scope'];
  isThere: boolean;
  files: FileReport[];
  /** Why nothing was done for it. */
  problem?: string;
  notes: readonly string[];
}

/** Several hosts and their files in one go. Everything is worked out first, and then written. */
export class Session {
  readonly #installs: Installs;
  readonly #drafts = new Map<string, { draft: Draft; reports: FileReport[] }>();
  readonly hosts: HostReport[] = [];

  constructor(installs: Installs) {
    this.#installs = installs;
  }

  async install(host: Installable, place: Place, force: boolean): Promise<void> {
    const report = this.#begin(host, place);
    try {
      const owner = ownerOf(host, place);
      const files = await host.files(place);
      // What another call asked for (`--window`) stays; what no call would write any more goes.
      const wanted = byTarget([...files, ...(await filesOf(host, { ...place, window: true }))]);
      for (const file of files) {
        const work = (draft: Draft) => [
          ...draft.put(file, owner, force),
          ...draft.takeStale(owner, wanted.get(draft.snapshot.target) ?? []),
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
    owner: Owner,
    wanted: ReadonlyMap<string, HostFile[]>,
    written: ReadonlyMap<string, HostFile[]>,
  ): Promise<void> {
    for (const { target, format } of this.#recordsOf(owner)) {
      if (written.has(target)) continue;
      const work = (draft: Draft) => draft.takeStale(owner, wanted.get(target) ?? []);
      const found = await this.#attempt(target, format, work);
      if (found.changes.length > 0) report.files.push(found);
    }
  }

  #recordsOf(owner: Owner): FileRecord[] {
    return [...this.#installs.files.values()].filter(({ entries }) =>
      entries.some((entry) => isWantedBy(entry, owner)),
    );
  }

  async uninstall(host: Installable, place: Place, force: boolean): Promise<void> {
    const owner = ownerOf(host, place);
    const report = this.#begin(host, place);
    const files = await filesOf(host, place);
    const known = byTarget(files);
    const recorded = this.#recordsOf(owner);
    for (const { target, format } of recorded) {
      const here = known.get(target) ?? [];
      const entries = here.flatMap((file) => (file.kind === 'edited' ? file.entries : []));
      const work = (draft: Draft) => [
        ...draft.take(owner, entries, force),
        ...here.flatMap((file) => draft.takeRecognised(file)),
      ];
      report.files.push(await this.#attempt(target, format, work));
    }
    for (const file of files) {
      const target = targetOf(file.path);
      if (!this.#hasFile(file.path) || recorded.some((one) => one.target === target)) continue;
      const found = await this.#attempt(file.path, formatOf(file), (draft) => draft.takeRecognised(file));
      // A file that cannot be read is a matter only where something of ours is known to be in it.
      if (found.what === 'removed' || found.what === 'changed') report.files.push(found);
    }
  }

  #begin(host: Installable, place: Place): HostReport {
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

  async #attempt(path: string, format: FileRecord['format'], work: (draft: Draft) => Change[]) {
    const report: FileReport = { path, what: 'same', changes: [] };
    let draft: Draft | undefined;
    let saved: ReturnType<Draft['save']> | undefined;
    try {
      draft = await this.#open(path, format, report);
      saved = draft.save();
      report.changes = work(draft);
      report.what = whatOf(saved.text, draft.text);
      // A file that is ours alone, or that goes as a whole, is told by its name.
      const isTold = format === 'whole' && report.what === 'made';
      if (draft.text !== undefined && report.what !== 'same' && !isTold) {
        report.diff = diffOf(path, saved.text, draft.text);
      }
    } catch (error) {
      if (saved) draft!.goBack(saved);
      // Whatever a parser trips over, the other files go on.
      leave(report, error instanceof Problem ? error : new Problem(`cannot be edited (${messageOf(error)})`));
    }
    return report;
  }

  async #open(path: string, format: FileRecord['format'], report: FileReport): Promise<Draft> {
    const snapshot = lookAt(path);
    const { target } = snapshot;
    const open = this.#drafts.get(target) ?? {
      draft: await Draft.open(snapshot, format, this.#installs),
      reports: [],
    };
    this.#drafts.set(target, open);
    open.reports.push(report);
    return open.draft;
  }

  /** The record first: a crash before the last file is written loses no trace of any. */
  announce(): void {
    for (const { draft } of this.#drafts.values()) draft.announce(this.#installs);
    this.#installs.save();
  }

  /** Each file by itself: what one cannot have is no reason against another. */
  commit(): void {
    this.announce();
    for (const { draft, reports } of this.#drafts.values()) {
      try {
        draft.commit(this.#installs);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        for (const report of reports) leave(report, error);
      }
    }
    this.#installs.save();
    this.#installs.clean();
  }
}

function leave(report: FileReport, { message }: Problem): void {
  Object.assign(report, { what: 'left', problem: message, changes: [] });
  delete report.diff;
}

export function ownerOf({ name }: Pick<Installable, 'name'>, { scope, project }: Place): Owner {
  return { host: name, scope, project: scope === 'user' ? null : project };
}

/** A host that has nothing in such a place has nothing to be recognised there. */
async function filesOf(host: Installable, place: Place): Promise<readonly HostFile[]> {
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
