import { useNavigate } from '@tanstack/react-router';
import { ChevronsDownUp, ChevronsUpDown, History as PastIcon } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Badge } from '../design/badge.tsx';
import { IconButton } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { count, fullTime, share } from '../design/format.ts';
import { Loading, Problem, Skeleton } from '../design/states.tsx';
import type { Feed } from './feed.ts';
import { TreeGrid } from './grid.tsx';
import { figuresOf, type Tree } from './model.ts';
import panel from './panel.module.css';
import { NodeDetails, SidePanel, titleOf } from './panel.tsx';
import { type Opened, rowsOf, waysTo } from './rows.ts';
import { Scrubber } from './scrubber.tsx';
import type { SessionView } from './session-names.ts';
import { nameOfSession } from './session-names.ts';
import { useMedia } from './use-media.ts';
import { type Replay, useReplay } from './use-replay.ts';
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
  const navigate = useNavigate();
  const choose = (next: string | undefined) =>
    void navigate({ to: '.', search: (search) => ({ ...search, node: next }) });
  const isWide = useMedia('(min-width: 1400px)');
  const { tree } = replay;
  const limit = session.context_limit;
  const isRead = feed.isComplete || (tree?.seq ?? 0) > 0;
  return (
    <>
      <section aria-label={`Session ${nameOfSession(session)}`} className={styles.middle}>
        <Heading session={session} tree={isRead ? tree : undefined} replay={replay} />
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
          <Grid tree={tree} limit={limit} node={node} onChoose={choose} />
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
          {...{ tree, node, limit, isWide, isPast: replay.at !== undefined }}
          onClose={() => choose(undefined)}
        />
      )}
    </>
  );
}

interface ChosenProps {
  tree: Tree;
  node: string;
  limit: number;
  isPast: boolean;
  isWide: boolean;
  onClose: () => void;
}

function Chosen({ tree, node, limit, isPast, isWide, onClose }: ChosenProps) {
  const { icon, text } = titleOf(tree, node);
  const title = (
    <span className={panel.heading}>
      {icon}
      <bdi>{text}</bdi>
    </span>
  );
  const details = <NodeDetails key={node} {...{ tree, node, limit, isPast }} />;
  if (isWide) {
    return (
      <SidePanel title={title} onClose={onClose}>
        {details}
      </SidePanel>
    );
  }
  return (
    <Dialog isOpen isSheet title={title} onClose={onClose}>
      <div className={panel.sheet}>{details}</div>
    </Dialog>
  );
}

function Heading({
  session,
  tree,
  replay,
}: {
  session: SessionView;
  tree: Tree | undefined;
  replay: Replay;
}) {
  const { context_limit: limit } = session;
  const figures = tree && figuresOf(tree);
  const isLive = session.live && tree?.isEnded !== true;
  return (
    <header className={styles.heading}>
      <div className={styles.words}>
        <h2>
          <bdi>{nameOfSession(session)}</bdi>
        </h2>
        {replay.at !== undefined ? (
          <Badge tone="warn" icon={<PastIcon aria-hidden />}>
            {tree ? `the past: ${fullTime(tree.at)}` : 'the past'}
          </Badge>
        ) : (
          <Badge tone={isLive ? 'good' : 'mute'}>{isLive ? 'live' : 'ended'}</Badge>
        )}
      </div>
      <dl className={styles.figures} aria-label="What it holds">
        <Figure
          name="In the window"
          value={figures && count(figures.total)}
          note={figures && `${share(figures.total / limit)} of ${count(limit)}`}
        />
        <Figure name="Main thread" value={figures && count(figures.main)} />
        <Figure name="Folded away" value={figures && count(figures.folded)} />
        <Figure name="Could collapse" value={figures && count(figures.collapsible)} />
      </dl>
    </header>
  );
}

function Figure({
  name,
  value,
  note,
}: {
  name: string;
  value: string | undefined;
  note?: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value ?? <Skeleton width={5} />}
        {note && <span className={styles.note}> {note}</span>}
      </dd>
    </div>
  );
}

interface TreePartProps {
  tree: Tree;
  limit: number;
  node: string | undefined;
  onChoose: (node: string) => void;
}

function Grid({ tree: latest, limit, node, onChoose }: TreePartProps) {
  const tree = useDeferredValue(latest);
  const [opened, setOpened] = useState<Opened>(new Map());
  const rows = useMemo(() => rowsOf(tree, opened), [tree, opened]);
  const isHeld = node !== undefined && waysTo(tree, node).length > 0;
  // What the address names is in sight, whatever it is in.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each node, and not again while things happen
  useEffect(() => {
    if (node === undefined) return;
    const ways = waysTo(tree, node);
    setOpened((before) => new Map([...before, ...ways.map((key) => [key, true] as const)]));
  }, [node, isHeld]);
  const set = (key: string, isOpen: boolean) => setOpened((before) => new Map(before).set(key, isOpen));
  const setAll = (isOpen: boolean) => {
    const keys = [...tree.branches.keys()].filter((id) => isOpen || id !== 'main');
    setOpened(new Map(keys.map((key) => [key, isOpen])));
  };
  return (
    <div className={styles.tree}>
      <div className={styles.tools}>
        <IconButton label="Open all branches" onClick={() => setAll(true)}>
          <ChevronsUpDown aria-hidden />
        </IconButton>
        <IconButton label="Close all branches" onClick={() => setAll(false)}>
          <ChevronsDownUp aria-hidden />
        </IconButton>
      </div>
      <TreeGrid
        rows={rows}
        limit={limit}
        chosen={node}
        label="Context tree"
        onToggle={set}
        onChoose={(key) => onChoose(key)}
      />
    </div>
  );
}
