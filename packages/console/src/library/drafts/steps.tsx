import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, PencilLine, Send, Trash2, Upload, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { TextArea } from '../../design/controls/field.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { ButtonLink } from '../button-link.tsx';
import { type LibraryDraft, renewLibrary } from '../queries.ts';
import { type ReviewStep, stepsFor } from './next-steps.ts';
import styles from './steps.module.css';

interface Look {
  name: string;
  icon: ReactNode;
  look: 'plain' | 'main' | 'danger' | 'quiet';
  /** What is said before it is done. */
  words: string;
  /** What a note is for; without it none is asked for. */
  note?: string;
}

const STEPS: Record<ReviewStep, Look> = {
  submit: {
    name: 'Submit',
    icon: <Send aria-hidden />,
    look: 'main',
    words: 'Reviewers see it from then on.',
  },
  approve: {
    name: 'Approve',
    icon: <Check aria-hidden />,
    look: 'main',
    words: 'It can be published from then on. Whoever changes it asks for a new review.',
    note: 'Note (optional)',
  },
  publish: {
    name: 'Publish',
    icon: <Upload aria-hidden />,
    look: 'main',
    words: 'Agents load it from then on. It is a new revision, and every earlier one can be restored.',
    note: 'Note (optional)',
  },
  decline: {
    name: 'Decline',
    icon: <X aria-hidden />,
    look: 'danger',
    words: 'It is closed and changes nothing. Its author, and the agent that drafted it, are told why.',
    note: 'Why',
  },
  discard: {
    name: 'Discard',
    icon: <Trash2 aria-hidden />,
    look: 'quiet',
    words: 'It is closed and changes nothing. What it said stays in the journal.',
  },
};

/** What can be done with a draft next, by who looks at it. */
export function Steps({ project, draft }: { project: string; draft: LibraryDraft }) {
  const { may, status } = useAccount();
  const [step, setStep] = useState<ReviewStep>();
  const isOwn = draft.drafted_by === status?.principal;
  const { steps, mayEdit, why } = stepsFor(draft, { may, isOwn, name: status?.principal });
  if (steps.length === 0 && !mayEdit && why === undefined && step === undefined) return null;
  return (
    <div className={styles.steps}>
      {why !== undefined && <span className={styles.why}>{why}</span>}
      {mayEdit && (
        <ButtonLink
          page="drafts"
          search={{ project, draft: draft.id, edit: true }}
          icon={<PencilLine aria-hidden />}
        >
          Edit
        </ButtonLink>
      )}
      {steps.map((one) => (
        <Button key={one} look={STEPS[one].look} icon={STEPS[one].icon} onClick={() => setStep(one)}>
          {STEPS[one].name}
        </Button>
      ))}
      {step && <StepDialog step={step} draft={draft} onClose={() => setStep(undefined)} />}
    </div>
  );
}

interface StepDialogProps {
  step: ReviewStep;
  draft: LibraryDraft;
  onClose: () => void;
}

function StepDialog({ step, draft: { id, draft_path, hash }, onClose }: StepDialogProps) {
  const api = useApi();
  const client = useQueryClient();
  const { name, look, words, note: noteLabel } = STEPS[step];
  const [note, setNote] = useState('');
  const [isMissing, setMissing] = useState(false);
  const take = useMutation({
    mutationFn: (): Promise<unknown> => {
      const said = note.trim() === '' ? { id } : { id, note: note.trim() };
      if (step === 'submit') return api.submitDraft({ id });
      if (step === 'discard') return api.discardDraft({ id });
      if (step === 'approve') return api.approveDraft({ ...said, ...(hash !== null && { hash }) });
      return step === 'decline' ? api.declineDraft(said) : api.publishDraft(said);
    },
    // Also where it failed: somebody else may have been first.
    onSettled: () => renewLibrary(client),
    onSuccess: onClose,
  });
  const press = () => {
    const isNeeded = step === 'decline' && note.trim() === '';
    setMissing(isNeeded);
    if (!isNeeded) take.mutate();
  };
  return (
    <Dialog
      isOpen
      hasText={note.trim() !== ''}
      onClose={onClose}
      title={
        <>
          {name} <bdi>{draft_path}</bdi>
        </>
      }
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look={look === 'quiet' ? 'danger' : look} isBusy={take.isPending} onClick={press}>
            {name}
          </Button>
        </>
      }
    >
      <div className={styles.dialog}>
        <p>{words}</p>
        {noteLabel !== undefined && (
          <TextArea
            label={noteLabel}
            rows={3}
            value={note}
            problem={isMissing ? 'Say why: its author should know what to change.' : undefined}
            onChange={(event) => setNote(event.target.value)}
          />
        )}
        {take.error && <Problem what={`It was not ${DONE[step]}`} error={take.error} />}
      </div>
    </Dialog>
  );
}

const DONE: Record<ReviewStep, string> = {
  submit: 'submitted',
  approve: 'approved',
  publish: 'published',
  decline: 'declined',
  discard: 'discarded',
};
