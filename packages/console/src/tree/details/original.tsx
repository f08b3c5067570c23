import { Link } from '@tanstack/react-router';
import { Button } from '../../design/controls/button.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { count } from '../../design/data/format.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { MAIN } from '../model/tree.ts';
import { useOriginal } from '../queries.ts';
import { type ArchivedItem, archivedItem, textOf } from './archived-item.ts';
import styles from './panel.module.css';

/** What a handle stands for, from the archive: to be read, and never changed. */
export function Original({ handle }: { handle: string }) {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } =
    useOriginal(handle);
  if (isPending) return <Loading what="the original" />;
  if (!data) {
    return <Problem what="The original could not be read" error={error} onRetry={() => void refetch()} />;
  }
  const items = data.pages.flatMap((page) => page.items.map(archivedItem));
  return (
    <>
      <ol className={styles.items}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are read in order, and none goes
          <li key={index}>
            {item.type === 'output' && items[index - 1]?.type !== 'output' && <h4>Answered</h4>}
            <Archived item={item} />
          </li>
        ))}
      </ol>
      {error && <Problem what="More could not be read" error={error} />}
      {hasNextPage && (
        <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Read on (page {data.pages.length + 1} of {count(data.pages.at(-1)!.total_pages)})
        </Button>
      )}
    </>
  );
}

function Archived({ item }: { item: ArchivedItem }) {
  switch (item.type) {
    case 'branch':
      return item.prompt ? (
        <>
          <h4>Prompt</h4>
          <CodeBlock label="Prompt" text={item.prompt} />
        </>
      ) : null;
    case 'summary':
      return (
        <>
          <h4>Summary</h4>
          <CodeBlock label="Summary" text={item.text} />
        </>
      );
    case 'child':
      return (
        <p className={styles.child}>
          <NodeLink node={item.handle}>
            <bdi>{item.description}</bdi>
          </NodeLink>
          <span className={styles.soft}>
            {item.status} · {count(item.tokens)} tokens
          </span>
        </p>
      );
    case 'operation':
      return <ArchivedOperation item={item} />;
    case 'call':
      return item.input === undefined ? (
        <p className={styles.soft}>Its input is not on record.</p>
      ) : (
        <>
          <h4>Given</h4>
          <CodeBlock label="Input" text={textOf(item.input)} />
        </>
      );
    case 'output':
      return <CodeBlock label="Output" text={item.text} />;
    case 'other':
      return <CodeBlock label="Item" text={item.text} />;
  }
}

function ArchivedOperation({ item }: { item: Extract<ArchivedItem, { type: 'operation' }> }) {
  return (
    <details className={styles.operation}>
      <summary>
        <bdi className={styles.tool}>{item.tool}</bdi>
        <span className={styles.soft}>
          {item.isErased ? 'forgotten' : `${count(item.tokens)} tokens`}
          {item.isDiscarded && ' · discarded'}
        </span>
      </summary>
      {item.input !== undefined && <CodeBlock label="Input" text={textOf(item.input)} />}
      {item.output !== undefined && <CodeBlock label="Output" text={textOf(item.output)} />}
      <NodeLink node={item.handle}>{item.isCut ? 'Read all of it' : 'Open it'}</NodeLink>
    </details>
  );
}

/** To another node of the same session, at the same time. */
export function NodeLink({ node, children }: { node: string; children: React.ReactNode }) {
  return (
    <Link to="." search={(search) => ({ ...search, node: node === '' ? MAIN : node })}>
      {children}
    </Link>
  );
}
