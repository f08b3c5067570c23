import { Fragment } from 'react';
import { classes } from '../design/classes.ts';
import { Badge } from '../design/data/badge.tsx';
import { CopyButton } from '../design/data/code.tsx';
import { count } from '../design/data/format.ts';
import { Panel } from '../design/layout/panel.tsx';
import { type Column, Table } from '../design/table/table.tsx';
import { FilterField, useFilter } from './filter.tsx';
import styles from './values.module.css';

export interface Value {
  name: string;
  text: string;
  /** In units that one can picture. */
  meaning?: string | undefined;
  origin: string;
  environment: string;
}

const columns: Column<Value>[] = [
  { name: 'Name', cell: ({ name }) => <Name text={name} /> },
  {
    name: 'Value',
    cell: ({ text, meaning }) => (
      <>
        <span className={classes(styles.text, text.includes('\n') && styles.lines)}>{text}</span>
        {meaning !== undefined && <span className={styles.meaning}> ({meaning})</span>}
      </>
    ),
  },
  {
    name: 'Set by',
    cell: ({ origin }) => <Badge tone={origin === 'default' ? 'mute' : 'note'}>{origin}</Badge>,
  },
  {
    name: 'Environment variable',
    isExtra: true,
    cell: ({ environment }) => (
      <span className={styles.variable}>
        <code>{environment}</code>
        <CopyButton text={environment} label={`Copy ${environment}`} />
      </span>
    ),
  },
];

/** Names are words written together, and break between them. */
function Name({ text }: { text: string }) {
  return (
    <code className={styles.name}>
      {text.split(/(?=[A-Z])|(?<=\.)/).map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one name stay where they are
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  );
}

/** Values with what set them, to be looked through. */
export function Values({ caption, label, values }: { caption: string; label: string; values: Value[] }) {
  const { sought, setSought, found } = useFilter(values, ({ name, text, origin, environment }) =>
    [name, text, origin, environment].join(' '),
  );
  return (
    <Panel isFlush>
      <FilterField label={label} sought={sought} onChange={setSought}>
        {found.length === values.length
          ? count(values.length)
          : `${count(found.length)} of ${count(values.length)}`}
      </FilterField>
      {found.length > 0 ? (
        <Table caption={caption} columns={columns} rows={found} keyOf={({ name }) => name} />
      ) : (
        <p className={styles.none}>No name, value, origin or variable contains these words.</p>
      )}
    </Panel>
  );
}
