import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FlaskConical, KeyRound, LogOut, Monitor, Moon, ShieldCheck, Sun, Tags } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { changeSettings, useSettings } from '../../settings/settings.ts';
import { links } from '../links.ts';
import { useLoadSamples } from '../samples.tsx';
import type { PaletteEntry, PaletteGroup } from './entry.ts';

/** Does it, and closes the palette: at once, or when it is done. */
export type Run = (what: () => unknown) => () => void;

/** What one can do from anywhere, as far as one may. */
export function useDeeds(run: Run, attempt: Run): PaletteGroup {
  const { session, isOwner, may, signOut } = useAccount();
  const { showContextHints } = useSettings();
  const { mutateAsync } = useLoadSamples();
  const client = useQueryClient();
  const navigate = useNavigate();
  const load = async () => {
    const { conversation } = await mutateAsync();
    void navigate({ href: conversation === null ? '/window' : links.conversation(conversation) });
  };
  const verify = async () => {
    const begun = await session.api.startVerification();
    client.setQueryData(['system', 'verification'], begun);
    void navigate({ href: links.systemPage('journal') });
  };
  const samples: PaletteEntry = {
    ...command('Load sample data', FlaskConical, attempt(load)),
    keywords: ['example demo'],
    note: 'A project to explore',
  };
  const administer: PaletteEntry[] = [
    {
      ...command('Verify the journal', ShieldCheck, attempt(verify)),
      keywords: ['check integrity'],
      note: 'Check that nothing was changed',
    },
    {
      ...command(
        'New token',
        KeyRound,
        run(() => navigate({ href: links.systemPage('tokens', { make: true }) })),
      ),
      keywords: ['create make access'],
    },
  ];
  const look: PaletteEntry[] = [
    command(
      'Light theme',
      Sun,
      run(() => changeSettings({ theme: 'light' })),
    ),
    command(
      'Dark theme',
      Moon,
      run(() => changeSettings({ theme: 'dark' })),
    ),
    command(
      'System theme',
      Monitor,
      run(() => changeSettings({ theme: 'system' })),
    ),
    {
      ...command(
        `${showContextHints ? 'Hide' : 'Show'} context hints`,
        Tags,
        run(() => changeSettings({ showContextHints: !showContextHints })),
      ),
      keywords: ['badges transient consumed collapsed'],
    },
  ];
  const entries = [
    ...(may('write') ? [samples] : []),
    ...(may('admin') ? administer : []),
    ...look,
    ...(isOwner ? [] : [command('Sign out', LogOut, run(signOut))]),
  ];
  return { heading: 'Do', entries, atOnce: entries.length, most: 8 };
}

function command(name: string, icon: PaletteEntry['icon'], act: () => void): PaletteEntry {
  return { value: `do ${name}`, name, icon, act };
}
