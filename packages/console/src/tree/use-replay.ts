import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Feed } from './feed.ts';
import type { History } from './history.ts';
import type { Tree } from './model.ts';

export interface Replay {
  /** The position that is shown; undefined while it is live. */
  at: number | undefined;
  /** The tree there; undefined while it is fetched. */
  tree: Tree | undefined;
  problem: unknown;
  go(at: number | undefined): void;
  step(steps: number): void;
}

/** The address is told where one is when one has stopped for a moment. */
const SETTLED = 200;

/** Where in a session's past one is. What the page no longer holds is fetched. */
export function useReplay(feed: Feed, addressed: number | undefined): Replay {
  const navigate = useNavigate();
  const [at, setAt] = useState(addressed);
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
    const isChange = (to === undefined) !== (at === undefined);
    setAt(to);
    clearTimeout(timer.current);
    const tell = () => {
      told.current = to;
      void navigate({ to: '.', search: (search) => ({ ...search, at: to }), replace: !isChange });
    };
    if (isChange) tell();
    else timer.current = setTimeout(tell, SETTLED);
  };
  const held = at === undefined ? feed.history.tree : feed.history.at(at);
  const isFetching = at !== undefined && held === undefined && feed.isComplete;
  const isCovered = isFetching && past?.history !== undefined && covers(past.history, at);
  useEffect(() => {
    if (!isFetching || isCovered || at === undefined) return;
    let isWanted = true;
    feed.past(at).then(
      (history) => isWanted && setPast({ seq: at, history }),
      (problem: unknown) => isWanted && setPast({ seq: at, problem }),
    );
    return () => {
      isWanted = false;
    };
  }, [feed, at, isFetching, isCovered]);
  const step = (steps: number) => {
    const from = at ?? feed.history.tree.seq;
    const source = isCovered ? past!.history! : feed.history;
    const to = source.step(from, steps);
    go(to >= feed.history.tree.seq && at !== undefined && steps > 0 ? feed.history.tree.seq : to);
  };
  return {
    at,
    tree: held ?? (isCovered ? past!.history!.at(at!) : undefined),
    problem: isFetching && !isCovered && past?.seq === at ? past?.problem : undefined,
    go,
    step,
  };
}

function covers(history: History, seq: number): boolean {
  return history.since <= seq && seq <= history.tree.seq;
}
