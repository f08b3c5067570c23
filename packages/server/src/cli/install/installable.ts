import type { HostName } from '@infold/protocol';

/** What JSON, TOML and YAML can all say. */
export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

export type Format = 'jsonc' | 'toml' | 'yaml';

/** One thing of ours in a file that is mostly somebody else's. */
export interface SettingsEntry {
  /** `key`: the path names the entry itself. `element`: it names an array, and the entry is one of its elements. */
  at: 'key' | 'element';
  path: readonly string[];
  value: Value;
  /**
   * Whether what stands there was written by us, this version or another. Of two elements in one array, each must know
   * itself from the other. What stands at a key and is not ours is left as it is.
   */
  isOurs(value: unknown): boolean;
  /**
   * Anybody could have written the same (a switch like `hooks.enabled: true`): it is taken away only where the record
   * says that we wrote it.
   */
  isCommon?: boolean;
  /** Written only where nothing stands there yet: a person's own value is better than ours, and nothing is said. */
  ifAbsent?: boolean;
}

/** A file of the host in which we have entries. It is made where it is missing. */
export interface EditedFile {
  kind: 'edited';
  /** Absolute. */
  path: string;
  format: Format;
  entries: readonly SettingsEntry[];
}

/** A file that is ours from the first byte to the last, such as a skill. */
export interface WholeFile {
  kind: 'whole';
  /** Absolute. */
  path: string;
  text: string;
  /** Whether a file with other text at this place is an older one of ours. */
  isOurs(text: string): boolean;
}

export type HostFile = EditedFile | WholeFile;

export const SCOPES = ['user', 'project'] as const;
export type InstallScope = (typeof SCOPES)[number];

/** Where something is installed, and how. */
export interface InstallPlace {
  scope: InstallScope;
  home: string;
  /** The project's folder; of `user` scope too, as some hosts need it. */
  project: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** `--window`: the host's model address becomes the window door. */
  window: boolean;
  /** `--http`: the server that runs already instead of a process for each session. */
  http: boolean;
}

/** What `install` needs to know of a host; a definition in `cli/hosts/` has it. */
export interface Installable {
  name: HostName;
  /** As people write it. */
  title: string;
  /** Whether the host is used on this machine (`user`) or in this project (`project`). */
  isThere(place: InstallPlace): boolean;
  /** Everything that is written for it. Throws an `InfoldError` where the host cannot be installed in such a place. */
  files(place: InstallPlace): readonly HostFile[] | Promise<readonly HostFile[]>;
  /** What somebody should know or do afterwards: "restart it", "trust the hooks with /hooks". */
  notes?(place: InstallPlace): readonly string[] | Promise<readonly string[]>;
}
