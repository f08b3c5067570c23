import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Problem } from '../../design/states.tsx';
import type { Token } from '../queries.ts';
import styles from './dialogs.module.css';

export function RevokeToken({ token: { id, name }, onClose }: { token: Token; onClose: () => void }) {
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
          Whoever uses it is refused from now on, in the middle of their work. It cannot be taken back; a new
          token can be made for them.
        </p>
        {name === status?.principal && (
          <p>You are signed in as {name}. If this is the token you use, you are signed out at once.</p>
        )}
      </div>
    </Dialog>
  );
}
