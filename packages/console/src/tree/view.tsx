import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useHeadingFor } from '../design/hooks/use-heading-for.ts';
import { Page } from '../design/layout/page.tsx';
import { Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import { useFeed, useNames, useSession, useSessions } from './queries.ts';
import { SessionTree } from './session-tree.tsx';
import { NoSessions } from './sessions/no-sessions.tsx';
import type { SessionView } from './sessions/session-names.ts';
import { matching } from './sessions/session-names.ts';
import { SessionList, SessionPicker } from './sessions/sessions.tsx';
import styles from './view.module.css';

export function TreeView() {
  const { session: named } = useParams({ strict: false });
  const navigate = useNavigate();
  const isHeadingFor = useHeadingFor();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useSessions();
  const names = useNames();
  const sessions = data?.pages.flatMap((page) => page.sessions) ?? [];
  const latest = matching(sessions, names, '')[0]?.id;
  const wanted = named ?? latest;
  // The one that is shown stays, whichever is used next.
  useEffect(() => {
    if (named !== undefined || latest === undefined || !isHeadingFor('/tree')) return;
    const to = { to: '/tree/$session', params: { session: latest }, search: true, replace: true } as const;
    void navigate(to);
  }, [named, latest, navigate, isHeadingFor]);
  const about = 'What agents did, what they still hold of it, and what was folded away.';
  if (isPending) {
    return (
      <Page title="Tree" about={about}>
        <Loading what="sessions">
          <Skeleton lines={8} height="2rem" />
        </Loading>
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title="Tree" about={about}>
        <Problem what="The sessions could not be read" error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (wanted === undefined) {
    return (
      <Page title="Tree" about={about}>
        <NoSessions />
      </Page>
    );
  }
  const chosen = sessions.find(({ id, host_id }) => id === wanted || host_id === wanted);
  const list = { sessions, names, chosen: chosen?.id };
  return (
    <Page title="Tree" about={about}>
      <div className={styles.layout}>
        <SessionList
          {...list}
          onMore={hasNextPage ? () => void fetchNextPage() : undefined}
          isMoreBusy={isFetchingNextPage}
        />
        <SessionPicker
          {...list}
          onChoose={(session) => void navigate({ to: '/tree/$session', params: { session } })}
        />
        <Wanted id={wanted} known={chosen} />
      </div>
    </Page>
  );
}

function Wanted({ id, known }: { id: string; known: SessionView | undefined }) {
  const { data, error, refetch } = useSession(known ? undefined : id);
  const session = known ?? data;
  if (session) return <Shown key={session.id} session={session} />;
  if (error)
    return <Problem what="The session could not be read" error={error} onRetry={() => void refetch()} />;
  return (
    <Loading what="the session">
      <Skeleton lines={8} height="2rem" />
    </Loading>
  );
}

function Shown({ session }: { session: SessionView }) {
  const { at, node } = useSearch({ strict: false });
  const feed = useFeed(session.id);
  if (!feed) return null;
  return <SessionTree {...{ session, feed, at, node }} />;
}
