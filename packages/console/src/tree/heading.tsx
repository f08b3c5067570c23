import { Link } from '@tanstack/react-router';
import { History as PastIcon } from 'lucide-react';
import { classes } from '../design/classes.ts';
import { Badge } from '../design/data/badge.tsx';
import { count, fullTime, share } from '../design/data/format.ts';
import pane from '../design/layout/pane.module.css';
import { Skeleton } from '../design/layout/placeholders.tsx';
import type { Replay } from './history/use-replay.ts';
import { figuresOf, type Tree } from './model/tree.ts';
import type { SessionView } from './sessions/session-names.ts';
import styles from './view.module.css';

interface HeadingProps {
  session: SessionView;
  name: string;
  /** Undefined until it is read. */
  tree: Tree | undefined;
  replay: Replay;
  /** With its model, where that goes through the window door. */
  conversation: string | undefined;
}

/** Which session, whether it is now or the past, and what it holds then. */
export function Heading({ session, name, tree, replay, conversation }: HeadingProps) {
  const { context_limit: limit } = session;
  const figures = tree && figuresOf(tree);
  const isLive = session.live && tree?.isEnded !== true;
  return (
    <header className={classes(pane.heading, styles.heading)}>
      <div className={pane.words}>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {replay.at !== undefined ? (
          <Badge tone="warn" icon={<PastIcon aria-hidden />}>
            {tree ? `the past: ${fullTime(tree.at)}` : 'the past'}
          </Badge>
        ) : (
          <Badge tone={isLive ? 'good' : 'mute'}>{isLive ? 'live' : 'ended'}</Badge>
        )}
        {conversation !== undefined && (
          <Link to="/window/$conversation" params={{ conversation }} className={styles.window}>
            Its model’s window
          </Link>
        )}
      </div>
      <dl className={styles.figures} aria-label="What it holds">
        <Figure
          name="In the window"
          value={figures && count(figures.total)}
          note={figures && `${share(figures.total / limit)} of ${count(limit)}`}
          isOver={figures !== undefined && figures.total > limit}
        />
        <Figure name="Main thread" value={figures && count(figures.main)} />
        <Figure name="Folded away" value={figures && count(figures.folded)} />
        <Figure name="Could collapse" value={figures && count(figures.collapsible)} />
      </dl>
    </header>
  );
}

interface FigureProps {
  name: string;
  value: string | undefined;
  note?: string | undefined;
  /** It is more than there is room for. */
  isOver?: boolean;
}

function Figure({ name, value, note, isOver = false }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isOver ? styles.over : undefined}>
        {value ?? <Skeleton width={5} />}
        {note && (
          <span className={styles.note}>
            {' '}
            {note}
            {isOver && ', over the limit'}
          </span>
        )}
      </dd>
    </div>
  );
}
