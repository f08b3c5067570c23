import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import type { Deed } from './deeds.ts';
import type { ItemDraft } from './draft.ts';
import { DraftFields } from './form.tsx';
import styles from './write.module.css';

interface DraftDialogProps {
  title: ReactNode;
  /** What it will mean. */
  children: ReactNode;
  begin: ItemDraft;
  deed: UseMutationResult<Deed, Error, ItemDraft>;
  /** What the button says. */
  verb: string;
  onClose: () => void;
}

/** Something is written: new, or in the place of something else. */
export function DraftDialog({ title, children, begin, deed, verb, onClose }: DraftDialogProps) {
  const form = useId();
  const [draft, setDraft] = useState(begin);
  const [first] = useState(begin);
  const hasText = JSON.stringify(draft) !== JSON.stringify(first);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isBlank = draft.content.trim() === '';
    setProblem(isBlank ? 'Write what is to be remembered.' : undefined);
    if (!isBlank) deed.mutate(draft, { onSuccess: onClose });
  };
  return (
    <Dialog
      isOpen
      hasText={hasText}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" form={form} isBusy={deed.isPending}>
            {verb}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {deed.error && <Problem what="Nothing was written" error={deed.error} />}
        <div className={styles.about}>{children}</div>
        <DraftFields
          draft={draft}
          problem={problem}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
        />
      </form>
    </Dialog>
  );
}
