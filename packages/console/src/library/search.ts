/** What follows the “?” in the address of this view. Anything else that stands there is ignored. */

const STATES = [
  'open',
  'draft',
  'in_review',
  'approved',
  'declined',
  'published',
  'discarded',
  'all',
] as const;
export type DraftFilter = (typeof STATES)[number];
const PARTS = ['text', 'history', 'usage'] as const;
export type FilePart = (typeof PARTS)[number];
const KINDS = ['rule', 'workflow', 'context', 'meta'] as const;
export type NewKind = (typeof KINDS)[number];
const ONLY = ['unused', 'claimed', 'dead', 'fought'] as const;
const EVIDENCE = ['rules', 'constraints', 'projects', 'agents', 'models', 'turns', 'claims', 'days'] as const;
export type Evidence = (typeof EVIDENCE)[number];

export interface LibrarySearch {
  project?: string | undefined;
  /** A file, by its id or path. */
  item?: string | undefined;
  /** What of the file is shown. */
  show?: FilePart | undefined;
  /** A revision of the library: what it made of the file. */
  revision?: number | undefined;
  /** Words that files must have. */
  find?: string | undefined;
  /** The editor is open: for the file or the draft. */
  edit?: true | undefined;
  /** The editor is open for a new file of this kind. */
  make?: NewKind | undefined;
  /** A draft by its id. */
  draft?: string | undefined;
  state?: DraftFilter | undefined;
  /** What of the attestation is shown. */
  evidence?: Evidence | undefined;
  /** Files that were loaded and never referred to, that were claimed in a doubtful way, that are dead or fought over. */
  only?: (typeof ONLY)[number] | undefined;
  /** The column that files are sorted by, with “-” before it from the largest down. */
  sort?: string | undefined;
  /** Of the last so many days alone. */
  days?: number | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((one) => one === value);
const positive = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

export const librarySearch = (given: Record<string, unknown>): LibrarySearch => ({
  project: textOf(given.project),
  item: textOf(given.item),
  show: oneOf(PARTS, given.show),
  revision: positive(given.revision),
  find: textOf(given.find),
  edit: given.edit === true ? true : undefined,
  make: oneOf(KINDS, given.make),
  draft: textOf(given.draft),
  state: oneOf(STATES, given.state),
  evidence: oneOf(EVIDENCE, given.evidence),
  only: oneOf(ONLY, given.only),
  sort: textOf(given.sort),
  days: positive(given.days),
});
