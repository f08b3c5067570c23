import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import styles from './dialogs.module.css';
import { type FreshToken, setFresh } from './fresh.ts';

/** The secret of a new token, for the only time. */
export function ShownOnce({ fresh: { name, secret, isFirst } }: { fresh: FreshToken }) {
  const { signIn, status } = useAccount();
  const [problem, setProblem] = useState<unknown>();
  const close = () => setFresh(undefined);
  const enter = () => signIn(secret, false).then(close, setProblem);
  return (
    <Dialog
      isOpen
      isHeld
      onClose={close}
      title={`The token of ${name}`}
      actions={
        <>
          {!isFirst && <Button onClick={() => void enter()}>Sign in with it</Button>}
          <Button look="main" onClick={close}>
            I have copied it
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {problem !== undefined && <Problem what="You could not be signed in" error={problem} />}
        <div className={styles.warning}>
          <TriangleAlert aria-hidden />
          <p>
            <strong>Copy it now: it is shown only once.</strong> Anybody who has it can do what it allows, so
            keep it where you keep your passwords.
          </p>
        </div>
        <CodeBlock text={secret} label={`The token of ${name}`} />
        {isFirst && (
          <p>
            You are signed in with it as {status?.principal ?? name}. Hosts that were connected without a
            token are refused until they have one.
          </p>
        )}
      </div>
    </Dialog>
  );
}
