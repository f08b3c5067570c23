import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { rankNamed } from '../../design/match.ts';
import { PAGES } from '../../system/pages.ts';
import { PLACES } from '../places.ts';
import { Deeds } from './commands.tsx';
import { Item, PaletteGroup, type Run } from './item.tsx';
import { Projects, Recent, Tools } from './known.tsx';
import styles from './palette.module.css';

/** Everything by name: places, pages, conversations, sessions, projects, tools, and what one can do. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [problem, setProblem] = useState<unknown>();
  const run: Run = (what) => () => {
    onClose();
    void what();
  };
  // It stays open until the server has answered, to say what went wrong.
  const attempt: Run = (what) => () => void Promise.resolve(what()).then(onClose, setProblem);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className={styles.title}>Commands</Dialog.Title>
          {problem !== undefined && <Problem what="The command failed" error={problem} />}
          <Command label="Commands" loop filter={rankNamed}>
            <Command.Input autoFocus placeholder="Go somewhere or do something…" className={styles.input} />
            <Command.List className={styles.list}>
              <Command.Empty className={styles.empty}>Nothing matches.</Command.Empty>
              <Places run={run} />
              <Deeds run={run} attempt={attempt} />
              <Recent run={run} />
              <Projects attempt={attempt} />
              <Tools run={run} />
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Places({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { may } = useAccount();
  return (
    <PaletteGroup heading="Go to">
      {PLACES.map(({ to, name, about, icon: Icon, key }) => (
        <Item
          key={to}
          value={name}
          icon={<Icon aria-hidden />}
          note={about}
          keys={`g ${key}`}
          onSelect={run(() => navigate({ to }))}
        >
          {name}
        </Item>
      ))}
      {PAGES.filter(({ needs }) => may(needs)).map(({ id, name, about, icon: Icon }) => (
        <Item
          key={id}
          value={`System: ${name}`}
          keywords={[about]}
          icon={<Icon aria-hidden />}
          note={about}
          onSelect={run(() => navigate({ to: '/system/$page', params: { page: id } }))}
        >
          System: {name}
        </Item>
      ))}
    </PaletteGroup>
  );
}
