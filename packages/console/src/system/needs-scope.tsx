import { Lock } from 'lucide-react';
import { useAccount } from '../api/account.tsx';
import { Button } from '../design/controls/button.tsx';
import { Empty } from '../design/layout/placeholders.tsx';
import type { SystemPage } from './pages.ts';

/** Instead of a page that the token does not open: no error, since nothing went wrong. */
export function NeedsScope({ page }: { page: SystemPage }) {
  const { status, signOut } = useAccount();
  return (
    <Empty
      icon={<Lock aria-hidden />}
      title={`${page.name} needs the scope “${page.needs}”`}
      actions={<Button onClick={() => void signOut()}>Sign in with another token</Button>}
    >
      <p>
        You are signed in as {status?.principal}, with {status?.scopes.join(', ')}. Whoever runs this server
        can make a token that allows it:{' '}
        <code>npx infold token create --name NAME --scope read,write,{page.needs}</code>
      </p>
    </Empty>
  );
}
