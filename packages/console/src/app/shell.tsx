import { Link, Outlet } from '@tanstack/react-router';
import { Command, LogOut, Moon, Sun } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useAccount } from '../api/account.tsx';
import { useLiveState } from '../api/live.tsx';
import { classes } from '../design/classes.ts';
import { IconButton } from '../design/controls/button.tsx';
import { Badge } from '../design/data/badge.tsx';
import { Loading, Problem } from '../design/layout/placeholders.tsx';
import { changeSettings, useIsDark } from '../settings/settings.ts';
import { Mark } from './logo.tsx';
import { PLACES } from './places.ts';
import styles from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';

const Palette = lazy(() => import('./palette/palette.tsx'));
const SignIn = lazy(() => import('./sign-in.tsx'));

/** The frame: who is signed in, where one can go, and the view. */
export function Shell() {
  const { status, isSignedOut, problem } = useAccount();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  if (isSignedOut) {
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    );
  }
  return (
    <div className={styles.shell}>
      <a href="#view" className={styles.skip}>
        Skip to content
      </a>
      <Shortcuts onPalette={() => setPaletteOpen(true)} />
      <header className={styles.side}>
        <Link to="/window" className={styles.brand}>
          <Mark />
          <span>Infold</span>
        </Link>
        <nav aria-label="Views" className={styles.nav}>
          {PLACES.map(({ to, name, icon: Icon }) => (
            <Link key={to} to={to} className={styles.place} activeProps={{ className: styles.here }}>
              <Icon aria-hidden />
              <span>{name}</span>
            </Link>
          ))}
        </nav>
        <div className={styles.tools}>
          <LiveMark />
          <IconButton label="Commands (Ctrl K)" onClick={() => setPaletteOpen(true)}>
            <Command aria-hidden />
          </IconButton>
          <ThemeButton />
          {status && <Who />}
          {status && <span className={styles.version}>Infold {status.version}</span>}
        </div>
      </header>
      <main id="view" className={styles.view} tabIndex={-1}>
        {status ? (
          <Suspense fallback={<Loading what="the view" />}>
            <Outlet />
          </Suspense>
        ) : (
          <div className={styles.waiting}>
            {problem ? (
              <Problem what="The server could not be reached" error={problem} />
            ) : (
              <Loading what="who you are" />
            )}
          </div>
        )}
      </main>
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

const LIVE = {
  connecting: { text: 'Connecting', look: styles.waitingDot },
  open: { text: 'Live', look: styles.liveDot },
  waiting: { text: 'Reconnecting', look: styles.waitingDot },
};

function LiveMark() {
  const state = useLiveState();
  const { text, look } = LIVE[state];
  return (
    <span role="status" className={styles.live} data-state={state}>
      <span aria-hidden className={classes(styles.dot, look)} />
      <span>{text}</span>
    </span>
  );
}

function ThemeButton() {
  const isDark = useIsDark();
  return (
    <IconButton
      label={isDark ? 'Light theme' : 'Dark theme'}
      onClick={() => changeSettings({ theme: isDark ? 'light' : 'dark' })}
    >
      {isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
    </IconButton>
  );
}

/** Nobody signs in where no token exists, and nobody can sign out there. */
function Who() {
  const { status, may, signOut, isOwner } = useAccount();
  if (isOwner) return null;
  return (
    <span className={styles.who}>
      <span className={styles.name}>{status!.principal}</span>
      {!may('write') && <Badge tone="note">read only</Badge>}
      <IconButton label="Sign out" onClick={() => void signOut()}>
        <LogOut aria-hidden />
      </IconButton>
    </span>
  );
}
