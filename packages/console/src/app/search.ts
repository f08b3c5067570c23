/** What follows the “?” in the address of each view. Anything else that stands there is ignored. */

const numberOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && value !== undefined && value !== '' ? Number(value) : undefined;
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export interface WindowSearch {
  /** The turn that is looked at; the last one otherwise. */
  turn?: number | undefined;
  /** The block of the last prompt that is read. */
  block?: number | undefined;
  /** The original of something that left. */
  handle?: string | undefined;
}

export const windowSearch = ({ turn, block, handle }: Record<string, unknown>): WindowSearch => ({
  turn: numberOf(turn),
  block: numberOf(block),
  handle: textOf(handle),
});

export interface TreeSearch {
  /** The position in the journal that is shown; live otherwise. */
  at?: number | undefined;
  /** A branch, or an operation by its handle. */
  node?: string | undefined;
}

export const treeSearch = ({ at, node }: Record<string, unknown>): TreeSearch => ({
  at: (numberOf(at) ?? 0) > 0 ? numberOf(at) : undefined,
  node: textOf(node),
});

export interface ConversationSearch {
  /** The tool whose form is open. */
  tool?: string | undefined;
  /** The project that calls belong to. */
  project?: string | undefined;
}

export const conversationSearch = ({ tool, project }: Record<string, unknown>): ConversationSearch => ({
  tool: textOf(tool),
  project: textOf(project),
});

export interface SystemSearch {
  /** Words that what is listed must have. */
  find?: string | undefined;
  /** The column that it is sorted by, with “-” before it from the largest down. */
  sort?: string | undefined;
  /** The host whose settings are shown. */
  host?: string | undefined;
  /** The form of a new token is open. */
  make?: true | undefined;
}

export const systemSearch = ({ find, sort, host, make }: Record<string, unknown>): SystemSearch => ({
  find: textOf(find),
  sort: textOf(sort),
  host: textOf(host),
  make: make === true ? true : undefined,
});
