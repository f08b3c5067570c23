import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { type Run, useDeeds } from './commands.ts';
import { type PaletteEntry, type PaletteGroup, shownOf, unique } from './entry.ts';
import { useFound } from './found.ts';
import { usePlaces, useProjects, useRecent, useSettingsByName, useThings, useTools } from './known.ts';
import styles from './palette.module.css';
import { noteVisit, visitedBy } from './visited.ts';

/** Everything by name, from anywhere: places, what agents made and did, settings, and what one can do. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [sought, setSought] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const { session } = useAccount();
  const navigate = useNavigate();
  const run: Run = (what) => () => {
    onClose();
    void what();
  };
  // It stays open until the server has answered, to say what went wrong.
  const attempt: Run = (what) => () => void Promise.resolve(what()).then(onClose, setProblem);
  const { groups, isSearching } = useGroups(sought, run, attempt);
  const first = groups[0]?.entries[0]?.value ?? '';
  const [moved, setMoved] = useState<string>();
  const seek = (text: string) => {
    setMoved(undefined);
    setSought(text);
  };
  const select = (entry: PaletteEntry) => {
    noteVisit(session, entry);
    const { href, act } = entry;
    if (href === undefined) act?.();
    else run(() => navigate({ href }))();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className={styles.title}>Commands</Dialog.Title>
          {problem !== undefined && <Problem what="The command failed" error={problem} />}
          {/* Enter takes the best match, also one that has just come, until somebody moves to another. */}
          <Command
            label="Commands"
            loop
            shouldFilter={false}
            value={moved ?? first}
            onValueChange={(value) => setMoved(value === first ? undefined : value)}
          >
            <Command.Input
              autoFocus
              value={sought}
              onValueChange={seek}
              placeholder="Go somewhere, find something, do something…"
              className={styles.input}
            />
            <Command.List className={styles.list}>
              {groups.length === 0 && (
                <p role="status" className={styles.empty}>
                  {isSearching ? 'Searching…' : 'Nothing matches.'}
                </p>
              )}
              {groups.map(({ heading, entries }) => (
                <Command.Group key={heading} heading={heading} className={styles.group}>
                  {entries.map((entry) => (
                    <Item key={entry.value} entry={entry} onSelect={() => select(entry)} />
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** How many of what was used last are shown at once. */
const RECENT = 5;

function useGroups(sought: string, run: Run, attempt: Run): { groups: PaletteGroup[]; isSearching: boolean } {
  const { session } = useAccount();
  const { conversations, sessions } = useRecent();
  const found = useFound(sought);
  const used = [...conversations, ...sessions].sort((one, other) => other.at.localeCompare(one.at));
  // By place and name: an entry is in its own group too.
  const recent = unique([...visitedBy(session), ...used]).map((entry) => ({
    ...entry,
    value: `recent ${entry.value}`,
  }));
  const groups = [
    ...(sought.trim() === '' ? [{ heading: 'Recent', entries: recent, atOnce: RECENT }] : []),
    usePlaces(),
    useDeeds(run, attempt),
    { heading: 'Conversations', entries: conversations, atOnce: 0 },
    { heading: 'Sessions', entries: unique([...sessions, ...found.sessions]), atOnce: 0 },
    { heading: 'Branches', entries: found.branches, atOnce: 3 },
    { heading: 'Memory', entries: found.memory, atOnce: 0 },
    { heading: 'Library', entries: found.library, atOnce: 3 },
    ...useThings(),
    useProjects(attempt),
    useSettingsByName(sought.trim() !== ''),
    useTools(),
  ];
  return { groups: shownOf(groups, sought), isSearching: found.isSearching };
}

function Item({ entry, onSelect }: { entry: PaletteEntry; onSelect: () => void }) {
  const { value, name, note, keys, icon: Icon } = entry;
  return (
    <Command.Item className={styles.item} onSelect={onSelect} value={value}>
      <Icon aria-hidden />
      <bdi className={styles.name}>{name}</bdi>
      {note && <bdi className={styles.note}>{note}</bdi>}
      {keys && <kbd className={styles.keys}>{keys}</kbd>}
    </Command.Item>
  );
}
