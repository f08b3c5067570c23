import type { WindowDecisionView } from '@infold/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Estimate, Time } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import styles from '../prompt/block.module.css';
import { KEYS } from '../queries.ts';
import { CAME_BACK, toolName, wordsFor } from '../rules.ts';
import { isCut } from './decided.ts';

interface OriginalSheetProps {
  handle: string;
  decisions: readonly WindowDecisionView[] | undefined;
  /** Asks for the decisions with their whole texts. */
  onWhole: () => void;
  onClose: () => void;
}

/** TCP-15: what left, as it was, to be read and nothing else. */
export default function OriginalSheet({ handle, decisions, onWhole, onClose }: OriginalSheetProps) {
  const decision = decisions?.findLast((one) => one.handle === handle);
  const isBrief = isCut(decision?.text ?? null);
  const askForWhole = useEffectEvent(onWhole);
  useEffect(() => {
    if (isBrief) askForWhole();
  }, [isBrief]);
  const title = decision ? `${wordsFor(decision.rule).name}: ${toolName(decision.tool)}` : 'Original';
  return (
    <Dialog isOpen onClose={onClose} title={title} isSheet>
      <div className={styles.sheet}>
        {decision && <Decision decision={decision} />}
        {!decisions ? (
          <Loading what="the original" />
        ) : decision?.is_held === false ? (
          <p>
            {decision.text === null
              ? 'Nothing was removed here, so there is no original to read.'
              : 'The original is no longer kept: the archive keeps what left for 30 days, or as long as “window.archiveDays” says.'}
          </p>
        ) : (
          <Original handle={handle} />
        )}
      </div>
    </Dialog>
  );
}

function Decision({ decision }: { decision: WindowDecisionView }) {
  const { rule, text, tokens, turn, at, tool, handle } = decision;
  return (
    <>
      <p>
        <strong>{wordsFor(rule).name}.</strong> {text === null ? CAME_BACK : wordsFor(rule).why}
      </p>
      <Facts>
        <Fact name="Tool">{tool}</Fact>
        <Fact name="Tokens">
          <Estimate>{count(tokens.before)}</Estimate> → {count(tokens.after)}
        </Fact>
        <Fact name="Decided">
          for turn {turn}, <Time at={at} />
        </Fact>
        <Fact name="Handle">
          <code>{handle}</code>
        </Fact>
      </Facts>
      {text !== null && text !== '' && (
        <section className={styles.part}>
          <h3>Placeholder</h3>
          <CodeBlock text={text} label="Placeholder" />
        </section>
      )}
    </>
  );
}

function Original({ handle }: { handle: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useOriginal(handle);
  if (error && !data) {
    return <Problem what="The original could not be read" error={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Loading what="the original" />;
  const text = data.pages.flatMap(({ items }) => items.map(textOf)).join('');
  const last = data.pages.at(-1)!;
  return (
    <section className={styles.part}>
      <h3>Original, read only</h3>
      <CodeBlock text={text} label="Original" />
      {hasNextPage && (
        <Button size="small" onClick={() => void fetchNextPage()} isBusy={isFetchingNextPage}>
          Page {last.page + 1} of {last.total_pages}
        </Button>
      )}
    </section>
  );
}

/** What left, page by page, as it was. */
function useOriginal(handle: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: KEYS.original(handle),
    queryFn: ({ signal, pageParam }) => api.contextExpand({ handle, page: pageParam }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, total_pages }) => (page < total_pages ? page + 1 : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The archive gives pieces of a text; whatever else has a handle is shown as data. */
function textOf(item: unknown): string {
  const { text } = (item ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : `${JSON.stringify(item, null, 2)}\n`;
}
