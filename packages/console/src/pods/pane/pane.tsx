import { useNavigate } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { useObservable } from '../../design/hooks/observable.ts';
import pane from '../../design/layout/pane.module.css';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { Details } from '../details/details.tsx';
import { usePodLink } from '../feed/connection.ts';
import type { PodMessage } from '../feed/feed.ts';
import { useFeed, usePastFeed } from '../feed/use-feed.ts';
import { useContexts, useFound, usePolicy, usePresenceInList } from '../queries.ts';
import { MessageGrid } from '../rows/grid.tsx';
import type { PodsSearch } from '../search.ts';
import { Composer } from '../send/composer.tsx';
import { draftOf } from '../send/draft.ts';
import { draftIn } from '../send/drafts.ts';
import { Outbox } from '../send/outbox.ts';
import { isFiltered } from '../wanted.ts';
import { Filters } from './filters.tsx';
import { Heading } from './heading.tsx';
import { LinkNotice } from './link-notice.tsx';
import styles from './pane.module.css';
import { Replay } from './replay.tsx';
import { useAt } from './use-at.ts';
import { usePodRows } from './use-rows.ts';

interface PaneProps {
  pod: string;
  /** The name of the project whose pod it is. */
  project: string | undefined;
  search: PodsSearch;
  /** The one that stands beside another. */
  isBeside: boolean;
}

