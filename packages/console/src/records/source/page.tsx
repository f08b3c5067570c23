import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Columns3, RefreshCw, SearchX } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button, IconButton } from '../../design/controls/button.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Page } from '../../design/layout/page.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { readSort, writeSort } from '../../design/table/sort.ts';
import {
  isIndexing,
  type RecordSource,
  sourcesQuery,
  useChanges,
  usePageOf,
  type WantedRecord,
} from '../queries.ts';
import type { RecordsSearch, Where } from '../search.ts';
import { valueIn } from '../values.ts';
import { filtersOf, withCondition } from './conditions.ts';
import { Filters } from './filters.tsx';
import { RecordGrid } from './grid.tsx';
import styles from './page.module.css';
import { Pager } from './pager.tsx';

const ColumnsDialog = lazy(() => import('./columns-dialog.tsx'));
const RecordSheet = lazy(() => import('./record.tsx'));

/** Rows of a page. */
const SIZE = 100;
/** Columns that are shown before somebody chooses. */
const USUAL = 12;
const NOWHERE: readonly Where[] = [];

export function SourcePage() {
  const { model = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(sourcesQuery(useAccount().session));
  const source = data?.sources.find((one) => one.model === model);
  useChanges(source);
  if (!data) {
    return (
      <Page title={model}>
        {error ? (
          <Problem what="The sources could not be read" error={error} onRetry={refetch} />
        ) : (
          <Loading what="the source">
            <Skeleton lines={10} height="2rem" />
          </Loading>
        )}
      </Page>
    );
  }
  if (!source) {
    return (
      <Page title={model}>
        <Empty icon={<SearchX aria-hidden />} title="There is no such source">
          <p>
            It may have been taken out of the configuration, or belong to a project that you may not see.{' '}
            <Link to="/records">All sources</Link>
          </p>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={model} about={<About source={source} />}>
      <SourceTable key={model} source={source} onSourceChanged={() => void refetch()} />
    </Page>
  );
}

function About({ source: { type, records, columns, id } }: { source: RecordSource }) {
  const parts = [
    type,
    ...(records === null ? [] : [plural(records, 'record')]),
    ...(columns.length === 0 ? [] : [plural(columns.length, 'column')]),
  ];
  return (
    <>
      <Link to="/records">Sources</Link> · {parts.join(' · ')}
      {id !== null && (
        <>
          {' '}
          · named by <bdi>{id}</bdi>
        </>
      )}
    </>
  );
}

function SourceTable({ source, onSourceChanged }: { source: RecordSource; onSourceChanged: () => void }) {
  const search: RecordsSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { where = NOWHERE, sort, page = 1, record, row } = search;
  const [isChoosing, setChoosing] = useState(false);
  const all = source.columns.map(({ name }) => name);
  const chosen = search.columns?.filter((name) => all.includes(name)) ?? [];
  const fields = chosen.length > 0 ? chosen : all.slice(0, USUAL);
  const question = { filters: filtersOf(where), sort, ...(fields.length > 0 && { fields }) };
  const { data, error, refetch, isPlaceholderData, isFetching } = usePageOf(
    source.model,
    question,
    page,
    SIZE,
  );
  const change = (changes: RecordsSearch, replace = false) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), replace });
  const setWhere = (next: readonly Where[]) =>
    change({ where: next.length > 0 ? next : undefined, page: undefined, record: undefined, row: undefined });
  const tools = (
    <div className={styles.tools}>
      <Filters columns={source.columns} where={where} onChange={setWhere} />
      <span className={styles.right}>
        <Button
          size="small"
          icon={<Columns3 aria-hidden />}
          disabled={all.length === 0}
          onClick={() => setChoosing(true)}
        >
          {all.length === 0 ? 'Columns' : `${count(fields.length)} of ${plural(all.length, 'column')}`}
        </Button>
        <IconButton
          label="Read again"
          disabled={isFetching}
          onClick={() => {
            onSourceChanged();
            void refetch();
          }}
        >
          <RefreshCw aria-hidden />
        </IconButton>
      </span>
    </div>
  );
  const choosing = isChoosing && (
    <Suspense>
      <ColumnsDialog
        source={source}
        shown={fields}
        onChange={(columns) => change({ columns }, true)}
        onClose={() => setChoosing(false)}
      />
    </Suspense>
  );
  if (error && (!data || isPlaceholderData)) {
    return (
      <>
        {tools}
        {isIndexing(error) ? (
          <Indexing message={error.message} />
        ) : (
          <Problem what="The records could not be read" error={error} onRetry={() => void refetch()} />
        )}
        {!isIndexing(error) && (where.length > 0 || sort !== undefined || page > 1) && (
          <p>
            <Link to="/records/source/$model" params={{ model: source.model }}>
              Show all records, from the first page
            </Link>
          </p>
        )}
        {choosing}
      </>
    );
  }
  if (!data) {
    return (
      <>
        {tools}
        <Loading what="records">
          <Skeleton lines={12} height="1.75rem" />
        </Loading>
      </>
    );
  }
  const { records, pagination, notices } = data;
  const { per_page, total, total_pages } = pagination;
  const offset = (pagination.page - 1) * per_page;
  const types = new Map(source.columns.map(({ name, type }) => [name, type]));
  const columns = data.columns
    .slice(0, Math.max(fields.length, USUAL))
    .map((name) => ({ name, type: types.get(name) ?? 'text' }));
  const hasMore = total_pages === undefined ? records.length === per_page : pagination.page < total_pages;
  const idAt = (place: number): string | number | undefined => {
    const id = source.id === null ? undefined : valueIn(records[place]!, source.id);
    return typeof id === 'number' || (typeof id === 'string' && id !== '') ? id : undefined;
  };
  const open = (place: number) => {
    const id = idAt(place);
    change(
      id === undefined ? { row: offset + place + 1, record: undefined } : { record: id, row: undefined },
    );
  };
  const close = () => change({ record: undefined, row: undefined });
  const go = (to: number) => {
    if (to !== page) change({ page: to === 1 ? undefined : to, record: undefined, row: undefined });
    return to !== page;
  };
  const turn = (to: 1 | -1 | 'first' | 'last') => {
    if (to === 'first') return go(1);
    if (to === 'last') return total_pages !== undefined && go(total_pages);
    return (to === 1 ? hasMore : page > 1) && go(page + to);
  };
  const chosenSort = sort === undefined ? undefined : sortOf(sort, all);
  const wanted: WantedRecord | undefined =
    record !== undefined ? { id: record } : row !== undefined ? { row, question } : undefined;
  const readAt =
    record !== undefined
      ? records.findIndex((_, place) => idAt(place) === record)
      : row !== undefined
        ? row - 1 - offset
        : -1;
  const at = readAt >= 0 && readAt < records.length ? readAt : undefined;
  return (
    <>
      {tools}
      {error && !isIndexing(error) && (
        <Problem
          what="The records could not be read again: these are from before"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {notices.map((notice) => (
        <p key={notice} className={styles.notice}>
          <bdi>{notice}</bdi>
        </p>
      ))}
      <section className={styles.panel} aria-label={`Records of ${source.model}`}>
        {records.length === 0 ? (
          <Nothing isFiltered={where.length > 0} isPast={page > 1} onAll={() => setWhere([])} />
        ) : (
          <RecordGrid
            label={`Records of ${source.model}`}
            {...{ columns, records, offset, total }}
            sort={chosenSort}
            onSort={(by) =>
              change({
                sort: writeSort({ by, isDown: chosenSort?.by === by && !chosenSort.isDown }),
                page: undefined,
                row: undefined,
              })
            }
            chosen={at}
            onOpen={open}
            onTurn={turn}
            isOld={isPlaceholderData}
          />
        )}
        <footer className={styles.footer}>
          <span role="status" className={styles.range}>
            {records.length > 0 && `${count(offset + 1)}–${count(offset + records.length)}`}
            {total !== undefined && `${records.length > 0 ? ' of ' : ''}${plural(total, 'record')}`}
          </span>
          <Pager page={page} pages={total_pages} hasMore={hasMore} onGo={go} />
        </footer>
      </section>
      {choosing}
      {wanted && (
        <Suspense>
          <RecordSheet
            source={source}
            wanted={wanted}
            onClose={close}
            onFilter={(condition) => setWhere(withCondition(where, condition))}
            onBefore={at !== undefined && at > 0 ? () => open(at - 1) : undefined}
            onAfter={at !== undefined && at < records.length - 1 ? () => open(at + 1) : undefined}
          />
        </Suspense>
      )}
    </>
  );
}

/** A column's own name may begin with what means “from the largest down”. */
function sortOf(sort: string, columns: readonly string[]) {
  return columns.includes(sort) ? { by: sort, isDown: false } : readSort(sort, { by: sort, isDown: false });
}

function Nothing({ isFiltered, isPast, onAll }: { isFiltered: boolean; isPast: boolean; onAll: () => void }) {
  if (isFiltered) {
    return (
      <Empty
        icon={<SearchX aria-hidden />}
        title="No record is like that"
        actions={<Button onClick={onAll}>Remove the filters</Button>}
      >
        <p>All conditions have to hold. Change one of them, or remove it.</p>
      </Empty>
    );
  }
  return (
    <Empty
      icon={<SearchX aria-hidden />}
      title={isPast ? 'This page is past the end' : 'The source is empty'}
    >
      <p>{isPast ? 'Go back to a page that there is.' : 'Records appear here once there are some.'}</p>
    </Empty>
  );
}

function Indexing({ message }: { message: string }) {
  return (
    <Loading what="records">
      <p role="status">{message}</p>
      <p className={styles.notice}>
        A large file is read into an index once. This page shows it when that is done.
      </p>
      <Skeleton lines={8} height="1.75rem" />
    </Loading>
  );
}
