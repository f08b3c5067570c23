import type { WindowView } from '@infold/protocol';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import type { WindowSearch } from '../../app/search.ts';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { useNow } from '../../design/hooks/use-now.ts';
import { Page } from '../../design/layout/page.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { DecisionsPanel } from '../decisions/decisions.tsx';
import { isLive, nameOf } from '../list/conversations.ts';
import { PromptPanel } from '../prompt/prompt.tsx';
import { useDecisions, usePrompt, useTurns, useWindow } from '../queries.ts';
import { ChartPanel } from '../turns/chart-panel.tsx';
import styles from './conversation.module.css';
import { Head } from './head.tsx';
import { WindowSwitch } from './switch.tsx';

const BlockSheet = lazy(() => import('../prompt/block.tsx'));
const OriginalSheet = lazy(() => import('../decisions/original.tsx'));

/** One conversation: what its prompt holds now, how it came to that, and what left. */
export default function Conversation({ name, picker }: { name: string; picker: ReactNode }) {
  const { data: view, error, refetch } = useWindow(name);
  if (view) return <Known view={view} picker={picker} />;
  return (
    <Page title="Window" actions={picker}>
      {error ? (
        <Problem what="The conversation could not be read" error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="the conversation" />
      )}
    </Page>
  );
}

function Known({ view, picker }: { view: WindowView; picker: ReactNode }) {
  const { id } = view;
  const search = useSearch({ strict: false }) as WindowSearch;
  const navigate = useNavigate();
  const now = useNow();
  const turns = useTurns(id);
  const decisions = useDecisions(id, view.forked_from);
  const prompt = usePrompt(id);
  const go = (change: WindowSearch, replace = false) =>
    void navigate({
      to: '.',
      search: (before: WindowSearch) => ({ ...before, ...change }),
      replace,
      resetScroll: false,
    });
  const { host, model } = nameOf(view);
  const openOriginal = (handle: string) => go({ handle, block: undefined });
  return (
    <Page
      title={host}
      about={
        <span className={styles.about}>
          {isLive(view, now) && <Badge tone="good">live</Badge>}
          <span className={styles.model}>{model}</span>
          <span>
            last used <Time at={view.last_at} />
          </span>
          {view.forked_from !== null && (
            <Link to="/window/$conversation" params={{ conversation: view.forked_from }}>
              continues another
            </Link>
          )}
        </span>
      }
      actions={
        <>
          {picker}
          <WindowSwitch view={view} />
        </>
      }
    >
      {turns.error && !turns.data ? (
        <Problem
          what="The turns could not be read"
          error={turns.error}
          onRetry={() => void turns.refetch()}
        />
      ) : turns.data ? (
        <>
          <Head view={view} turns={turns.data} limit={prompt.data?.context_window ?? null} />
          <ChartPanel
            turns={turns.data}
            limit={prompt.data?.context_window ?? null}
            chosen={search.turn}
            onChoose={(turn, replace) => go({ turn }, replace)}
          />
        </>
      ) : (
        <Loading what="the turns">
          <Skeleton height="24rem" />
        </Loading>
      )}
      <PromptPanel
        prompt={prompt.data}
        error={prompt.error}
        onRetry={() => void prompt.refetch()}
        onOpen={(block) => go({ block, handle: undefined })}
      />
      <DecisionsPanel
        decisions={decisions.data}
        error={decisions.error}
        onRetry={() => void decisions.refetch()}
        onOpen={openOriginal}
      />
      <Suspense>
        {search.block !== undefined && (
          <BlockSheet
            id={id}
            index={search.block}
            prompt={prompt.data}
            onClose={() => go({ block: undefined })}
            onOriginal={openOriginal}
          />
        )}
        {search.handle !== undefined && (
          <OriginalSheet
            handle={search.handle}
            decisions={decisions.data}
            onWhole={() => void decisions.refetch()}
            onClose={() => go({ handle: undefined })}
          />
        )}
      </Suspense>
    </Page>
  );
}
