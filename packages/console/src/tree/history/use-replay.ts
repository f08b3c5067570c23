import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Tree } from '../model/tree.ts';
import type { Feed } from './feed.ts';
import type { History } from './history.ts';

export interface Replay {
  /** The position that is shown; undefined while it is live. */
  at: number | undefined;
  /** The tree there; undefined while it is fetched. */
  tree: Tree | undefined;
  problem: unknown;
  go(at: number | undefined): void;
}

/** Where one has stopped for a moment is told to the address, and fetched where it is not held. */
const SETTLED = 200;

/** Where in a session's past one is. What the page no longer holds is fetched. */
export function useReplay(feed: Feed, addressed: number | undefined): Replay {
  const navigate = useNavigate();
  const [chosen, setAt] = useState(addressed);
  const told = useRef(addressed);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [past, setPast] = useState<{ seq: number; history?: History; problem?: unknown }>();
  // Back, forward, or a link.
  useEffect(() => {
    if (addressed === told.current) return;
    told.current = addressed;
    setAt(addressed);
  }, [addressed]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const go = (to: number | undefined) => {
    const isChange = (to === undefined) !== (chosen === undefined);
    setAt(to);
    clearTimeout(timer.current);
    const tell = () => {
      told.current = to;
      void navigate({ to: '.', search: (search) => ({ ...search, at: to }), replace: !isChange });
    };
    if (isChange) tell();
    else timer.current = setTimeout(tell, SETTLED);
  };
  const { history } = feed;
  // A position that has not come yet is now.
  const isAhead = chosen !== undefined && feed.isComplete && chosen > history.tree.seq;
  const at = isAhead ? undefined : chosen;
  const isLatest = at === undefined || at >= history.tree.seq;
  // The past stays what it was while things happen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is held changes what the same history answers
  const then = useMemo(() => (isLatest ? undefined : history.at(at)), [history, at, isLatest, history.since]);
  const held = isLatest ? history.tree : then;
  const isFetching = at !== undefined && held === undefined && feed.isComplete;
  const isCovered = isFetching && past?.history !== undefined && covers(past.history, at);
  useEffect(() => {
    if (!isFetching || isCovered || at === undefined) return;
    let isWanted = true;
    const fetching = setTimeout(() => {
      feed.past(at).then(
        (fetched) => isWanted && setPast({ seq: at, history: fetched }),
        (problem: unknown) => isWanted && setPast({ seq: at, problem }),
      );
    }, SETTLED);
    return () => {
      isWanted = false;
      clearTimeout(fetching);
    };
  }, [feed, at, isFetching, isCovered]);
  return {
    at,
    tree: held ?? (isCovered ? past!.history!.at(at!) : undefined),
    problem: isFetching && !isCovered && past?.seq === at ? past?.problem : undefined,
    go,
  };
}

function covers(history: History, seq: number): boolean {
  return history.since <= seq && seq <= history.tree.seq;
}
