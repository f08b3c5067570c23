/** What follows the “?” in the address of this view. */
export interface MemorySearch {
  project?: string | undefined;
  /** The agent whose diary is read too. */
  agent?: string | undefined;
  /** Words that are searched for. */
  q?: string | undefined;
  /** The item that is read. */
  id?: string | undefined;
  /** What a pack is compiled for, and how. */
  goal?: string | undefined;
  intent?: string | undefined;
  layer?: string | undefined;
  limit?: number | undefined;
  budget?: number | undefined;
  /** What of it is shown: `out` for what was left out, `text` for what a model reads. */
  tab?: string | undefined;
  kind?: string | undefined;
  author?: string | undefined;
  /** The last day of the timeline. */
  until?: string | undefined;
  /** What the upkeep is about. */
  find?: string | undefined;
  /** Items whose relations are shown too, and items that are chosen for a merge. */
  open?: string[] | undefined;
  pick?: string[] | undefined;
  /** The dialog that is open. */
  write?: string | undefined;
}

const TEXTS = [
  ...[
    'project',
    'q',
    'id',
    'goal',
    'intent',
    'layer',
    'tab',
    'kind',
    'author',
    'until',
    'find',
    'write',
    'agent',
  ],
];

/** Figures that somebody typed into the address are words where words belong. */
export function memorySearch(given: Record<string, unknown>): MemorySearch {
  const found: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const value = given[name];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') found[name] = `${value}`;
  }
  for (const name of ['limit', 'budget']) {
    const value = Number(given[name]);
    if (Number.isSafeInteger(value) && value > 0) found[name] = value;
  }
  for (const name of ['open', 'pick']) {
    const list = given[name];
    const ids = Array.isArray(list) ? list.filter((id) => typeof id === 'string').slice(0, 50) : [];
    if (ids.length > 0) found[name] = ids;
  }
  return found;
}
