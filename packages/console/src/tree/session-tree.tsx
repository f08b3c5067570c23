import { useNavigate } from '@tanstack/react-router';
import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { classes } from '../design/classes.ts';
import { Button } from '../design/controls/button.tsx';
import { count } from '../design/data/format.ts';
import pane from '../design/layout/pane.module.css';
import { Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import { Chosen } from './details/details-pane.tsx';
import { Heading } from './heading.tsx';
import type { Feed } from './history/feed.ts';
import { Scrubber } from './history/scrubber.tsx';
import { useReplay } from './history/use-replay.ts';
import { StateMark } from './model/states.tsx';
import { MAIN, scaleOf, type Tree } from './model/tree.ts';
import { useNames, useWindowOf } from './queries.ts';
import { TreeGrid } from './rows/grid.tsx';
import { type Opened, openable, rowsOf, waysTo } from './rows/rows.ts';
import type { SessionView } from './sessions/session-names.ts';
import { nameOfSession } from './sessions/session-names.ts';
import styles from './view.module.css';

interface SessionTreeProps {
  session: SessionView;
  feed: Feed;
  at: number | undefined;
  node: string | undefined;
}

/** One session: its figures, its tree, its time, and what is chosen in it. */
export function SessionTree({ session, feed, at, node }: SessionTreeProps) {
  const replay = useReplay(feed, at);
  const name = nameOfSession(session, useNames());
  const navigate = useNavigate();
  const choose = (next: string | undefined) =>
    void navigate({ to: '.', search: (search) => ({ ...search, node: next }) });
  const { tree } = replay;
  const conversation = useWindowOf(session.host_id);
  const limit = session.context_limit;
  const isRead = feed.isComplete || (tree?.seq ?? 0) > 0;
  return (
    <>
      <section aria-label={`Session ${name}`} className={classes(pane.pane, styles.middle)}>
        <Heading {...{ session, name, replay, conversation }} tree={isRead ? tree : undefined} />
        {feed.problem !== undefined && (
          <Problem
            what="The session could not be read to its end"
            error={feed.problem}
            onRetry={() => void feed.read()}
          />
        )}
        {replay.problem !== undefined && (
          <Problem what="That position could not be read" error={replay.problem} />
        )}
        {tree && isRead ? (
          <Grid {...{ tree, limit, node }} onChoose={choose} />
        ) : (
          <div className={styles.waiting}>
            <Loading what="the session">
              <Skeleton lines={9} height="1.5rem" />
            </Loading>
          </div>
        )}
        <Scrubber
          points={feed.history.timeline.points}
          length={feed.history.timeline.points.length}
          limit={limit}
          replay={replay}
        />
      </section>
      {node !== undefined && tree && (
        <Chosen
          {...{ tree, node, limit, conversation, isPast: replay.at !== undefined }}
          onClose={() => choose(undefined)}
        />
      )}
    </>
  );
}

interface TreePartProps {
  tree: Tree;
  limit: number;
  node: string | undefined;
  onChoose: (node: string | undefined) => void;
}

function Grid({ tree: latest, limit, node, onChoose }: TreePartProps) {
  const tree = useDeferredValue(latest);
  const [opened, setOpened] = useState<Opened>(() => new Map());
  const rows = useMemo(() => rowsOf(tree, opened), [tree, opened]);
  useInSight(tree, node, setOpened);
  const set = (key: string, isOpen: boolean) => setOpened((before) => new Map(before).set(key, isOpen));
  const setAll = (isOpen: boolean) => {
    const keys = openable(tree).filter((key) => isOpen || key !== MAIN);
    setOpened(new Map(keys.map((key) => [key, isOpen])));
  };
  return (
    <div className={styles.tree}>
      <Tools tree={tree} onAll={setAll} />
      <TreeGrid
        rows={rows}
        scale={scaleOf(tree, limit)}
        chosen={node}
        label="Context tree"
        onToggle={set}
        onChoose={onChoose}
      />
    </div>
  );
}

/** What is chosen is in sight, whatever it is in or comes to be in, until somebody closes that. */
function useInSight(
  tree: Tree,
  node: string | undefined,
  setOpened: (change: (before: Opened) => Opened) => void,
) {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const ways = node === undefined ? [] : waysTo(tree, node);
    const isNew = shown.current !== node && ways.length > 0;
    if (isNew || node === undefined) shown.current = node;
    setOpened((before) => {
      const closed = ways.filter((key) => (isNew ? before.get(key) !== true : !before.has(key)));
      return closed.length === 0
        ? before
        : new Map([...before, ...closed.map((key) => [key, true] as const)]);
    });
  }, [tree, node, setOpened]);
}

const STATES = ['active', 'folded', 'discarded', 'expired'] as const;

/** How many branches there are in which state, and opening or closing all of them. */
function Tools({ tree, onAll }: { tree: Tree; onAll: (isOpen: boolean) => void }) {
  const branches = [...tree.branches.values()].filter(({ id }) => id !== MAIN);
  const counted = STATES.map(
    (state) => [state, branches.filter(({ status }) => status === state).length] as const,
  );
  return (
    <div className={styles.tools}>
      <p className={styles.counts}>
        {branches.length === 0 && 'No branch yet'}
        {counted.map(
          ([state, many]) =>
            many > 0 && (
              <span key={state}>
                {count(many)} <StateMark state={state} />
              </span>
            ),
        )}
      </p>
      {branches.length > 0 && (
        <div className={styles.buttons}>
          <Button size="small" look="quiet" icon={<ChevronsUpDown aria-hidden />} onClick={() => onAll(true)}>
            Open all
          </Button>
          <Button
            size="small"
            look="quiet"
            icon={<ChevronsDownUp aria-hidden />}
            onClick={() => onAll(false)}
          >
            Close all
          </Button>
        </div>
      )}
    </div>
  );
}