/** One pod: who is there, what is said, and a place to say something. */
export function Pane({ pod, project, search, isBeside }: PaneProps) {
  const navigate = useNavigate();
  const { may, session } = useAccount();
  const mayWrite = may('write');
  const feed = useFeed(pod);
  const contexts = useContexts(pod);
  const { data: policy, error: policyProblem, refetch: readPolicy } = usePolicy(pod);
  const link = usePodLink({ pod, as: search.as, feed, onContext: contexts.refresh });
  usePresenceInList(pod, link.present.length);
  const names = isBeside
    ? ({ node: 'besideNode', at: 'besideAt' } as const)
    : ({ node: 'node', at: 'at' } as const);
  const node = search[names.node];
  const choose = (next: string | undefined) => {
    if (next?.startsWith('o:')) return takeBack(next.slice(2));
    void navigate({
      to: '.',
      search: (before) => ({
        ...before,
        [names.node]: next,
        ...(next !== undefined && { about: undefined }),
      }),
    });
  };
  /** What was refused can be changed, and sent again. */
  const takeBack = (id: string) => {
    const refused = outbox.read().outgoing.find((one) => one.id === id && one.refusal);
    if (!refused) return;
    outbox.forget(id);
    draft.change(() => draftOf(refused.draft));
  };
  const [at, go] = useAt(names.at, search[names.at]);
  const isPast = at !== undefined;
  const past = usePastFeed(pod, at);
  const newest = feed?.messages.at(-1)?.seq ?? 0;
  const found = useFound(pod, search.find, newest);
  const [outbox] = useState(() => new Outbox());
  // What is written and not sent waits for who comes back.
  const draft = draftIn(session, pod);
  const sent = useObservable(outbox);
  const source = isPast ? past : feed;
  const all = source?.messages ?? NONE;
  // The list is another one whenever a message came.
  useEffect(() => {
    const waiting = new Set(outbox.read().outgoing.map(({ id }) => id));
    if (waiting.size === 0) return;
    const recent = feed?.messages.slice(-RECENT) ?? [];
    outbox.heard(recent.map(({ envelope }) => envelope.id).filter((id) => waiting.has(id)));
  });
  const isFinding = search.find !== undefined;
  const messages = useMemo(() => {
    const wanted = isFinding ? found.messages : all;
    return at === undefined ? wanted : wanted.filter(({ seq }) => seq <= at);
  }, [isFinding, found.messages, all, at]);
  const outgoing = isPast || isFinding ? NOTHING_OUT : sent.outgoing;
  const { rows, toggle, toggleAll } = usePodRows({ messages, outgoing, contexts, search, me: link.name });
  const older = isFinding
    ? found.more
    : source?.hasOlder && !source.isReading
      ? () => void source.older()
      : undefined;
  const problem = isFinding ? found.problem : source?.problem;
  const isLoading = isFinding ? found.isPending : !source?.isBegun && problem === undefined;
  // Filters and closed contexts may leave so little of a page that nobody can scroll to the next one: it is read by itself,
  // but not without end.
  const isSparse = rows.length < ENOUGH;
  const isStopped = isSparse && all.length >= MOST_BY_ITSELF && older !== undefined;
  const wantsMore = isSparse && !isStopped && problem === undefined;
  useEffect(() => {
    if (wantsMore) older?.();
  });
  const types = useMemo(
    () => [...new Set([...contexts.byId.values()].flatMap(({ type }) => type ?? []))].sort(),
    [contexts.byId],
  );
  const replay = { at, newest, go };
  return (
    <>
      <section aria-label={`Pod ${project ?? pod}`} className={classes(pane.pane, styles.pane)}>
        <Heading {...{ pod, project, link, policy, replay, search, isBeside }} />
        <LinkNotice link={link} as={search.as} />
        <Filters {...{ search, types }} onToggleAll={toggleAll} />
        {problem !== undefined && (
          <div className={styles.trouble}>
            <Problem
              what="The messages could not be read"
              error={problem}
              onRetry={isFinding ? found.retry : () => void source?.retry()}
            />
          </div>
        )}
        {contexts.problem !== undefined && (
          <div className={styles.trouble}>
            <Problem
              what="The contexts could not be read: messages are shown without them"
              error={contexts.problem}
              onRetry={contexts.retry}
            />
          </div>
        )}
        {policyProblem && !policy && mayWrite && (
          <div className={styles.trouble}>
            <Problem
              what="The rules of the pod could not be read: nothing can be sent without them"
              error={policyProblem}
              onRetry={() => void readPolicy()}
            />
          </div>
        )}
        {isStopped && (
          <div className={styles.trouble}>
            <Button size="small" onClick={older}>
              Look through older messages
            </Button>
          </div>
        )}
        {isLoading && rows.length === 0 ? (
          <div className={styles.waiting}>
            <Loading what="messages">
              <Skeleton lines={8} height="2rem" />
            </Loading>
          </div>
        ) : rows.length === 0 ? (
          <Nothing
            isFiltered={isFiltered(search)}
            isReading={!isFinding && !isStopped && source?.hasOlder === true}
          />
        ) : (
          <MessageGrid
            key={isPast ? 'past' : 'now'}
            {...{ rows, isPast, delivered: sent.delivered }}
            label={isPast ? `Messages of ${project ?? pod}, the past` : `Messages of ${project ?? pod}`}
            me={link.name}
            chosen={node}
            onOlder={isStopped ? undefined : older}
            onToggle={toggle}
            onChoose={choose}
          />
        )}
        {isPast && past && <Replay feed={past} messages={past.messages} {...{ at, newest, go }} />}
        {!isPast && mayWrite && link.me && policy && (
          <Composer
            {...{ link, policy, contexts: contexts.byId, outbox, draft }}
            messages={feed?.messages ?? NONE}
          />
        )}
      </section>
      <Details
        {...{ pod, node, search, link, policy, isBeside }}
        onDraft={
          mayWrite && link.me && !isPast
            ? (more) => draft.change((before) => ({ ...before, ...more }))
            : undefined
        }
        contexts={contexts.byId}
        messages={isFinding ? found.messages : all}
        onClose={() => choose(undefined)}
      />
    </>
  );
}

const NONE: readonly PodMessage[] = [];
const NOTHING_OUT: readonly never[] = [];
/** Among so many of the newest is what came back. */
const RECENT = 200;
/** Rows that fill any screen. */
const ENOUGH = 40;
/** Messages that are looked through without being asked to. */
const MOST_BY_ITSELF = 60_000;

function Nothing({ isFiltered: isNarrow, isReading }: { isFiltered: boolean; isReading: boolean }) {
  return (
    <div className={styles.nothing}>
      <Empty
        icon={<MessagesSquare aria-hidden />}
        title={
          isReading
            ? 'Looking through older messages'
            : isNarrow
              ? 'No message matches'
              : 'Nothing was said yet'
        }
      >
        {isNarrow ? (
          <p>Ask for less with the filters, or find other words.</p>
        ) : (
          <p>Messages are shown here as soon as somebody sends one.</p>
        )}
      </Empty>
    </div>
  );
}
