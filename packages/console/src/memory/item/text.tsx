import { Choice } from '../../design/controls/choice.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Markdown } from '../../design/data/markdown.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import type { MemoryItem } from '../queries.ts';
import styles from './text.module.css';

const WAYS = [
  { value: 'read', label: 'Read' },
  { value: 'text', label: 'As written' },
  { value: 'passages', label: 'Passages' },
] as const;
type Way = (typeof WAYS)[number]['value'];

/** What an item says: to be read, letter by letter, or by the parts that are searched by themselves. */
export function ItemText({ item: { content, passages } }: { item: MemoryItem }) {
  const { tab } = useAddress();
  const change = useChangeAddress();
  const way = WAYS.find(({ value }) => value === tab)?.value ?? 'read';
  return (
    <Panel
      title="What it says"
      aside={
        <Choice<Way>
          label="How it is shown"
          options={WAYS}
          value={way}
          onChange={(next) => change({ tab: next === 'read' ? undefined : next }, true)}
        />
      }
    >
      {way === 'read' && (
        <div className={styles.read} dir="auto">
          <Markdown text={content} />
        </div>
      )}
      {way === 'text' && <CodeBlock label="As it was written" text={content} />}
      {way === 'passages' && (
        <ol className={styles.passages} aria-label="Passages">
          {passages.map(({ begin, end, heading }) => (
            <li key={begin} className={styles.passage}>
              <span className={styles.place}>
                {begin}–{end}
                {heading !== '' && (
                  <>
                    {' · '}
                    <bdi>{heading}</bdi>
                  </>
                )}
              </span>
              <p dir="auto">{content.slice(begin, end)}</p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
