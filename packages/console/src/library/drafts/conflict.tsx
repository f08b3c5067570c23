import { useMutation, useQueryClient } from '@tanstack/react-query';
import { GitMerge } from 'lucide-react';
import { useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { TextField } from '../../design/controls/field.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { type LibraryDraft, renewLibrary } from '../queries.ts';
import styles from './conflict.module.css';
import { Resolve } from './resolve.tsx';
import { CONFLICTS } from './words.ts';

interface ConflictProps {
  project: string;
  draft: LibraryDraft;
  conflict: NonNullable<LibraryDraft['conflict']>;
}

/** Why a draft cannot be published as it is, and the way out. */
export default function ConflictPanel({ project, draft, conflict }: ConflictProps) {
  const { may, status } = useAccount();
  const mayResolve = may('write') && (may('admin') || draft.drafted_by === status?.principal);
  const hasText = draft.op === 'create' || draft.op === 'update';
  return (
    <Panel
      title={
        <span className={styles.title}>
          <GitMerge aria-hidden /> Conflict
        </span>
      }
    >
      <div className={styles.body}>
        <p>
          {CONFLICTS[conflict.reason].text}{' '}
          {mayResolve
            ? 'Bring the two together; the draft is then reviewed again.'
            : 'Whoever wrote the draft can bring the two together.'}
        </p>
        {hasText && conflict.published ? (
          <Resolve
            project={project}
            draft={draft}
            base={conflict.base?.content ?? ''}
            published={conflict.published}
            mine={conflict.draft?.content ?? ''}
            mayResolve={mayResolve}
          />
        ) : (
          mayResolve && <WithoutText {...{ project, draft, conflict }} />
        )}
      </div>
    </Panel>
  );
}

/** Nothing to merge: the file is gone, or the draft is about its place. */
function WithoutText({ project, draft, conflict }: ConflictProps) {
  const api = useApi();
  const client = useQueryClient();
  const [path, setPath] = useState(draft.draft_path);
  const onSettled = () => renewLibrary(client);
  const rebase = useMutation({ mutationFn: () => api.rebaseDraft({ id: draft.id }), onSettled });
  const rename = useMutation({
    mutationFn: () =>
      api.createDraft({
        project,
        resource: draft.resource,
        op: { rename: { id: draft.id, new_path: path.trim() } },
      }),
    onSettled,
  });
  const isLost = conflict.reason === 'deleted' && (draft.op === 'rename' || draft.op === 'delete');
  if (isLost) return <p>There is nothing left to {draft.op}: discard the draft.</p>;
  if (conflict.reason === 'path_taken') {
    return (
      <>
        <div className={styles.rename}>
          <TextField label="Another path" value={path} onChange={(event) => setPath(event.target.value)} />
          <Button look="main" isBusy={rename.isPending} onClick={() => rename.mutate()}>
            Take this path
          </Button>
        </div>
        {rename.error && <Problem what="The draft was not renamed" error={rename.error} />}
      </>
    );
  }
  return (
    <>
      <div>
        <Button look="main" isBusy={rebase.isPending} onClick={() => rebase.mutate()}>
          {conflict.reason === 'deleted' ? 'Propose it as a new file' : 'Put it on what is published now'}
        </Button>
      </div>
      {rebase.error && <Problem what="The draft was not rebased" error={rebase.error} />}
    </>
  );
}
