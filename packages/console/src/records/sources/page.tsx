import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Table2 } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { LoadSamples } from '../../app/samples.tsx';
import { Tooltip } from '../../design/controls/tooltip.tsx';
import { Badge, type Tone } from '../../design/data/badge.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { compact, count, plural } from '../../design/data/format.ts';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { Frame } from '../frame.tsx';
import { type RecordSource, sourcesQuery } from '../queries.ts';
import styles from './page.module.css';

export function SourcesPage() {
  return (
    <Frame about="Files and tables that agents read, page by page.">
      <Sources />
    </Frame>
  );
}

function Sources() {
  const { data, error, refetch } = useQuery(sourcesQuery(useAccount().session));
  if (error && !data) return <Problem what="The sources could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="sources">
        <Skeleton lines={3} height="9rem" />
      </Loading>
    );
  }
  if (data.sources.length === 0) return <NoSources />;
  return (
    <ul className={styles.sources} aria-label="Sources">
      {data.sources.map((source) => (
        <SourceCard
          key={source.model}
          source={source}
          // The server names the source that each of its notices is about.
          notices={data.notices.filter((notice) => notice.startsWith(`${source.model}: `))}
        />
      ))}
    </ul>
  );
}

/** Columns that are named on the card; the table has all. */
const SHOWN = 14;

function SourceCard({ source, notices }: { source: RecordSource; notices: string[] }) {
  const { model, type, id, columns, records } = source;
  const isEmpty = columns.length === 0;
  return (
    <li className={styles.source}>
      <header className={styles.head}>
        <h2>
          <Link to="/records/source/$model" params={{ model }} className={styles.name}>
            <Table2 aria-hidden />
            <bdi>{model}</bdi>
          </Link>
        </h2>
        <span className={styles.badges}>
          <Badge>{type}</Badge>
          <State source={source} />
        </span>
      </header>
      <p className={styles.counts}>
        {records !== null && (
          <Tooltip text={plural(records, 'record')}>
            <strong>{compact(records)}</strong>
          </Tooltip>
        )}
        {records !== null && (records === 1 ? ' record' : ' records')}
        {records === null && !isEmpty && 'Counted when it is opened'}
        {records === null &&
          isEmpty &&
          (source.state === 'unavailable' ? 'Cannot be read' : 'Opening it reads it into an index')}
        {!isEmpty && ` · ${plural(columns.length, 'column')}`}
      </p>
      {notices.map((notice) => (
        <p key={notice} className={styles.notice}>
          <bdi>{notice.slice(model.length + 2)}</bdi>
        </p>
      ))}
      {!isEmpty && (
        <ul className={styles.columns} aria-label={`Columns of ${model}`}>
          {columns.slice(0, SHOWN).map((column) => (
            <li key={column.name} className={styles.column}>
              <bdi className={styles.columnName}>{column.name}</bdi>
              <span className={styles.type}>{column.name === id ? `${column.type}, id` : column.type}</span>
            </li>
          ))}
          {columns.length > SHOWN && (
            <li className={styles.more}>and {count(columns.length - SHOWN)} more</li>
          )}
        </ul>
      )}
    </li>
  );
}

const TONES: Record<string, Tone> = { ready: 'good', unavailable: 'bad' };

function State({ source: { state } }: { source: RecordSource }) {
  return <Badge tone={TONES[state] ?? 'note'}>{state}</Badge>;
}

const EXAMPLE = `{
  "sources": {
    "activity": { "type": "jsonl", "path": "activities.jsonl", "id": "id" },
    "ticket": { "type": "postgres", "url": "env:TICKETS_URL", "table": "tickets" }
  }
}`;

function NoSources() {
  return (
    <Empty icon={<Table2 aria-hidden />} title="No source yet" actions={<LoadSamples />}>
      <p>
        A source is a CSV, JSONL or JSON file, or a table of SQLite or PostgreSQL. Agents page through it with{' '}
        <code>search_records</code>, and each page leaves their window once they have noted what they found.
      </p>
      <p>Name some in the configuration, and restart the server:</p>
      <div className={styles.example}>
        <CodeBlock label="A configuration with two sources" text={EXAMPLE} />
      </div>
    </Empty>
  );
}
