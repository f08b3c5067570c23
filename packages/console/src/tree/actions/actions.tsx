import { FoldVertical, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { type Branch, MAIN, type Tree } from '../model/tree.ts';
import styles from './actions.module.css';
import { whyNotBackTo } from './consequences.ts';
import { FoldDialog } from './fold-dialog.tsx';
import { AbandonDialog, RollBackDialog } from './roll-back-dialog.tsx';

interface ActionsProps {
  tree: Tree;
  branch: Branch;
  isPast: boolean;
}

/** What can be done to a branch by who may. */
export function BranchActions({ tree, branch, isPast }: ActionsProps) {
  const { may } = useAccount();
  const [open, setOpen] = useState<'fold' | 'back' | 'abandon'>();
  const close = () => setOpen(undefined);
  const whyNot = !may('write')
    ? 'Your token may read, but not write.'
    : isPast
      ? 'This is the past: go back to live to change something.'
      : undefined;
  const whyNotBack = whyNotBackTo(tree, branch);
  const isActive = branch.status === 'active' && branch.id !== MAIN;
  return (
    <div className={styles.actions}>
      <div className={styles.buttons}>
        {branch.id !== MAIN && (
          <Button
            size="small"
            icon={<FoldVertical aria-hidden />}
            disabled={whyNot !== undefined || !isActive}
            onClick={() => setOpen('fold')}
          >
            Fold
          </Button>
        )}
        <Button
          size="small"
          icon={<Undo2 aria-hidden />}
          disabled={whyNot !== undefined || whyNotBack !== undefined}
          onClick={() => setOpen('back')}
        >
          Roll back to here
        </Button>
        {isActive && (
          <Button
            size="small"
            look="danger"
            icon={<Trash2 aria-hidden />}
            disabled={whyNot !== undefined}
            onClick={() => setOpen('abandon')}
          >
            Abandon
          </Button>
        )}
      </div>
      {(whyNot ?? whyNotBack) && (
        <p className={styles.why}>{whyNot ?? `No rollback to here: ${whyNotBack}`}</p>
      )}
      {open === 'fold' && <FoldDialog tree={tree} branch={branch} onClose={close} />}
      {open === 'back' && <RollBackDialog tree={tree} branch={branch} onClose={close} />}
      {open === 'abandon' && <AbandonDialog tree={tree} branch={branch} onClose={close} />}
    </div>
  );
}
