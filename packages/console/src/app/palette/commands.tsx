import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FlaskConical, KeyRound, LogOut, Monitor, Moon, ShieldCheck, Sun, Tags } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { changeSettings, useSettings } from '../../settings/settings.ts';
import { useLoadSamples } from '../samples.tsx';
import { Item, PaletteGroup, type Run } from './item.tsx';

/** What one can do from anywhere, as far as one may. */
export function Deeds({ run, attempt }: { run: Run; attempt: Run }) {
  const { isOwner, may } = useAccount();
  return (
    <PaletteGroup heading="Do">
      {may('write') && <LoadSamples attempt={attempt} />}
      {may('admin') && <Administer run={run} attempt={attempt} />}
      <Look run={run} />
      {!isOwner && <SignOut run={run} />}
    </PaletteGroup>
  );
}

function LoadSamples({ attempt }: { attempt: Run }) {
  const { mutateAsync } = useLoadSamples();
  const navigate = useNavigate();
  const load = async () => {
    const { conversation } = await mutateAsync();
    if (conversation === null) void navigate({ to: '/window' });
    else void navigate({ to: '/window/$conversation', params: { conversation } });
  };
  return (
    <Item
      value="Load sample data"
      keywords={['example demo']}
      icon={<FlaskConical aria-hidden />}
      note="A project to explore"
      onSelect={attempt(load)}
    >
      Load sample data
    </Item>
  );
}

function Administer({ run, attempt }: { run: Run; attempt: Run }) {
  const { api } = useAccount().session;
  const client = useQueryClient();
  const navigate = useNavigate();
  const verify = async () => {
    const begun = await api.startVerification();
    client.setQueryData(['system', 'verification'], begun);
    void navigate({ to: '/system/$page', params: { page: 'journal' } });
  };
  return (
    <>
      <Item
        value="Verify the journal"
        keywords={['check integrity']}
        icon={<ShieldCheck aria-hidden />}
        note="Check that nothing was changed"
        onSelect={attempt(verify)}
      >
        Verify the journal
      </Item>
      <Item
        value="New token"
        keywords={['create make access']}
        icon={<KeyRound aria-hidden />}
        onSelect={run(() =>
          navigate({ to: '/system/$page', params: { page: 'tokens' }, search: { make: true } }),
        )}
      >
        New token
      </Item>
    </>
  );
}

function Look({ run }: { run: Run }) {
  const { showContextHints } = useSettings();
  const hints = `${showContextHints ? 'Hide' : 'Show'} context hints`;
  return (
    <>
      <Item
        value="Light theme"
        icon={<Sun aria-hidden />}
        onSelect={run(() => changeSettings({ theme: 'light' }))}
      >
        Light theme
      </Item>
      <Item
        value="Dark theme"
        icon={<Moon aria-hidden />}
        onSelect={run(() => changeSettings({ theme: 'dark' }))}
      >
        Dark theme
      </Item>
      <Item
        value="System theme"
        icon={<Monitor aria-hidden />}
        onSelect={run(() => changeSettings({ theme: 'system' }))}
      >
        System theme
      </Item>
      <Item
        value={hints}
        keywords={['badges transient consumed collapsed']}
        icon={<Tags aria-hidden />}
        onSelect={run(() => changeSettings({ showContextHints: !showContextHints }))}
      >
        {hints}
      </Item>
    </>
  );
}

function SignOut({ run }: { run: Run }) {
  const { signOut } = useAccount();
  return (
    <Item value="Sign out" icon={<LogOut aria-hidden />} onSelect={run(signOut)}>
      Sign out
    </Item>
  );
}
