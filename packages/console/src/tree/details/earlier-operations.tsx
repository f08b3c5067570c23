import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { count, timeOfDay } from '../../design/data/format.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { reduce } from '../model/reduce.ts';
import { emptyTree, handleOf, type Operation, type Tree } from '../model/tree.ts';
import { NodeLink } from './original.tsx';
import styles from './panel.module.css';

/** Operations of a branch that the page no longer holds, from the first one on. */
export function EarlierOperations({ tree, branch }: { tree: Tree; branch: string }) {
  const api = useApi();
  const held = tree.branches.get(branch)!.items.find(({ kind }) => kind === 'operation');
  const until = (held?.seq ?? tree.seq + 1) - 1;
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['tree', 'earlier', tree.session, branch],
      queryFn: async ({ signal, pageParam }) => {
        const page = { id: tree.session, limit: 500, ...(pageParam !== null && { cursor: pageParam }) };
        return api.listSessionEntries(page, { signal });
      },
      initialPageParam: null as string | null,
      getNextPageParam: ({ next, entries }) => ((entries.at(-1)?.seq ?? 0) >= until ? null : next),
      gcTime: 10_000,
    });
  if (isPending) return <Loading what="earlier operations" />;
  if (!data) {
    return <Problem what="They could not be read" error={error} onRetry={() => void refetch()} />;
  }
  const entries = data.pages.flatMap((page) => page.entries).filter(({ seq }) => seq <= until);
  const operations = (reduce(emptyTree(tree.session), entries).branches.get(branch)?.items ?? []).filter(
    (item): item is Operation => item.kind === 'operation',
  );
  return (
    <section className={styles.part}>
      <p className={styles.soft}>As they were counted then. Each links to its original.</p>
      <ol className={styles.items}>
        {operations.map((operation) => (
          <li key={handleOf(operation)} className={styles.child}>
            <NodeLink node={handleOf(operation)}>
              <bdi className={styles.tool}>{operation.tool}</bdi>
            </NodeLink>
            <span className={styles.soft}>
              {count(operation.counted)} tokens · {timeOfDay(operation.at)}
            </span>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Read on
        </Button>
      )}
    </section>
  );
}

/** The branch whose earlier operations a node stands for. */
export function earlierOf(tree: Tree, node: string): string | undefined {
  const branch = node.startsWith('earlier_') ? node.slice('earlier_'.length) : undefined;
  return branch !== undefined && tree.branches.has(branch) ? branch : undefined;
}
