import { useEffect, useState, useSyncExternalStore } from 'react';
import { useApi } from '../../api/account.tsx';
import { useEntries, useLiveState } from '../../api/live.tsx';
import { PodFeed } from './feed.ts';

/** The messages of a pod, as they are and as they come. Undefined until it has begun to read. */
export function useFeed(pod: string): PodFeed | undefined {
  const api = useApi();
  const live = useLiveState();
  const [feed, setFeed] = useState<PodFeed>();
  useEffect(() => {
    const next = new PodFeed(api, pod);
    setFeed(next);
    void next.begin();
    return () => next.stop();
  }, [api, pod]);
  const isOpen = live === 'open';
  useEffect(() => {
    if (isOpen && feed?.isBegun && !feed.isMet) void feed.newer();
  }, [feed, isOpen]);
  // Who does not take part learns from the journal that something was said.
  useEntries((entries) => {
    if (!feed || feed.isMet) return;
    const isNews = entries.some(({ events }) =>
      events.some(({ type, data }) => type === 'envelope.accepted' && (data as { pod?: string }).pod === pod),
    );
    if (isNews) void feed.hear();
  });
  useFollowing(feed);
  return feed;
}

/** The messages up to a position of the past, and some after it for who goes on from there. */
export function usePastFeed(pod: string, at: number | undefined): PodFeed | undefined {
  const api = useApi();
  const [feed, setFeed] = useState<PodFeed>();
  const isPast = at !== undefined;
  useEffect(() => {
    if (!isPast) return;
    const next = new PodFeed(api, pod);
    setFeed(next);
    return () => {
      next.stop();
      setFeed(undefined);
    };
  }, [api, pod, isPast]);
  useFollowing(feed);
  const messages = feed?.messages ?? [];
  const isAhead = at !== undefined && (messages.at(-1)?.seq ?? 0) < at + AHEAD && feed?.hasNewer === true;
  const isFar = at !== undefined && (at < (messages[0]?.seq ?? 0) || at > (messages.at(-1)?.seq ?? 0) + FAR);
  useEffect(() => {
    if (!feed || at === undefined || feed.isReading) return;
    if (!feed.isBegun || (isFar && (feed.hasNewer || feed.hasOlder))) void feed.begin(at);
    else if (isAhead) void feed.newer();
  });
  return feed;
}

const AHEAD = 300;
const FAR = 2000;

function useFollowing(feed: PodFeed | undefined): void {
  useSyncExternalStore(feed?.subscribe ?? nothing, feed?.version ?? zero);
}

const nothing = () => () => {};
const zero = () => 0;
