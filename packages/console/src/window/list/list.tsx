import type { WindowView } from '@infold/protocol';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { TextField } from '../../design/controls/field.tsx';
import { moveFocus } from '../../design/controls/roving.ts';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { plural } from '../../design/data/format.ts';
import { useNow } from '../../design/hooks/use-now.ts';
import type { WindowList } from '../queries.ts';
import { isLive, type MeteredView, matching, nameOf, unwatched } from './conversations.ts';
import styles from './list.module.css';

const Dialog = lazy(() => import('./later-dialog.ts'));
const TurnOn = lazy(() => import('./turn-on.tsx'));

export interface ListProps {
  list: WindowList;
  /** What the server meters. */
  sessions: readonly MeteredView[];
  chosen: string;
  onMore: () => void;
  onGo?: () => void;
}

/** With fewer there is nothing to look for. */
const MANY = 8;

/** Conversations, live ones first, and sessions that do not go through the window. */
export function ConversationList({ list, sessions, chosen, onMore, onGo }: ListProps) {
  const now = useNow();
  const [words, setWords] = useState('');
  const [isConnecting, setConnecting] = useState(false);
  const found = useMemo(() => matching(list.windows, words), [list.windows, words]);
  const others = useMemo(() => unwatched(sessions, list.windows), [sessions, list.windows]);
  const live = found.filter((view) => isLive(view, now));
  const earlier = found.filter((view) => !isLive(view, now));
  const group = (title: string, views: readonly WindowView[]) =>
    views.length > 0 && (
      <Group title={title}>
        {views.map((view) => (
          <Item key={view.id} view={view} isChosen={view.id === chosen} onGo={onGo} />
        ))}
      </Group>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the links inside
    <div className={styles.list} onKeyDown={moveFocus}>
      {list.windows.length > MANY && (
        <TextField
          label="Find a conversation"
          type="search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          placeholder="Host, model or id"
        />
      )}
      {group('Live', live)}
      {group('Earlier', earlier)}
      {found.length === 0 && words !== '' && <p className={styles.none}>No conversation matches.</p>}
      {list.hasMore && (
        <Button size="small" look="quiet" onClick={onMore}>
          Show older ones
        </Button>
      )}
      {others.length > 0 && words === '' && (
        <Group title="Not through the window">
          {others.map((session) => (
            <li key={session.id} className={styles.entry}>
              <Link
                to="/window/$conversation"
                params={{ conversation: session.id }}
                className={classes(styles.item, session.id === chosen && styles.chosen)}
                aria-current={session.id === chosen ? 'page' : undefined}
                onClick={onGo}
              >
                <span className={styles.name}>{session.host_id ?? session.id}</span>
                <span className={styles.about}>
                  counted by the server · <Time at={session.last_at} />
                </span>
              </Link>
            </li>
          ))}
        </Group>
      )}
      <Button size="small" look="quiet" onClick={() => setConnecting(true)}>
        Connect a host
      </Button>
      {isConnecting && (
        <Suspense>
          <Dialog isOpen onClose={() => setConnecting(false)} title="Connect a host">
            <TurnOn />
          </Dialog>
        </Suspense>
      )}
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.group} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      <ul className={styles.items}>{children}</ul>
    </section>
  );
}

function Item({
  view,
  isChosen,
  onGo,
}: {
  view: WindowView;
  isChosen: boolean;
  onGo: (() => void) | undefined;
}) {
  const { host, model } = nameOf(view);
  const { status } = useAccount();
  return (
    <li className={styles.entry}>
      <Link
        to="/window/$conversation"
        params={{ conversation: view.id }}
        className={classes(styles.item, isChosen && styles.chosen)}
        aria-current={isChosen ? 'page' : undefined}
        onClick={onGo}
      >
        <span className={styles.first}>
          <span className={styles.name}>{host}</span>
          {!view.enabled && <Badge tone="warn">off</Badge>}
        </span>
        <span className={styles.about}>{model}</span>
        {view.principal !== status?.principal && <span className={styles.about}>of {view.principal}</span>}
        <span className={styles.about}>
          {plural(view.totals.requests, 'turn')} · <Time at={view.last_at} />
        </span>
      </Link>
    </li>
  );
}
