import type { Pagination, RecordsPage } from '@infold/protocol';
import { tellPage } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { cutToFit, pageSize, roomFor } from '../../kernel/pages.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { type Fetched, summaryOf, thresholdFor, transientMeta } from '../marks.ts';
import { parseFields, parseFilters, parseSort } from '../records/filters.ts';
import { columnNamed, type Shape } from '../records/shape.ts';
import type { Found, OpenTable, Query, RecordValues } from '../records/table.ts';

export function openTable(model: string, context: CallContext): Promise<OpenTable> {
  return context.parts.records.open(context.caller, model, maySeeIn(context), context);
}

export function maySeeIn({ database }: CallContext) {
  return (caller: Caller, project: string): boolean => {
    if (caller.projects === null) return true;
    try {
      resolveProject(database, caller, project);
      return true;
    } catch {
      return false;
    }
  };
}

interface PageInput {
  filters?: Record<string, unknown> | undefined;
  page?: number | undefined;
  per_page?: number | undefined;
  fields?: string[] | undefined;
  sort?: string | undefined;
  lean?: boolean | undefined;
}

interface FetchedPage {
  shape: Shape;
  /** The kept rows that it was read from, if it was. */
  origin: string | undefined;
  /** Whole, as they are kept; what is shown of them may be cut. */
  records: RecordValues[];
  structured: RecordsPage;
  fetched: Fetched;
}

export async function fetchPage(
  table: OpenTable,
  input: PageInput,
  { count, perPage }: { count: boolean; perPage: number },
  context: CallContext,
): Promise<FetchedPage> {
  const { shape } = table;
  const page = clamped('page', input.page ?? 1, 1, Number.MAX_SAFE_INTEGER, context);
  const wanted = clamped(
    'per_page',
    input.per_page ?? perPage,
    1,
    context.config.limits.recordsPerPage,
    context,
  );
  const question: Question = {
    conditions: parseFilters(input.filters, shape, context.config.limits.filterValues),
    order: parseSort(input.sort, shape),
    fields: parseFields(input.fields, shape),
    count,
  };
  const schema = schemaOf(shape.model, question);
  const room = roomFor(context.config.limits.pageCharacters, { schema, pagination: WIDEST });
  const first = page === 1 || !input.lean ? await pageOf(table, question, 1, wanted) : undefined;
  // Rows that nobody is shown take no room.
  const size = input.lean ? wanted : pageSize(first!.records, wanted, room);
  const found = page === 1 && size === wanted ? first! : await pageOf(table, question, page, size);
  context.notices.push(...table.notices);
  const records = found.records.slice(0, size);
  const pagination = paginationOf(page, size, found.total, count ? undefined : found.records.length > size);
  const { total_pages } = pagination;
  if (total_pages !== undefined && page > total_pages) {
    context.notices.push(`There ${total_pages === 1 ? 'is 1 page' : `are ${total_pages} pages`}`);
  }
  const shown = input.lean ? { items: records, cut: 0 } : cutToFit(records, room);
  tellPage(context, { wanted, size, cut: shown.cut });
  return {
    shape: { ...shape, columns: question.fields },
    origin: table.kept?.ref,
    records,
    structured: { schema, records: [...shown.items], pagination },
    fetched: {
      model: shape.model,
      count: records.length,
      ids: idsOf(records, shape),
      page,
      totalPages: total_pages,
    },
  };
}

type Question = Omit<Query, 'offset' | 'limit'>;

/** What pagination can take at most. */
const WIDEST: Pagination = { page: 1e15, per_page: 200, total: 1e15, total_pages: 1e15, has_more: false };

function pageOf(table: OpenTable, question: Question, page: number, size: number): Promise<Found> {
  return table.find({
    ...question,
    offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER),
    // One more than asked for tells whether there is more, where nobody counts.
    limit: question.count ? size : size + 1,
  });
}

function schemaOf(model: string, { fields }: Pick<Query, 'fields'>): RecordsPage['schema'] {
  return { model, columns: fields.map(({ name }) => name) };
}

