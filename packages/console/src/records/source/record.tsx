import { ChevronDown, ChevronUp, ListFilter } from 'lucide-react';
import { Button, IconButton } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { CodeBlock, CopyButton } from '../../design/data/code.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type RecordSource, type RecordValues, useRecord, type WantedRecord } from '../queries.ts';
import type { Where } from '../search.ts';
import { cut, isScalar, textOf, valueIn } from '../values.ts';
import styles from './record.module.css';

interface RecordSheetProps {
  source: RecordSource;
  wanted: WantedRecord;
  onClose: () => void;
  onFilter: (condition: Where) => void;
  /** To the one before and after it in the table; undefined where it is not there. */
  onBefore: (() => void) | undefined;
  onAfter: (() => void) | undefined;
}

/** One record with all of its fields. */
export default function RecordSheet({
  source,
  wanted,
  onClose,
  onFilter,
  onBefore,
  onAfter,
}: RecordSheetProps) {
  const { data, error, refetch } = useRecord(source.model, wanted);
  const name = 'id' in wanted ? String(wanted.id) : `row ${wanted.row.toLocaleString('en')}`;
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title={
        <>
          <bdi>{source.model}</bdi> <bdi>{cut(name, 100)}</bdi>
        </>
      }
      actions={
        <>
          {data && data.records.length > 0 && (
            <CopyButton
              text={data.records.map((one) => JSON.stringify(one, null, 2)).join('\n')}
              label="Copy as JSON"
            />
          )}
          <Button size="small" icon={<ChevronUp aria-hidden />} disabled={!onBefore} onClick={onBefore}>
            Previous
          </Button>
          <Button size="small" icon={<ChevronDown aria-hidden />} disabled={!onAfter} onClick={onAfter}>
            Next
          </Button>
        </>
      }
    >
      {error && <Problem what="The record could not be read" error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Loading what="the record">
          <Skeleton lines={8} height="1.5rem" />
        </Loading>
      )}
      {data?.notices.map((notice) => (
        <p key={notice} className={styles.notice}>
          {notice}
        </p>
      ))}
      {data && data.records.length === 0 && <p>There is no such record any more.</p>}
      {data?.records.map((record, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several have the same id only where ids are none
        <Fields key={place} {...{ source, record, onFilter }} />
      ))}
    </Dialog>
  );
}

function Fields({
  source,
  record,
  onFilter,
}: {
  source: RecordSource;
  record: RecordValues;
  onFilter: (condition: Where) => void;
}) {
  const known = new Map(source.columns.map(({ name, type }) => [name, type]));
  const names = [...new Set([...known.keys(), ...Object.keys(record)])];
  return (
    <div className={styles.record}>
      <dl className={styles.fields}>
        {names.map((name) => (
          <Field key={name} {...{ name, onFilter }} type={known.get(name)} value={valueIn(record, name)} />
        ))}
      </dl>
    </div>
  );
}

/** Longer texts, and those of several lines, are shown as a block. */
const SHORT = 240;

interface FieldProps {
  name: string;
  type: string | undefined;
  value: unknown;
  onFilter: (condition: Where) => void;
}

function Field({ name, type, value, onFilter }: FieldProps) {
  const isNone = value === undefined || value === null;
  const text = typeof value === 'object' && !isNone ? JSON.stringify(value, null, 2) : textOf(value);
  const isShort = text.length <= SHORT && !text.includes('\n');
  // A column that the source does not name cannot be asked for, nor can a value that is made of others be compared.
  const condition: Where | undefined =
    type === undefined || type === 'json'
      ? undefined
      : isNone
        ? [name, 'is_null', true]
        : isScalar(value) && isShort
          ? [name, 'eq', value]
          : undefined;
  return (
    <div className={styles.field}>
      <dt>
        <bdi>{name === '' ? '(no name)' : name}</bdi>
        {type !== undefined && <span className={styles.type}>{type}</span>}
      </dt>
      <dd>
        {isNone ? (
          <span className={styles.none}>no value</span>
        ) : text === '' ? (
          <span className={styles.none}>empty text</span>
        ) : isShort ? (
          <bdi>{text}</bdi>
        ) : (
          <CodeBlock text={text} label={`Value of ${name}`} />
        )}
      </dd>
      <dd className={styles.action}>
        {condition && (
          <IconButton label={`Only records with this ${cut(name, 40)}`} onClick={() => onFilter(condition)}>
            <ListFilter aria-hidden />
          </IconButton>
        )}
      </dd>
    </div>
  );
}
