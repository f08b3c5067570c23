import { useNavigate } from '@tanstack/react-router';
import { Columns2, History, Info, X } from 'lucide-react';
import { classes } from '../../design/classes.ts';
import { Button, IconButton } from '../../design/controls/button.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { plural } from '../../design/data/format.ts';
import pane from '../../design/layout/pane.module.css';
import type { PodLink } from '../feed/connection.ts';
import type { PodPolicy } from '../queries.ts';
import { Who } from '../rows/who.tsx';
import { type PodsSearch, TO_BE_CHOSEN } from '../search.ts';
import styles from './pane.module.css';

interface HeadingProps {
  pod: string;
  project: string | undefined;
  link: PodLink;
  policy: PodPolicy | undefined;
  replay: { at: number | undefined; newest: number; go: (at: number | undefined) => void };
  search: PodsSearch;
  isBeside: boolean;
}

const SHOWN = 4;

/** Which pod, whether it is now or the past, and who is there. */
export function Heading({ pod, project, link, policy, replay, search, isBeside }: HeadingProps) {
  const navigate = useNavigate();
  const change = (more: Partial<PodsSearch>) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...more }) });
  const { present } = link;
  const isPast = replay.at !== undefined;
  return (
    <header className={classes(pane.heading, styles.heading)}>
      <div className={pane.words}>
        <h2>
          <bdi>{project ?? pod}</bdi>
        </h2>
        {isPast ? (
          <Badge tone="warn" icon={<History aria-hidden />}>
            the past
          </Badge>
        ) : (
          <LinkBadge link={link} />
        )}
        {policy && policy.history !== 'durable' && (
          <Badge tone="warn">{policy.history === 'memory' ? 'kept in memory only' : 'no history'}</Badge>
        )}
      </div>
      <ul className={styles.present} aria-label="Present">
        {present.slice(0, SHOWN).map(({ id }) => (
          <li key={id}>
            <Who name={id} isMe={id === link.me?.id} />
          </li>
        ))}
        {present.length > SHOWN && <li>and {plural(present.length - SHOWN, 'other')}</li>}
        {present.length === 0 && <li>Nobody is present</li>}
      </ul>
      <div className={styles.actions}>
        <Button
          size="small"
          look="quiet"
          icon={<Info aria-hidden />}
          aria-pressed={search.about === true}
          onClick={() => change(search.about ? { about: undefined } : { about: true, node: undefined })}
        >
          About
        </Button>
        <Button
          size="small"
          look="quiet"
          icon={<History aria-hidden />}
          aria-pressed={isPast}
          disabled={replay.newest === 0}
          onClick={() => replay.go(isPast ? undefined : replay.newest)}
        >
          Replay
        </Button>
        {!isBeside && search.beside === undefined && (
          <Button
            size="small"
            look="quiet"
            icon={<Columns2 aria-hidden />}
            onClick={() => change({ beside: TO_BE_CHOSEN })}
          >
            Beside
          </Button>
        )}
        {isBeside && (
          <IconButton
            label="Close this pod"
            onClick={() => change({ beside: undefined, besideNode: undefined, besideAt: undefined })}
          >
            <X aria-hidden />
          </IconButton>
        )}
      </div>
    </header>
  );
}

function LinkBadge({ link: { state } }: { link: PodLink }) {
  switch (state) {
    case 'joined':
      return <Badge tone="good">live</Badge>;
    case 'joining':
      return <Badge>joining</Badge>;
    case 'lost':
      return <Badge tone="warn">reconnecting</Badge>;
    default:
      return <Badge tone="note">watching</Badge>;
  }
}
