import { useState } from 'react';
import { CodeBlock } from '../../design/data/code.tsx';
import { plural } from '../../design/data/format.ts';
import { Markdown } from '../../design/data/markdown.tsx';
import { Table } from '../../design/table/table.tsx';
import type { ToolAnswer } from '../entries.ts';
import styles from './answer.module.css';
import {
  cellOf,
  contentText,
  isFigure,
  isTabular,
  type ResultRow,
  roomFor,
  type Shape,
  shapeOf,
} from './shape.ts';

/** What a tool answered: as records where it is made of them, else as text; and as the model reads it, on request. */
export function Answer({ answer, label }: { answer: ToolAnswer; label: string }) {
  const text = contentText(answer.content);
  const shape = answer.isError ? undefined : shapeOf(answer.structuredContent);
  // Where a server wrote words for the model, they say more than the fields they were made of.
  const isWords = text !== '' && !isData(text);
  const [isText, setText] = useState(isWords);
  if (!shape || (isWords && !isTabular(shape))) {
    return <Words text={text} isError={answer.isError === true} label={label} />;
  }
  return (
    <div className={styles.answer}>
      {isText ? <Words text={text} isError={false} label={label} /> : <Records shape={shape} label={label} />}
      {text !== '' && (
        <button type="button" className={styles.switch} onClick={() => setText(!isText)}>
          {isText ? 'Show as records' : 'Show as the model reads it'}
        </button>
      )}
    </div>
  );
}

const isData = (text: string) => /^\s*[[{]/.test(text);

function Words({ text, isError, label }: { text: string; isError: boolean; label: string }) {
  if (text === '') return <p className={styles.nothing}>It answered nothing.</p>;
  if (isError) return <p className={styles.error}>{text}</p>;
  if (isData(text)) return <CodeBlock text={text} label={label} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.words} aria-label={label} tabIndex={0}>
      <Markdown text={text} />
    </section>
  );
}

function Records({ shape: { fields, tables }, label }: { shape: Shape; label: string }) {
  return (
    <>
      {tables.map(({ name, columns, rows, more }) => (
        <div key={name} className={styles.table}>
          <Table
            caption={name === '' ? label : `${label}: ${name}`}
            columns={columns.map((column) => ({
              name: column,
              isFigure: isFigure(rows, column),
              cell: ({ values }: { values: ResultRow }) => (
                <Cell text={cellOf(values[column])} room={roomFor(rows, column)} />
              ),
            }))}
            rows={rows.map((values, index) => ({ index, values }))}
            keyOf={({ index }) => String(index)}
          />
          {more > 0 && <p className={styles.rest}>{plural(more, 'more row')}: the text has all of them.</p>}
        </div>
      ))}
      {fields.length > 0 && (
        <dl className={styles.fields}>
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Cell text={cellOf(value)} room="line" />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** Long texts are cut where they stand; the whole is one click away. */
function Cell({ text, room }: { text: string; room: ReturnType<typeof roomFor> }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= LONG) {
    return (
      <span dir="auto" className={styles[room]}>
        {text}
      </span>
    );
  }
  return (
    <span dir="auto" className={styles[room]}>
      {isWhole ? text : `${text.slice(0, LONG)}… `}
      <button type="button" className={styles.more} onClick={() => setWhole(!isWhole)}>
        {isWhole ? ' less' : 'more'}
      </button>
    </span>
  );
}

const LONG = 120;
