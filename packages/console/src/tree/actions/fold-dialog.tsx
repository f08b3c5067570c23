import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { TextArea } from '../../design/controls/field.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Problem } from '../../design/layout/placeholders.tsx';
import type { Branch, Tree } from '../model/tree.ts';
import styles from './actions.module.css';
import { openWithin } from './consequences.ts';

interface DialogProps {
  tree: Tree;
  branch: Branch;
  onClose: () => void;
}

/** Folds a branch: what somebody writes stands in its parent from then on. */
export function FoldDialog({ tree, branch, onClose }: DialogProps) {
  const api = useApi();
  const form = useId();
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState<string>();
  // As it was when the dialog opened: once it is folded, nothing of it is open.
  const [going] = useState(() => openWithin(tree, branch));
  const fold = useMutation({ mutationFn: () => api.contextReturn({ branch_id: branch.id, message }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(message.trim() === '' ? 'Write a summary: it is all that the parent keeps.' : undefined);
    if (message.trim() !== '') fold.mutate();
  };
  const done = fold.data;
  if (done) {
    return (
      <Dialog isOpen onClose={onClose} title="Folded" actions={<Button onClick={onClose}>Close</Button>}>
        <div className={styles.body}>
          <p>
            {count(done.summary.tokens_folded)} tokens of {plural(done.summary.operations_count, 'operation')}{' '}
            left the window; {count(done.summary.tokens_saved)} are saved. The original stays one click away.
          </p>
          {done.summary.secrets_scrubbed > 0 && (
            <p>{plural(done.summary.secrets_scrubbed, 'secret')} had been taken out of it.</p>
          )}
          {done.dropped.length > 0 ? (
            <div>
              <p>In the branch, but not in your summary:</p>
              <ul className={styles.list} aria-label="Dropped">
                {done.dropped.map(({ kind, text }) => (
                  <li key={`${kind} ${text}`}>
                    <bdi>{text}</bdi>
                    <span>{kind}</span>
                  </li>
                ))}
              </ul>
            </div>
          ) : (
            <p>The summary mentions everything that looks worth keeping.</p>
          )}
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Fold <bdi>{branch.description}</bdi>
        </>
      }
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" type="submit" form={form} isBusy={fold.isPending}>
            Fold
          </Button>
        </>
      }
    >
      <form id={form} className={styles.body} onSubmit={submit}>
        <p>
          {count(going.reduce((sum, { tokens }) => sum + tokens, 0))} tokens leave the window
          {going.length > 1 && `, with ${plural(going.length - 1, 'open branch', 'open branches')} inside it`}
          . What you write takes their place.
        </p>
        <TextArea
          label="Summary"
          hint="The result, and everything that is needed later: names, paths, decisions."
          rows={6}
          value={message}
          problem={problem}
          onChange={(event) => setMessage(event.target.value)}
        />
        {fold.error && <Problem what="It was not folded" error={fold.error} />}
      </form>
    </Dialog>
  );
}
