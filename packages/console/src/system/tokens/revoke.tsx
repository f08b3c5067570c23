import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import type { Token } from '../queries.ts';
import styles from './dialogs.module.css';

interface RevokeTokenProps {
  token: Token;
  /** Nobody else could administer anything from here. */
  isLastAdmin: boolean;
  onClose: () => void;
}

export function RevokeToken({ token: { id, name }, isLastAdmin, onClose }: RevokeTokenProps) {
  const { session, status } = useAccount();
  const client = useQueryClient();
  const revocation = useMutation({
    mutationFn: async () => {
      await session.api.revokeToken({ id });
      await client.invalidateQueries({ queryKey: ['system', 'tokens'] });
    },
    onSuccess: onClose,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Revoke the token of ${name}?`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" isBusy={revocation.isPending} onClick={() => revocation.mutate()}>
            Revoke it
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {revocation.error && <Problem what="It was not revoked" error={revocation.error} />}
        <p>
          Whoever uses it is refused from now on, even in the middle of their work. This cannot be undone, but
          you can make them a new token.
        </p>
        {isLastAdmin && (
          <div className={styles.warning}>
            <TriangleAlert aria-hidden />
            <p>
              <strong>This is the last token with “admin”.</strong> Without one, nobody can manage tokens on
              this page. On the machine itself,{' '}
              <code>npx infold token create --name NAME --scope read,write,admin</code> still makes one.
            </p>
          </div>
        )}
        {name === status?.principal && (
          <p>You are signed in as {name}. If this is the token you use, you are signed out at once.</p>
        )}
      </div>
    </Dialog>
  );
}
