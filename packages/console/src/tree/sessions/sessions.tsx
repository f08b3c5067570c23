import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { Select, TextField } from '../../design/controls/field.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { compact, share } from '../../design/data/format.ts';
import choices from '../../design/layout/choices.module.css';
import { matching, type Names, nameOfSession, type SessionView } from './session-names.ts';
import styles from './sessions.module.css';

interface SessionsProps {
  sessions: readonly SessionView[];
  names: Names;
  chosen: string | undefined;
  onMore: (() => void) | undefined;
  isMoreBusy: boolean;
}

/** All sessions, the live ones first. */
export function SessionList({ sessions, names, chosen, onMore, isMoreBusy }: SessionsProps) {
  const [wanted, setWanted] = useState('');
  const shown = matching(sessions, names, wanted);
  return (
    <nav aria-label="Sessions" className={classes(choices.list, styles.list)}>
      <TextField
        label="Find a session"
        type="search"
        placeholder="Host, project, id"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <ul className={choices.choices}>
        {shown.map((session) => (
          <li key={session.id}>
            <Entry session={session} names={names} isChosen={session.id === chosen} />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={choices.nothing}>No session matches.</p>}
      {onMore && (
        <Button size="small" look="quiet" isBusy={isMoreBusy} onClick={onMore}>
          Older sessions
        </Button>
      )}
    </nav>
  );
}

interface EntryProps {
  session: SessionView;
  names: Names;
  isChosen: boolean;
}

function Entry({ session, names, isChosen }: EntryProps) {
  const { context_state, context_limit, context_health, live, last_at } = session;
  const { total_tokens } = context_state;
  const isOver = total_tokens > context_limit;
  const warning = isOver ? 'high' : context_health.warning;
  return (
    <Link
      to="/tree/$session"
      params={{ session: session.id }}
      aria-current={isChosen ? 'page' : undefined}
      className={classes(choices.choice, isChosen && choices.chosen)}
    >
      <span className={choices.line}>
        <bdi className={choices.name} title={nameOfSession(session, names)}>
          {nameOfSession(session, names)}
        </bdi>
        {live ? <Badge tone="good">live</Badge> : <Badge>ended</Badge>}
      </span>
      <span className={choices.line}>
        <bdi className={choices.soft}>{names.projects.get(session.project_id) ?? session.project_id}</bdi>
        <span className={choices.soft}>
          <Time at={last_at} />
        </span>
      </span>
      {live && (
        <span className={choices.line}>
          <span aria-hidden className={styles.track}>
            <span
              className={classes(styles.bar, styles[warning])}
              style={{ width: `${Math.min(100, (total_tokens / context_limit) * 100)}%` }}
            />
          </span>
          <span className={styles.figure}>
            {compact(total_tokens)} · {share(total_tokens / context_limit)}
            {warning !== 'none' && ` · ${isOver ? 'over' : warning}`}
          </span>
        </span>
      )}
    </Link>
  );
}

interface PickerProps {
  sessions: readonly SessionView[];
  names: Names;
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

/** Where there is no room for a list. */
export function SessionPicker({ sessions, names, chosen, onChoose }: PickerProps) {
  const options = matching(sessions, names, '').map((session) => ({
    value: session.id,
    label: [
      nameOfSession(session, names),
      names.projects.get(session.project_id) ?? session.project_id,
      session.live ? 'live' : 'ended',
    ].join(' · '),
  }));
  return (
    <div className={styles.picker}>
      <Select label="Session" options={options} value={chosen ?? ''} onChange={onChoose} />
    </div>
  );
}
