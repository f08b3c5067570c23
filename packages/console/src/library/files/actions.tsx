import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PencilLine, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { TextField } from '../../design/controls/field.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { ButtonLink } from '../button-link.tsx';
import { resourceOf } from '../editor/resource.ts';
import { type FileDetails, renewLibrary, useDrafts } from '../queries.ts';
import styles from './actions.module.css';
import { META_PROMPT } from './rows.ts';

/** What can be proposed for a file, by who may. A file has one draft of each person at most. */
export function FileActions({ project, file }: { project: string; file: FileDetails }) {
  const { may, status } = useAccount();
  const { data } = useDrafts(project, 'open');
  const [open, setOpen] = useState<'rename' | 'delete'>();
  // What is selected is changed in the organisation's library.
  if (!may('write') || file.organisation !== undefined) return null;
  const own = data?.pages
    .flatMap(({ drafts }) => drafts)
    .find((draft) => draft.item_id === file.id && draft.drafted_by === status?.principal);
  if (own) {
    return (
      <ButtonLink
        size="small"
        page="drafts"
        search={{ project, draft: own.id }}
        icon={<PencilLine aria-hidden />}
      >
        Your draft of it
      </ButtonLink>
    );
  }
  const close = () => setOpen(undefined);
  return (
    <div className={styles.actions}>
      <ButtonLink
        size="small"
        page="files"
        search={{ project, item: file.id, edit: true }}
        icon={<PencilLine aria-hidden />}
      >
        Edit
      </ButtonLink>
      {file.id !== META_PROMPT && (
        <Button size="small" look="quiet" onClick={() => setOpen('rename')}>
          Rename
        </Button>
      )}
      <Button size="small" look="quiet" icon={<Trash2 aria-hidden />} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'rename' && <RenameDialog {...{ project, file }} onClose={close} />}
      {open === 'delete' && <DeleteDialog {...{ project, file }} onClose={close} />}
    </div>
  );
}

export function MetaActions({ project }: { project: string }) {
  const { may } = useAccount();
  if (!may('write')) return null;
  return (
    <ButtonLink look="main" page="files" search={{ project, make: 'meta' }} icon={<PencilLine aria-hidden />}>
      Write one
    </ButtonLink>
  );
}

interface ProposalProps {
  project: string;
  file: FileDetails;
  onClose: () => void;
}

/** Stages a proposal, and goes to it. */
function usePropose(project: string, file: FileDetails) {
  const api = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (op: Parameters<typeof api.createDraft>[0]['op']) =>
      api.createDraft({ project, resource: resourceOf(file), op }),
    onSuccess: ({ draft }) => {
      void renewLibrary(client);
      void navigate({
        to: '/library/$page',
        params: { page: 'drafts' },
        search: { project, draft: draft.id },
      });
    },
  });
}

function RenameDialog({ project, file, onClose }: ProposalProps) {
  const form = useId();
  const [path, setPath] = useState(file.path);
  const [description, setDescription] = useState('');
  const propose = usePropose(project, file);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const why = description.trim();
    propose.mutate({
      rename: { id: file.id, new_path: path.trim(), ...(why !== '' && { description: why }) },
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Rename <bdi>{file.path}</bdi>
        </>
      }
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" type="submit" form={form} isBusy={propose.isPending}>
            Save as draft
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        <TextField
          label="New path"
          hint="Its id stays, so that what agents have loaded and said of it stays with it."
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
        <TextField
          label="Why (optional)"
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        {propose.error && <Problem what="The draft was not saved" error={propose.error} />}
      </form>
    </Dialog>
  );
}

function DeleteDialog({ project, file, onClose }: ProposalProps) {
  const [description, setDescription] = useState('');
  const propose = usePropose(project, file);
  const why = description.trim();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Delete <bdi>{file.path}</bdi>
        </>
      }
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            look="danger"
            isBusy={propose.isPending}
            onClick={() =>
              propose.mutate({ delete: { id: file.id, ...(why !== '' && { description: why }) } })
            }
          >
            Propose to delete it
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p>Agents go on loading it until somebody approves and publishes this. Its history stays.</p>
        <TextField
          label="Why (optional)"
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        {propose.error && <Problem what="The draft was not saved" error={propose.error} />}
      </div>
    </Dialog>
  );
}
