import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { HostName } from '@infold/protocol';
import { z } from 'zod';
import { InfoldError } from '../../kernel/errors.ts';
import { syncFolder, writePrivateFile } from '../../kernel/private-files.ts';
import type { Value } from './installable.ts';
import { removeEmptyFolder } from './safe-files.ts';

/** Who wants an entry: a host, everywhere or in one project. */
const ownerSchema = z.object({
  host: z.string() as unknown as z.ZodType<HostName>,
  scope: z.enum(['user', 'project']),
  /** Null in `user` scope. */
  project: z.string().nullable(),
});

const entrySchema = z.object({
  /** `file`: the whole file is ours. */
  at: z.enum(['key', 'element', 'file']),
  path: z.array(z.string()),
  /** As we wrote it; of a file, its sha256. */
  value: z.unknown() as z.ZodType<Value>,
  owners: z.array(ownerSchema),
});

const stateSchema = z.object({
  /** The file as it would be without us: the name of a copy, or null where there would be none. */
  original: z.string().nullable(),
  /** sha256 of what we wrote. */
  written: z.string(),
  entries: z.array(entrySchema),
});

const fileSchema = z.object({
  /** The file itself, where the host has a link to it. */
  target: z.string(),
  format: z.enum(['jsonc', 'toml', 'yaml', 'whole']),
  ...stateSchema.shape,
  /** The state before a change that has begun. It counts where the file is still as that state says. */
  former: stateSchema.optional(),
});

const installsSchema = z.object({
  version: z.literal(1),
  files: z.array(fileSchema),
  /** Folders that we made, and that go when nothing is in them. */
  folders: z.array(z.string()),
});

export type EntryOwner = z.infer<typeof ownerSchema>;
export type RecordedEntry = z.infer<typeof entrySchema>;
export type FileState = z.infer<typeof stateSchema>;
export type FileRecord = z.infer<typeof fileSchema>;

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function sameOwner(one: EntryOwner, other: EntryOwner): boolean {
  return one.host === other.host && one.scope === other.scope && one.project === other.project;
}

export function isWantedBy({ owners }: RecordedEntry, owner: EntryOwner): boolean {
  return owners.some((one) => sameOwner(one, owner));
}

/** What was installed, and how files were before: in the data folder, as `installs.json` and `backups/hosts/`. */
export class Installs {
  readonly #path: string;
  readonly #backups: string;
  /** By the file itself. */
  readonly files: Map<string, FileRecord>;
  readonly folders: Set<string>;
  #saved: string;

  private constructor(data: string, text: string | undefined) {
    this.#path = join(data, 'installs.json');
    this.#backups = join(data, 'backups', 'hosts');
    const { files, folders } = text === undefined ? { files: [], folders: [] } : parsed(text, this.#path);
    this.files = new Map(files.map((file) => [file.target, file]));
    this.folders = new Set(folders);
    this.#saved = this.#text();
  }

  static read(data: string): Installs {
    const path = join(data, 'installs.json');
    return new Installs(data, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  }

  #text(): string {
    return `${JSON.stringify({ version: 1, files: [...this.files.values()], folders: [...this.folders] }, null, 2)}\n`;
  }

  /** Durable when this returns. Nothing is written where nothing changed. */
  save(): void {
    const text = this.#text();
    if (text === this.#saved) return;
    this.#saved = text;
    if (this.files.size === 0 && this.folders.size === 0) {
      rmSync(this.#path, { force: true });
      return;
    }
    // One process at a time gets here; what is there was left by one that was ended.
    const temporary = `${this.#path}.tmp`;
    rmSync(temporary, { force: true });
    writePrivateFile(temporary, text);
    renameSync(temporary, this.#path);
    syncFolder(dirname(this.#path));
  }

  /** Keeps a copy of a text, and answers its name. */
  keep(path: string, text: string): string {
    const name = `${basename(path)}.${digest(text)}`;
    const copy = join(this.#backups, name);
    if (this.original(name) !== undefined) return name;
    mkdirSync(this.#backups, { recursive: true, mode: 0o700 });
    rmSync(copy, { force: true });
    writePrivateFile(copy, text);
    return name;
  }

  /** Undefined where the copy is gone or damaged. */
  original(name: string): string | undefined {
    try {
      const text = readFileSync(join(this.#backups, name), 'utf8');
      return name.endsWith(`.${digest(text)}`) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** Removes folders of ours that are empty, and copies that no record names any more: they may hold secrets. */
  clean(): void {
    const targets = [...this.files.keys()];
    for (const folder of [...this.folders].sort((a, b) => b.length - a.length)) {
      if (targets.some((target) => target.startsWith(folder + sep))) continue;
      removeEmptyFolder(folder);
      this.folders.delete(folder);
    }
    this.save();
    if (!existsSync(this.#backups)) return;
    const named = new Set([...this.files.values()].flatMap((file) => [file.original, file.former?.original]));
    for (const name of readdirSync(this.#backups)) {
      if (!named.has(name)) rmSync(join(this.#backups, name), { force: true });
    }
  }
}

function parsed(text: string, path: string): z.infer<typeof installsSchema> {
  try {
    return installsSchema.parse(JSON.parse(text));
  } catch {
    throw new InfoldError(
      'invalid_config',
      `${path} is damaged. Move it away: "infold uninstall" then finds our entries by their content`,
    );
  }
}