function paginationOf(
  page: number,
  perPage: number,
  total: number | undefined,
  hasMore: boolean | undefined,
): Pagination {
  return {
    page,
    per_page: perPage,
    ...(total === undefined ? {} : { total, total_pages: Math.max(1, Math.ceil(total / perPage)) }),
    ...(hasMore === undefined ? {} : { has_more: hasMore }),
  };
}

function clamped(name: string, wanted: number, least: number, most: number, context: CallContext): number {
  const value = Math.min(most, Math.max(least, wanted));
  if (value !== wanted) {
    context.notices.push(
      name === 'page'
        ? 'page was set to 1: pages count from 1'
        : `${name} was set to ${value} (${least} to ${most})`,
    );
  }
  return value;
}

function idsOf(records: readonly RecordValues[], { id }: Shape): unknown[] {
  return id === null ? [] : records.slice(0, 3).map((record) => record[id]);
}

/** TCP-01: by id nothing is marked, however much it is. */
export async function lookUp(
  table: OpenTable,
  input: PageInput & { record_id?: string | number | undefined },
  context: CallContext,
): Promise<RecordsPage> {
  const { shape } = table;
  const column = shape.id === null ? undefined : columnNamed(shape, shape.id);
  if (!column) {
    throw new InfoldError(
      'invalid_arguments',
      `${shape.model} has no id column: set "id" in its source, or use filters`,
    );
  }
  if (input.filters && Object.keys(input.filters).length > 0) {
    context.notices.push('filters were ignored: record_id names the record');
  }
  const notFound = new InfoldError('not_found', `${shape.model} ${input.record_id} not found`);
  let conditions: Query['conditions'];
  try {
    conditions = parseFilters({ [column.name]: { eq: input.record_id } }, shape, 1);
  } catch {
    // A text that is no number cannot be the id of anything here.
    throw notFound;
  }
  const query: Query = {
    conditions,
    order: [],
    fields: parseFields(input.fields, shape),
    offset: 0,
    limit: 20,
    count: false,
  };
  const { records } = await table.find(query);
  context.notices.push(...table.notices);
  if (records.length === 0) throw notFound;
  if (records.length > 1) context.notices.push(`${records.length} records have the id ${input.record_id}`);
  const schema = schemaOf(shape.model, query);
  const pagination = paginationOf(1, records.length, records.length, undefined);
  const room = roomFor(context.config.limits.pageCharacters, { schema, pagination });
  const { items, cut } = cutToFit(records, room);
  tellPage(context, { wanted: records.length, size: records.length, cut });
  return { schema, records: [...items], pagination };
}

export async function marked(tool: string, page: FetchedPage, context: CallContext) {
  const { shape, structured, fetched, records: rows } = page;
  // Only what is in a model's window can be collapsed there.
  if (!context.isReadByModel || fetched.count < thresholdFor(tool, context.config)) return { structured };
  try {
    const summary = summaryOf(fetched);
    const kept = await context.parts.records.scratch.keep(context.caller, {
      kind: 'result',
      shape,
      records: rows,
      summary,
      sessionId: (await context.beginSession())?.id,
      origin: page.origin,
    });
    const handle = kept.kept.ref;
    return { structured: { ...structured, handle }, meta: transientMeta(fetched, handle) };
  } catch (error) {
    // What could not be got back must not be collapsed.
    context.notices.push(`The result is not marked transient: it could not be kept (${messageOf(error)})`);
    return { structured };
  }
}

export async function keepLean(page: FetchedPage, context: CallContext) {
  const { shape, structured, fetched } = page;
  const summary = summaryOf(fetched);
  const { kept, dropped } = await context.parts.records.scratch.keep(context.caller, {
    kind: 'scratch',
    shape,
    records: structured.records,
    summary,
    sessionId: (await context.beginSession())?.id,
    origin: page.origin,
  });
  if (dropped > 0) context.notices.push(`${dropped} older scratch or result rows were dropped to make room`);
  const { total } = structured.pagination;
  return {
    structured: {
      summary,
      scratch_ref: kept.ref,
      expires_at: isoTime(kept.expires_at),
      count: kept.count,
      ...(total === undefined ? {} : { total }),
    },
  };
}
