import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Switch } from '../../design/controls/field.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Problem } from '../../design/layout/placeholders.tsx';
import { type Branch, MAIN, type Tree } from '../model/tree.ts';
import styles from './actions.module.css';
import { consequencesOf, openWithin } from './consequences.ts';

interface DialogProps {
  tree: Tree;
  branch: Branch;
  onClose: () => void;
}

/** Goes back to a branch, and says before what will be discarded. */
export function RollBackDialog({ tree, branch, onClose }: DialogProps) {
  const api = useApi();
  const [restore, setRestore] = useState(false);
  const { discarded, reopened, operations, recovered, isExact } = consequencesOf(tree, branch.id, restore);
  const isNothing = discarded.length === 0 && reopened.length === 0;
  const roll = useMutation({
    mutationFn: () =>
      api.contextRollback({ branch_id: branch.id, session_id: tree.session, restore_state: restore }),
    onSuccess: onClose,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Roll back to <bdi>{branch.id === MAIN ? 'the main thread' : branch.description}</bdi>
        </>
      }
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" disabled={isNothing} isBusy={roll.isPending} onClick={() => roll.mutate()}>
            {isNothing ? 'Nothing to roll back' : 'Roll back'}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        {isNothing ? (
          <p>Nothing came after it.</p>
        ) : (
          <p>
            {plural(discarded.length, 'branch', 'branches')}
            {operations > 0 && ` and ${plural(operations, 'operation')} of its own`} will be discarded:{' '}
            {!isExact && 'at least '}
            {count(recovered)} tokens leave the window. They stay in the archive.
          </p>
        )}
        <BranchesList label="Will be discarded" branches={discarded} />
        {reopened.length > 0 && (
          <>
            <p>{plural(reopened.length, 'folded branch', 'folded branches')} will be opened again:</p>
            <BranchesList label="Will be opened again" branches={reopened} />
          </>
        )}
        <Switch
          label="Also discard what it did itself since"
          hint="Its own operations since the first of those branches began."
          isOn={restore}
          onChange={setRestore}
        />
        {roll.error && <Problem what="It was not rolled back" error={roll.error} />}
      </div>
    </Dialog>
  );
}

/** Discards an open branch with what is open in it, and nothing else. */
export function AbandonDialog({ tree, branch, onClose }: DialogProps) {
  const api = useApi();
  const going = openWithin(tree, branch);
  const abandon = useMutation({
    mutationFn: () => api.contextRollback({ branch_id: branch.id, session_id: tree.session, abandon: true }),
    onSuccess: onClose,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Abandon <bdi>{branch.description}</bdi>
        </>
      }
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" isBusy={abandon.isPending} onClick={() => abandon.mutate()}>
            Abandon
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <p>
          {plural(going.length, 'open branch', 'open branches')} will be discarded without a summary:{' '}
          {count(going.reduce((sum, { tokens }) => sum + tokens, 0))} tokens leave the window. What was folded
          in it stays folded, and everything stays in the archive.
        </p>
        <BranchesList label="Will be discarded" branches={going} />
        {abandon.error && <Problem what="It was not abandoned" error={abandon.error} />}
      </div>
    </Dialog>
  );
}

function BranchesList({ label, branches }: { label: string; branches: readonly Branch[] }) {
  if (branches.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={label}>
      {branches.map(({ id, description, status, tokens, tokensFolded }) => (
        <li key={id}>
          <bdi>{description}</bdi>
          <span>
            {status} · {count(tokensFolded ?? tokens)}
          </span>
        </li>
      ))}
    </ul>
  );
}
