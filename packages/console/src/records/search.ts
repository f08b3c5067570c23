/** What follows the “?” in the addresses of this view. */

/** One condition: a column, an operator of `search_records`, and what it is compared with. */
export type Where = readonly [column: string, operator: string, value: unknown];

export interface RecordsSearch {
  where?: readonly Where[] | undefined;
  /** A column, with “-” before it from the largest down. */
  sort?: string | undefined;
  page?: number | undefined;
  /** The columns that are shown; the first ones otherwise. */
  columns?: readonly string[] | undefined;
  /** The id of the record that is read. */
  record?: string | number | undefined;
  /** Its place among all that are found, where records have no id. */
  row?: number | undefined;
}

export interface WorkflowSearch {
  project?: string | undefined;
  step?: number | undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** A name of digits alone is read as a number. */
const nameOf = (value: unknown) => (isText(value) || typeof value === 'number' ? String(value) : undefined);
const placeOf = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const orNone = <Item>(list: Item[]) => (list.length > 0 ? list : undefined);

export const recordsSearch = (given: Record<string, unknown>): RecordsSearch => ({
  where: orNone(
    listOf(given.where).filter(
      (one): one is Where =>
        Array.isArray(one) && one.length === 3 && isText(one[1]) && typeof one[0] === 'string',
    ),
  ),
  sort: nameOf(given.sort),
  page: placeOf(given.page),
  columns: orNone(listOf(given.columns).filter((one) => typeof one === 'string')),
  record: isText(given.record) || typeof given.record === 'number' ? given.record : undefined,
  row: placeOf(given.row),
});

export const workflowSearch = ({ project, step }: Record<string, unknown>): WorkflowSearch => ({
  project: isText(project) ? project : undefined,
  step: placeOf(step),
});
