import type { AttestedFact, PublishedFileFact } from '@infold/protocol';
import { byPath, stateDigest } from '../files/state-digest.ts';

type Publication = Extract<AttestedFact, { type: 'library.published' }>['data'];

/** The published files of a workspace, as publications change them. */
export class Published {
  readonly workspaceId: string;
  readonly #files: Map<string, PublishedFileFact>;
  #revision: number;
  #digest: string | undefined;

  constructor(workspaceId: string, revision: number, files: readonly PublishedFileFact[]) {
    this.workspaceId = workspaceId;
    this.#revision = revision;
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#files.size;
  }

  file(path: string): PublishedFileFact | undefined {
    return this.#files.get(path);
  }

  /** By path. */
  files(): PublishedFileFact[] {
    return [...this.#files.values()].sort(byPath);
  }

  apply({ revision, changes }: Publication): void {
    this.#revision = revision;
    this.#digest = undefined;
    // Paths are given up before they are taken: two files may swap places in one publication.
    for (const { op, path, previous_path } of changes) {
      if (op === 'delete') this.#files.delete(path);
      if (op === 'rename' && previous_path !== null) this.#files.delete(previous_path);
    }
    for (const { op, path, kind, hash } of changes) {
      if (op !== 'delete') this.#files.set(path, { path, kind, hash, revision });
    }
  }

  get isDigested(): boolean {
    return this.#digest !== undefined;
  }

  digest(): string {
    this.#digest ??= stateDigest(this.workspaceId, this.#revision, this.files());
    return this.#digest;
  }
}
