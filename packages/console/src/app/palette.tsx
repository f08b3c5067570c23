import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { AppWindow, CornerDownRight, GitFork, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAccount } from '../api/account.tsx';
import { ago, plural } from '../design/format.ts';
import { useNow } from '../design/now.ts';
import { changeSettings } from '../settings/settings.ts';
import styles from './palette.module.css';
import { PLACES } from './places.ts';

/** Everything by name: places, conversations, sessions, and what one can do. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const { isOwner, signOut } = useAccount();
  const run = (what: () => unknown) => () => {
    onClose();
    void what();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className={styles.title}>Commands</Dialog.Title>
          <Command label="Commands" loop>
            <Command.Input autoFocus placeholder="Go to, or do…" className={styles.input} />
            <Command.List className={styles.list}>
              <Command.Empty className={styles.empty}>Nothing has that name.</Command.Empty>
              <Command.Group heading="Go to" className={styles.group}>
                {PLACES.map(({ to, name, about, icon: Icon, key }) => (
                  <Item
                    key={to}
                    icon={<Icon aria-hidden />}
                    note={about}
                    keys={`g ${key}`}
                    onSelect={run(() => navigate({ to }))}
                  >
                    {name}
                  </Item>
                ))}
              </Command.Group>
              <Known onGo={run} />
              <Command.Group heading="Do" className={styles.group}>
                <Item icon={<Sun aria-hidden />} onSelect={run(() => changeSettings({ theme: 'light' }))}>
                  Light theme
                </Item>
                <Item icon={<Moon aria-hidden />} onSelect={run(() => changeSettings({ theme: 'dark' }))}>
                  Dark theme
                </Item>
                {!isOwner && (
                  <Item icon={<CornerDownRight aria-hidden />} onSelect={run(signOut)}>
                    Sign out
                  </Item>
                )}
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ItemProps {
  icon: ReactNode;
  note?: string;
  keys?: string;
  onSelect: () => void;
  /** What it is found by, where two have the same name. */
  value?: string;
  children: ReactNode;
}

function Item({ icon, note, keys, onSelect, value, children }: ItemProps) {
  return (
    <Command.Item className={styles.item} onSelect={onSelect} {...(value !== undefined && { value })}>
      {icon}
      <span className={styles.name}>{children}</span>
      {note && <span className={styles.note}>{note}</span>}
      {keys && <kbd className={styles.keys}>{keys}</kbd>}
    </Command.Item>
  );
}

/** The conversations and sessions that were used last. */
function Known({ onGo }: { onGo: (what: () => unknown) => () => void }) {
  const { api } = useAccount().session;
  const navigate = useNavigate();
  const now = useNow();
  const { data: windows } = useQuery({
    queryKey: ['palette', 'windows'],
    queryFn: ({ signal }) => api.listWindows({ limit: 20 }, { signal }),
  });
  const { data: sessions } = useQuery({
    queryKey: ['palette', 'sessions'],
    queryFn: ({ signal }) => api.listSessions({ limit: 20 }, { signal }),
  });
  return (
    <>
      {windows && windows.windows.length > 0 && (
        <Command.Group heading="Conversations" className={styles.group}>
          {windows.windows.map(({ id, host, model, last_at, totals }) => (
            <Item
              key={id}
              value={`${host ?? ''} ${model ?? ''} ${id}`}
              icon={<AppWindow aria-hidden />}
              note={`${plural(totals.requests, 'request')}, ${ago(Date.parse(last_at), now)}`}
              onSelect={onGo(() => navigate({ to: '/window/$conversation', params: { conversation: id } }))}
            >
              {host ?? 'Unnamed host'} · {model ?? id}
            </Item>
          ))}
        </Command.Group>
      )}
      {sessions && sessions.sessions.length > 0 && (
        <Command.Group heading="Sessions" className={styles.group}>
          {sessions.sessions.map(({ id, host_id, last_at }) => (
            <Item
              key={id}
              value={`${host_id ?? ''} ${id}`}
              icon={<GitFork aria-hidden />}
              note={ago(Date.parse(last_at), now)}
              onSelect={onGo(() => navigate({ to: '/tree/$session', params: { session: id } }))}
            >
              {host_id ?? id}
            </Item>
          ))}
        </Command.Group>
      )}
    </>
  );
}
