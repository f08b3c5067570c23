import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useHeadingFor } from '../design/hooks/use-heading-for.ts';
import { Page } from '../design/layout/page.tsx';
import { Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import { ConversationList } from './list/list.tsx';
import { ConversationPicker } from './list/picker.tsx';
import { useLiveWindows } from './live/live.ts';
import { useSessions, useWindow, useWindows } from './queries.ts';
import styles from './view.module.css';

/** At once, beside what is asked for: nearly everybody has a conversation to look at. */
const conversation = import('./conversation/conversation.tsx');
const Conversation = lazy(() => conversation);
const MeteredSession = lazy(() => import('./list/metered-session.tsx'));
const Start = lazy(() => import('./list/start.tsx'));

/** Sessions that only the server meters are shown under their own id. */
const SESSION = 'sess_';

/** What is in a model's window right now, and why. */
export function WindowView() {
  const { conversation: name } = useParams({ strict: false });
  const [pages, setPages] = useState(1);
  const { data: list, error, refetch } = useWindows(pages);
  const { data: metered } = useSessions(true);
  const sessions = metered?.sessions ?? [];
  const latest = list?.windows[0]?.id;
  const navigate = useNavigate();
  const isHeadingFor = useHeadingFor();
  const isSession = name?.startsWith(SESSION) ?? false;
  const isConversation = name !== undefined && !isSession;
  const { data: chosen } = useWindow(name ?? '', isConversation);
  useLiveWindows({ chosen: chosen?.id, showsSessions: chosen === undefined });
  useEffect(() => {
    if (name !== undefined || latest === undefined || !isHeadingFor('/window')) return;
    void navigate({ to: '/window/$conversation', params: { conversation: latest }, replace: true });
  }, [name, latest, navigate, isHeadingFor]);
  if (error && !list) {
    return (
      <Page title="Window">
        <Problem what="The conversations could not be read" error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (!list || (name === undefined && latest !== undefined)) return <Waiting />;
  if (name === undefined) {
    return (
      <Suspense fallback={<Waiting />}>
        <Start sessions={sessions} />
      </Suspense>
    );
  }
  const others = { list, sessions, chosen: chosen?.id ?? name, onMore: () => setPages(pages + 1) };
  return (
    <div className={styles.view}>
      <aside className={styles.side} aria-label="Conversations">
        <ConversationList {...others} />
      </aside>
      <div className={styles.main}>
        <Suspense fallback={<Waiting />}>
          {isSession ? (
            <MeteredSession id={name} picker={<ConversationPicker {...others} />} />
          ) : (
            <Conversation key={name} name={name} picker={<ConversationPicker {...others} />} />
          )}
        </Suspense>
      </div>
    </div>
  );
}

function Waiting() {
  return (
    <Page title="Window">
      <Loading what="the window">
        <div className={styles.skeletons}>
          <Skeleton height="5rem" />
          <Skeleton height="16rem" />
          <Skeleton lines={6} />
        </div>
      </Loading>
    </Page>
  );
}
